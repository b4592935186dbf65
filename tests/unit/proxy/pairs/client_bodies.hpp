// A conversation as a client of each API sends it.
#pragma once

#include "tests/unit/proxy/pairs/dialogue.hpp"

namespace photofinish::proxy::pairs {

json chat_request(const dialogue& all);
json responses_request(const dialogue& all);  // which has no stop strings
json messages_request(const dialogue& all);   // whose instructions stand in front

}  // namespace photofinish::proxy::pairs
