// Parts of requests that several readers find in the same form. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/conversation_builder.hpp"

#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Only the tools that `allowed`, a list of objects with a name, leaves.
void keep_allowed_tools(std::vector<tool>& tools, std::string_view allowed);

// The word by which a signature's API is called on its way through a client, and back.
wire_format format_called(std::string_view word);

// `text`, a string, is the signature of `into`: of the client's own API, or carried for another.
void read_signature(std::string_view text, wire_format own, conversation_builder& builder, block& into);

}  // namespace photofinish::proxy
