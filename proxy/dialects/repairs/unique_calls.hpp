// Makes the ids of calls unique in a conversation. [pure] In the Responses API, Bedrock's mantle numbers the calls of
// each answer from call_0. Without this repair, calls of different turns would have the same id, and a call could be
// matched to the result of an earlier call.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Inserts the answer's id into each `"call_id":"call_0"` of the JSON. If this changes the JSON, returns a view of
// `into`. Otherwise returns `json`. The buffer of `into` has 64 readable bytes after the text, because parsers need
// them.
std::string_view with_unique_calls(std::string_view json, std::string_view answer_id, std::string& into);

}  // namespace photofinish::proxy
