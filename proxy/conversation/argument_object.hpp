// Converts the arguments of a tool call to a JSON object and back, for APIs that accept only objects. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Appends the arguments of a tool call as a JSON object. If the arguments are a JSON object, its numbers and the order
// of its keys stay unchanged. All other arguments, such as free text or an object that was truncated, become the member
// `input` of a new object.
void append_argument_object(const block& call, std::string& out);

// Returns a model's arguments as the text of a JSON object. If the arguments are a JSON string that contains an object,
// returns that object. Empty text and `null` become an empty object.
std::string argument_object(std::string_view text);

// True if the text begins as an object but is incomplete or invalid, for example because the answer was truncated.
bool is_broken_object(std::string_view text);

// Returns the free text of a custom tool, which append_argument_object() wrote as the member `input`. A model may
// rename this member. Therefore, if the object has a single member whose value is a string, the function returns this
// string. For an empty object, it returns an empty string. All other arguments are returned unchanged.
std::string free_text_in(std::string_view arguments);

}  // namespace photofinish::proxy
