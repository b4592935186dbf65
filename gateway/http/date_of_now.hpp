// The Date of the responses that leave now.
#pragma once

#include <string_view>

namespace photofinish::gateway {

// "Sun, 06 Nov 1994 08:49:37 GMT". The text lives until this thread asks again.
std::string_view date_of_now();

}  // namespace photofinish::gateway
