// Reads parts of requests that have the same form in several APIs. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/conversation_builder.hpp"
#include "proxy/conversation/object_members.hpp"

#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Removes the tools that are not in `allowed`, a list of objects with names.
void keep_allowed_tools(std::vector<tool>& tools, std::string_view allowed);

// Adds hints for the parts of an Anthropic tool that other APIs do not have.
void hint_at_lost_parts(const object_members& offered, conversation_builder& builder);

// Returns the format of the API that a carried signature names.
wire_format format_called(std::string_view word);

// Stores `text`, a string, as the signature of `into`. The signature is from the client's own API, or was
// carried for another API.
void read_signature(std::string_view text, wire_format own, conversation_builder& builder, block& into);

// True if `type`, the type of a block, is a past step of a tool that Anthropic runs itself. No other API accepts such a
// step. A search step can be left out, because the model's text contains the search's findings (decision 71). The
// output of code is data, so other APIs get it as text. Returns false for other kinds of steps (mcp_tool_use), which no
// other API can express.
bool is_hosted_step(std::string_view type);

// Adds the step `raw` to the current turn and notes the parts that other APIs do not get. Returns false if there
// are too many blocks.
bool add_hosted_step(const object_members& step, std::string_view raw, conversation_builder& builder);

}  // namespace photofinish::proxy
