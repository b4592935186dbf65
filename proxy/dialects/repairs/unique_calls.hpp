// Makes the ids of calls unique in a conversation. [pure]
// Bedrock's mantle counts the calls of Responses from call_0 in each answer: the second turn's call would have the id,
// and so the result, of the first one's.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Puts the answer's id into each `"call_id":"call_0"` of the JSON. Returns a view of `into` then, else the JSON itself.
// 64 bytes behind `into` are readable, as parsers want it.
std::string_view with_unique_calls(std::string_view json, std::string_view answer_id, std::string& into);

}  // namespace photofinish::proxy
