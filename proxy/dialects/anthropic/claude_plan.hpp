// Decides which beta features of a request are sent to the cloud that hosts Claude. [pure] If a request member needs a
// beta feature that is not sent, the member is removed.
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
  // the beta features to send, as the cloud names them; each feature occurs once
  std::vector<std::string> betas;
  bool has_lost_beta = false;
  bool is_fast = false;  // true if `speed: fast` is sent
  bool has_lost_tier = false;  // true if the target's configured service tier cannot be sent
  // the paths to members that are removed, because their beta feature is not sent
  std::vector<std::string_view> lost_members;
  // True for Anthropic's own API. Only this API reads the billing text (attribution) that Claude Code adds to its
  // prompts.
  bool is_at_anthropic = false;
  // True if the request asks the model to ignore thinking blocks that do not fit the conversation.
  bool binds_thinking = false;

  std::string header() const;  // the value of the header with the beta features; empty if none is sent
};

// Returns true if the target is Anthropic's own API, even if the API is reached through a proxy with another host.
bool is_at_anthropic(const provider& target);

claude_plan plan_for_claude(const attempt_request& request, std::string_view cloud);

// Removes the parts of the body member `in` that `paths` select. A path has the form `a.b`, `list[].b`, or `list[word]`
// (all elements whose type begins with the word). Returns the paths that matched. The element `except` is skipped,
// because the caller has already removed it.
std::vector<std::string_view> remove_members(const std::vector<std::string_view>& paths, const json_member& in,
                                             json_edits& edits, std::string_view except = {});

// Returns the name of the first member that affects the answer and that the cloud refuses. Returns an empty view if
// there is no such member. The returned name is valid until the program ends.
std::string_view refused_by_cloud(const cloud_facts& cloud, const client_body& body);

bool has_tool_of(const std::vector<std::string>& types, const client_body& body);

// Returns true if the request forces a tool call and the model refuses forced calls. Returns false if the provider's
// drop_params lists `tool_choice`. The parameter is then dropped, and the model may choose whether to call a tool.
bool refuses_choice(const model_facts& model, const client_body& body, const provider& target);

}  // namespace photofinish::proxy
