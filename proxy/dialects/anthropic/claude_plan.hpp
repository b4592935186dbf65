// The betas of one request that a place serving Claude takes, and the members that are lost with other betas.
// [pure]
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
  std::vector<std::string> betas;                // as they are called there, each once
  bool has_lost_beta = false;
  bool is_fast = false;  // `speed: fast` is sent
  bool has_lost_tier = false;  // the tier of the target is not sent
  std::vector<std::string_view> lost_members;    // paths, without their beta
  bool is_at_anthropic = false;  // the API is Anthropic's own, which alone reads Claude Code's attribution
  bool binds_thinking = false;  // blocks of thinking that do not fit the conversation are to be left out there

  std::string header() const;  // betas as a list; empty: none
};

// Whether the API is Anthropic's own. A proxy in front of it may have any host.
bool is_at_anthropic(const provider& target);

claude_plan plan_for_claude(const attempt_request& request, std::string_view cloud);

// Takes out of that member of a body what the paths lead to: `a.b`, `list[].b`, and `list[word]`, elements whose type
// begins with the word. The paths that led to something. `except` is an element that is removed already.
std::vector<std::string_view> remove_members(const std::vector<std::string_view>& paths, const json_member& in,
                                             json_edits& edits, std::string_view except = {});

// The first member that this place refuses and that carries meaning; empty: there is none. Lives as long as
// the program.
std::string_view refused_by_cloud(const cloud_facts& cloud, const client_body& body);

bool has_tool_of(const std::vector<std::string>& types, const client_body& body);

// Whether the request makes a model call a tool that may not be made to. `drop_params: [tool_choice]` lets it choose.
bool refuses_choice(const model_facts& model, const client_body& body, const provider& target);

}  // namespace photofinish::proxy
