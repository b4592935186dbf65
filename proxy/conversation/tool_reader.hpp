// Parts of requests that several readers find in the same form. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/conversation_builder.hpp"
#include "proxy/conversation/object_members.hpp"

#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Only the tools that `allowed`, a list of objects with a name, leaves.
void keep_allowed_tools(std::vector<tool>& tools, std::string_view allowed);

// Adds hints for parts of a tool of Anthropic's API that other APIs do not have.
void hint_at_lost_parts(const object_members& offered, conversation_builder& builder);

// The word by which a signature's API is called on its way through a client, and back.
wire_format format_called(std::string_view word);

// `text`, a string, is the signature of `into`: of the client's own API, or carried for another.
void read_signature(std::string_view text, wire_format own, conversation_builder& builder, block& into);

// Past steps of the tools that Anthropic runs itself. No other API takes such a step back. The model's text has what a
// search found, so that the step can be left out (decision 71). The output of code is data: others get it as a text.
// `type` is a block's. False for steps of other kinds (mcp_tool_use): no other API can say them.
bool is_hosted_step(std::string_view type);

// Adds the step `raw` to the current turn, and names what other APIs do not get. False: there are too many blocks.
bool add_hosted_step(const object_members& step, std::string_view raw, conversation_builder& builder);

}  // namespace photofinish::proxy
