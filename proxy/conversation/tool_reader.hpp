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

// Records the members of an Anthropic tool that translated requests omit. Other APIs do not have these members.
void hint_at_lost_parts(const object_members& offered, conversation_builder& builder);

// Returns the format of the API whose name is stored in a packed signature (carried_signature.hpp).
wire_format format_called(std::string_view word);

// Stores a signature from the client's request in `into`. A signature that this gateway packed belongs to another API
// (carried_signature.hpp). Any other signature belongs to the client's own API, `own`.
void read_signature(std::string_view text, wire_format own, conversation_builder& builder, block& into);

// True if `type` is a past step of a tool that Anthropic ran itself and that other APIs can omit or express as text. No
// other API accepts such a block. A search is omitted, because the model's text contains its findings (decision 71).
// The output of code is data, so other APIs get it as text. Returns false for all other steps, such as mcp_tool_use.
bool is_hosted_step(std::string_view type);

// Adds `raw`, a past step of a tool that Anthropic runs, to the current turn. Also records the parts of the step that
// requests to other APIs omit. Returns false if there are too many blocks.
bool add_hosted_step(const object_members& step, std::string_view raw, conversation_builder& builder);

}  // namespace photofinish::proxy
