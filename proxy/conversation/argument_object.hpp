// The arguments of a call as a JSON object, for APIs that take nothing else. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <string>

namespace photofinish::proxy {

// Appends an object: the client's own text where it is one, with its numbers and the order of its keys. A free text
// stands in its member `input`; so does a text that is no object, which a cut answer leaves behind.
void append_argument_object(const block& call, std::string& out);

}  // namespace photofinish::proxy
