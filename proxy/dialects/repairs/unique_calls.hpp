// Makes the ids of calls unique in a conversation. [pure] Bedrock's mantle numbers the calls of Responses from
// call_0 in each answer. Without this repair, a call in the second turn would have the id, and therefore the result,
// of the first turn's call.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Inserts the answer's id into each `"call_id":"call_0"` of the JSON. Returns a view of `into` if it changed anything,
// otherwise the JSON itself. 64 bytes after `into` are readable, because parsers need them.
std::string_view with_unique_calls(std::string_view json, std::string_view answer_id, std::string& into);

}  // namespace photofinish::proxy
