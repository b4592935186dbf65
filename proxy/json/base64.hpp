// Base64 (RFC 4648), as HTTP writes credentials. [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

enum class base64_padding { wanted, unwanted };

std::string base64_encoded(std::string_view text, base64_padding padding);

// False when it is not base64 of its usual alphabet: then nothing is appended.
bool append_base64_decoded(std::string_view text, std::string& out);

// Empty when it is not.
std::string base64_decoded(std::string_view text);

}  // namespace photofinish::proxy
