// The arguments of a call as a JSON object, for APIs that take nothing else, and back. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Appends an object: the client's own text where it is one, with its numbers and the order of its keys. A free text
// stands in its member `input`; so does a text that is no object, which a cut answer leaves behind.
void append_argument_object(const block& call, std::string& out);

// The same for arguments that a model wrote, as text. An object inside a JSON string is that object. No text and `null`
// are an empty object.
std::string argument_object(std::string_view text);

// True if the text begins as an object and is not a complete one: the answer was cut, or its JSON is not valid.
bool is_broken_object(std::string_view text);

// The free text of a custom tool: what append_argument_object() put into `input`. A model may write anything as
// arguments. An object whose only member is a string holds the text under another name; an empty object is no text.
// Anything else is the free text itself.
std::string free_text_in(std::string_view arguments);

}  // namespace photofinish::proxy
