// A conversation as a client of each API sends it.
#pragma once

#include "tests/unit/proxy/pairs/dialogue.hpp"

namespace photofinish::proxy::pairs {

json chat_request(const dialogue& all);
json responses_request(const dialogue& all);  // without stop strings
json messages_request(const dialogue& all);   // with the instructions at the front

}  // namespace photofinish::proxy::pairs
