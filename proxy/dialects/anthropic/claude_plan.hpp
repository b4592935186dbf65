// Plans which betas of a request are sent to the place that serves Claude, and which members are lost with
// the other betas. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/providers/model_facts.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

inline constexpr std::string_view betas_field = "anthropic-beta";

std::string_view header_value(std::span<const std::pair<std::string, std::string>> among, std::string_view name);

struct claude_plan {
  const cloud_facts* cloud = nullptr;
  std::vector<std::string> betas;                // betas to send, under the place's own names, each once
  bool has_lost_beta = false;
  bool is_fast = false;  // true if `speed: fast` is sent
  bool has_lost_tier = false;  // true if the target's service tier is not sent
  std::vector<std::string_view> lost_members;    // paths to members that are lost because their beta is not sent
  bool is_at_anthropic = false;  // true for Anthropic's own API, because no other API reads Claude Code's attribution
  // True if the request asks the place to ignore thinking blocks that do not fit the conversation.
  bool binds_thinking = false;

  std::string header() const;  // returns the betas as a list for the header; empty if there are none
};

// Returns true if the target's API is Anthropic's own, even if a proxy with another host is in front of it.
bool is_at_anthropic(const provider& target);

claude_plan plan_for_claude(const attempt_request& request, std::string_view cloud);

// Removes from the member `in` of a body all parts that the paths match: `a.b`, `list[].b`, and `list[word]` (elements
// whose type begins with the word). Returns the paths that matched. `except` is an element that is already removed.
std::vector<std::string_view> remove_members(const std::vector<std::string_view>& paths, const json_member& in,
                                             json_edits& edits, std::string_view except = {});

// Returns the first member that the cloud refuses and that changes the answer. Empty if there is no such member. The
// result lives as long as the program.
std::string_view refused_by_cloud(const cloud_facts& cloud, const client_body& body);

bool has_tool_of(const std::vector<std::string>& types, const client_body& body);

// Returns true if the request forces a tool call and the model refuses forced calls. If drop_params lists
// `tool_choice`, the result is false, and the model may choose.
bool refuses_choice(const model_facts& model, const client_body& body, const provider& target);

}  // namespace photofinish::proxy
