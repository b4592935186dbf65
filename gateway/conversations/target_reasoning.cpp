#include "gateway/conversations/target_reasoning.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace photofinish::gateway {
namespace {

// The maximum number of pieces of reasoning that are stored. It is equal to the limit for one recorded answer.
constexpr std::size_t most_noted = 1000;

bool is_claude(const reasoning_maker& each) { return each.target.model.find("claude") != std::string::npos; }

}  // namespace

bool target_reasoning::contains(std::string_view opaque) {
  const std::uint64_t id = makers_.id_of(opaque);
  if (makers_.is_refused(owner_, id, target_.target.provider, now_)) return true;
  const std::optional<reasoning_maker> made_by = makers_.find(owner_, id, now_);
  const bool is_own = made_by && is_same_account(*made_by);
  // True if targets with other accounts can also read the reasoning. Anthropic, Bedrock, Vertex and Azure accept each
  // other's signatures of Claude. All other reasoning can be read only with the account for which it was made. This
  // includes the JSON pieces of providers with the chat format (see proxy::chat_member_reader).
  const bool is_shared = made_by && is_claude(*made_by) && is_claude(target_) && !opaque.starts_with('{');
  if (made_by && !is_own && !is_shared) return true;
  std::vector<std::uint64_t>& sent = is_own ? own_ : doubtful_;
  if (sent.size() < most_noted) sent.push_back(id);
  return false;
}

bool target_reasoning::is_own(std::string_view opaque) {
  const std::optional<reasoning_maker> made_by = makers_.find(owner_, makers_.id_of(opaque), now_);
  return made_by && is_same_account(*made_by);
}

// If the target made all pieces of reasoning itself, the refusal applies to all of them. Perhaps the provider's account
// has changed, or the client has changed a piece.
void target_reasoning::note_refusal(proxy::memory_budget::account account) {
  for (const std::uint64_t id : doubtful_.empty() ? own_ : doubtful_)
    makers_.note_refusal(owner_, account, id, target_.target.provider, now_);
}

bool target_reasoning::is_same_account(const reasoning_maker& other) const {
  const bool has_same_key = target_.account != 0 && target_.account == other.account;
  return target_.target.provider == other.target.provider || has_same_key;
}

}  // namespace photofinish::gateway
