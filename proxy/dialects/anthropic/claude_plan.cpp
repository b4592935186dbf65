#include "proxy/dialects/anthropic/claude_plan.hpp"

#include "proxy/conversation/object_members.hpp"
#include "proxy/dialects/anthropic/message_history.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/element_removal.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/nested_params.hpp"
#include "proxy/providers/model_tier.hpp"
#include "proxy/providers/parameters.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <cstddef>

namespace photofinish::proxy {
namespace {

constexpr std::string_view binding_beta = "thinking-binding-controls-2026-08-01";
constexpr std::string_view fast_beta = "fast-mode-";
constexpr std::string_view newest_fast_beta = "fast-mode-2026-02-01";

// Returns the name that the cloud uses for one of Anthropic's beta features. Returns an empty view if the cloud does
// not accept the feature.
std::string_view name_there(const cloud_facts& cloud, std::string_view asked) {
  if (cloud.takes_all_betas) return contains(cloud.refused_betas, asked) ? std::string_view{} : asked;
  const auto known = cloud.betas.find(asked);
  return known == cloud.betas.end() ? std::string_view{} : std::string_view(known->second);
}

void add_once(std::string_view name, std::vector<std::string>& names) {
  if (!name.empty() && !contains(names, name)) names.emplace_back(name);
}

// Adds the beta features in a header value to the plan, under the names that the cloud uses for them. Returns the names
// of all features in the header value.
std::vector<std::string_view> add_betas(std::string_view list, bool is_filtered, const model_facts& model,
                                        claude_plan& plan) {
  std::vector<std::string_view> asked;
  for (std::string_view each; next_list_member(list, each);) {
    if (each.empty()) continue;
    asked.push_back(each);
    const bool is_too_fast = each.starts_with(fast_beta) && !model.match.empty() && !model.takes_fast;
    const std::string_view there = !is_filtered ? each : is_too_fast ? "" : name_there(*plan.cloud, each);
    plan.has_lost_beta |= there.empty();
    add_once(there, plan.betas);
  }
  return asked;
}

// Finds the request members that must be removed, because they need beta features that the cloud does not accept.
void find_lost_members(const std::vector<std::string_view>& asked, claude_plan& plan) {
  const auto is_kept = [&plan](std::string_view member) {
    return std::any_of(plan.betas.begin(), plan.betas.end(),
                       [member](const std::string& beta) { return contains(members_of_beta(beta), member); });
  };
  for (const std::string_view beta : asked)
    for (const std::string& member : members_of_beta(beta))
      if (!is_kept(member) && !contains(plan.lost_members, member)) plan.lost_members.push_back(member);
}

// True if the model should be asked to ignore thinking blocks that do not fit the conversation. Some models refuse
// thinking blocks if the conversation before them has changed. The conversation changes if another target answers a
// turn, if tools are renamed, or if the client shortens its history.
bool may_bind(const attempt_request& request) {
  const std::string_view thinking = request.body->value_of("thinking");
  const object_members members(json_is_object(thinking) ? thinking : std::string_view("{}"));
  if (!members["block_binding"].empty() || request.reasoning == reasoning_items::left_out) return false;
  const std::string_view type = members.word("type");
  const bool is_off = type == "disabled" || type == "between_tools";
  if (is_off && !facts_of(model_at(request.target, request.model)).thinking.is_always_on) return false;
  if (contains(request.target.behaves.drop_params, "thinking")) return false;
  return brings_thinking(*request.body);
}

sent_tier tier_of(const attempt_request& request) {
  const bool asks_for_speed = request.body->value_of("speed") == R"("fast")";
  if (!asks_for_speed && !request.tier) return {};
  return tier_for_model(request.target, request.model, asks_for_speed ? "fast" : "", request.tier);
}

// A path that selects the members to remove. `list[word]` selects all elements of the list whose type begins with the
// word. `list[].member` selects this member in every element of the list.
struct lost_place {
  std::string_view top;   // the name of the body's top-level member in which the path begins
  std::string_view type;  // the word of a path `list[word]`, with which removed elements' types begin; otherwise empty
  std::string_view rest;  // the path below the top-level member; [] stands for every element of a list
};

lost_place place_of_path(std::string_view path) {
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  lost_place place{path.substr(0, end), {}, path.substr(end)};
  if (!place.rest.starts_with('[') || place.rest.starts_with("[]")) return place;
  place.type = place.rest.substr(1, place.rest.size() - 2);
  place.rest = {};
  return place;
}

class member_removal {
 public:
  member_removal(const std::vector<std::string_view>& paths, json_edits& edits, std::string_view except)
      : edits_(edits), except_(except) {
    for (const std::string_view path : paths) all_.emplace_back(place_of_path(path), path);
  }

  // Removes the parts of this body member that the paths in all_ select. Returns the paths that matched.
  std::vector<std::string_view> remove_in(const json_member& member) {
    std::vector<std::string_view> found;
    for (const auto& [place, path] : all_) {
      if (!json_key_is(member.raw_key, place.top)) continue;
      if (place.type.empty() && place.rest.empty()) return edits_.remove_member(member), std::vector{path};
      const bool is_found = !place.type.empty()              ? remove_elements(member.value, place.type)
                            : place.rest.starts_with("[]") ? remove_in_elements(member.value, place)
                                                           : remove_nested(place.rest, member.value, edits_);
      if (is_found) found.push_back(path);
    }
    return found;
  }

 private:
  bool remove_elements(std::string_view list, std::string_view type) {
    element_removal kept(edits_);
    for (const std::string_view each : json_elements(list)) {
      if (object_members(each).word("type").starts_with(type)) kept.remove(each);
      else kept.keep(each);
    }
    kept.finish();
    return kept.removed() > 0;
  }

  bool remove_in_elements(std::string_view list, const lost_place& place) {
    bool is_found = false;
    for (const std::string_view each : json_elements(list))
      if (each.data() != except_.data() && !goes(each, place.top))
        is_found |= remove_nested(place.rest.substr(2), each, edits_);
    return is_found;
  }

  bool goes(std::string_view element, std::string_view top) const {
    const std::string_view type = json_raw_string(json_find(element, "type").value_or(""));
    return std::any_of(all_.begin(), all_.end(), [&](const auto& each) {
      return each.first.top == top && !each.first.type.empty() && type.starts_with(each.first.type);
    });
  }

  std::vector<std::pair<lost_place, std::string_view>> all_;
  json_edits& edits_;
  std::string_view except_;
};

}  // namespace

std::string_view header_value(std::span<const std::pair<std::string, std::string>> among, std::string_view name) {
  for (const auto& [each, value] : among)
    if (equals_ignoring_case(each, name)) return value;
  return {};
}

std::string claude_plan::header() const {
  std::string list;
  for (const std::string& each : betas) list.append(list.empty() ? "" : ",").append(each);
  return list;
}

bool is_at_anthropic(const provider& target) {
  return target.preset == "anthropic" || target.url.host.ends_with(".anthropic.com");
}

claude_plan plan_for_claude(const attempt_request& request, std::string_view cloud) {
  claude_plan plan;
  plan.is_at_anthropic = is_at_anthropic(request.target);
  plan.cloud = &cloud_facts_of(cloud, &request.target);
  const model_facts& model = facts_of(model_at(request.target, request.model));
  // Beta features that the operator has configured are sent even if the gateway's table does not list them, because the
  // table may be outdated. Bedrock is an exception: for Bedrock, the gateway sends only beta features that the table
  // lists.
  add_betas(header_value(request.target.headers, betas_field), cloud == "bedrock", model, plan);
  find_lost_members(add_betas(header_value(request.forwarded, betas_field), true, model, plan), plan);
  const sent_tier tier = tier_of(request);
  plan.is_fast = tier.tier == price_tier::fast;
  plan.has_lost_tier = tier.is_lost && request.tier;
  if (plan.is_fast) add_once(name_there(*plan.cloud, newest_fast_beta), plan.betas);
  plan.binds_thinking = model.thinking.is_bound && cloud != "azure" && !name_there(*plan.cloud, binding_beta).empty() &&
                        may_bind(request);
  if (plan.binds_thinking) add_once(binding_beta, plan.betas);
  return plan;
}

std::vector<std::string_view> remove_members(const std::vector<std::string_view>& paths, const json_member& in,
                                             json_edits& edits, std::string_view except) {
  return paths.empty() ? std::vector<std::string_view>{} : member_removal(paths, edits, except).remove_in(in);
}

bool has_tool_of(const std::vector<std::string>& types, const client_body& body) {
  if (types.empty()) return false;
  for (const std::string_view each : json_elements(body.value_of("tools"))) {
    const std::string_view type = json_raw_string(json_find(each, "type").value_or(""));
    if (std::any_of(types.begin(), types.end(), [type](const std::string& known) { return type.starts_with(known); }))
      return true;
  }
  return false;
}

std::string_view refused_by_cloud(const cloud_facts& cloud, const client_body& body) {
  for (const std::string& each : cloud.reject_params)
    if (is_meaningful(each, body.value_of(each))) return each;
  return has_tool_of(cloud.hosted_tools, body) ? "tools" : std::string_view{};
}

bool refuses_choice(const model_facts& model, const client_body& body, const provider& target) {
  if (model.takes_forced_calls || contains(target.behaves.drop_params, "tool_choice")) return false;
  const std::string_view choice = body.value_of("tool_choice");
  if (!json_is_object(choice)) return false;
  const std::string_view type = object_members(choice).word("type");
  return type == "any" || type == "tool";
}

}  // namespace photofinish::proxy
