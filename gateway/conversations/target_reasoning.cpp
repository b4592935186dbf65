#include "gateway/conversations/target_reasoning.hpp"

#include "proxy/providers/model_facts.hpp"

#include <cstdint>
#include <optional>

namespace photofinish::gateway {
namespace {

bool is_claude(const reasoning_maker& each) { return !proxy::facts_of(each.target.model).match.empty(); }

}  // namespace

bool target_reasoning::contains(std::string_view opaque) {
  const std::optional<reasoning_maker> made_by = makers_.find(owner_, makers_.id_of(opaque), now_);
  if (!made_by || is_same_account(*made_by)) return false;
  // Anthropic, Bedrock, Vertex and Azure read each other's signatures of Claude. Otherwise the account counts.
  return !(is_claude(*made_by) && is_claude(target_));
}

bool target_reasoning::is_same_account(const reasoning_maker& other) const {
  const bool has_same_key = target_.account != 0 && target_.account == other.account;
  return target_.target.provider == other.target.provider || has_same_key;
}

}  // namespace photofinish::gateway
