// Converts the arguments of a tool call to a JSON object and back, for APIs that accept only objects. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Appends the arguments of a tool call as a JSON object. An object is copied with its numbers and the order of its
// keys. Free text and other values become the member `input` of a new object. For example, the arguments of a truncated
// answer are not a valid object.
void append_argument_object(const block& call, std::string& out);

// Returns a model's arguments as the text of a JSON object. If the arguments are a JSON string that contains an object,
// returns that object. Empty text and `null` become an empty object.
std::string argument_object(std::string_view text);

// True if the text begins as an object but is incomplete or invalid, for example because the answer was truncated.
bool is_broken_object(std::string_view text);

// Returns the free text of a custom tool, which append_argument_object() wrote as the member `input`. A model may
// rename the member. Therefore, if the object has a single member and its value is a string, returns that string.
// Returns an empty text for an empty object, and all other arguments unchanged.
std::string free_text_in(std::string_view arguments);

}  // namespace photofinish::proxy
