// Builds a conversation as a client of each API sends it.
#pragma once

#include "tests/unit/proxy/pairs/dialogue.hpp"

namespace photofinish::proxy::pairs {

json chat_request(const dialogue& all);
json responses_request(const dialogue& all);  // writes no stop strings, because the Responses API does not support them
json messages_request(const dialogue& all);   // writes the instructions before all messages

}  // namespace photofinish::proxy::pairs
