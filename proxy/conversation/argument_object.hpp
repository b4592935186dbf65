// Converts the arguments of a call to a JSON object and back, for APIs that accept only objects. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Appends an object. If the client's text is an object, it is copied with its numbers and the order of its keys. Free
// text becomes the member `input`. So does text that is not an object, for example the arguments of a truncated answer.
void append_argument_object(const block& call, std::string& out);

// Does the same for arguments that a model wrote, as text. If a JSON string contains an object, returns that object.
// Empty text and `null` become an empty object.
std::string argument_object(std::string_view text);

// True if the text begins as an object but is incomplete: the answer was truncated, or its JSON is not valid.
bool is_broken_object(std::string_view text);

// Returns the free text of a custom tool, which append_argument_object() put into `input`. A model may write anything
// as arguments. If the object's only member is a string, that string is the text, whatever the member's name. An empty
// object is empty text. Anything else is returned unchanged.
std::string free_text_in(std::string_view arguments);

}  // namespace photofinish::proxy
