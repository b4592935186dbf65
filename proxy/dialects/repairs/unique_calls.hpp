// Makes the ids of calls unique in a conversation. [pure] Bedrock's mantle numbers the calls of the Responses API from
// call_0 in each answer. Without this repair, a call in the second turn would have the same id as a call in the first
// turn, and would therefore be matched to the result of that call.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Inserts the answer's id into each `"call_id":"call_0"` of the JSON. If this changes the JSON, returns a view of
// `into`, otherwise returns `json`. 64 bytes after the text in `into` are readable, because parsers need them.
std::string_view with_unique_calls(std::string_view json, std::string_view answer_id, std::string& into);

}  // namespace photofinish::proxy
