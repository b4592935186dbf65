// Finds those pieces of reasoning in a caller's conversation that a given target cannot read. It can find a piece only
// if the gateway has stored which target made the piece.
#pragma once

#include "gateway/access/caller_digest.hpp"
#include "gateway/conversations/reasoning_makers.hpp"
#include "proxy/dialects/foreign_reasoning.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/memory/memory_budget.hpp"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class target_reasoning final : public proxy::foreign_reasoning {
 public:
  // `makers` must outlive this object.
  target_reasoning(reasoning_makers& makers, const digest& owner, reasoning_maker target, proxy::instant now)
      : makers_(makers), owner_(owner), target_(std::move(target)), now_(now) {}

  bool contains(std::string_view opaque) override;
  bool is_own(std::string_view opaque) override;

  // Call this function if the target has rejected the reasoning in a request. Pieces that other targets may have made
  // are then not sent to this target again. If the target made all pieces itself, no piece is sent to it again.
  void note_refusal(proxy::memory_budget::account account);

 private:
  bool is_same_account(const reasoning_maker& other) const;

  reasoning_makers& makers_;
  const digest owner_;
  const reasoning_maker target_;
  const proxy::instant now_;
  // The pieces of reasoning in the request. `own_` contains the pieces that the target made itself, and `doubtful_`
  // contains all others.
  std::vector<std::uint64_t> own_, doubtful_;
};

}  // namespace photofinish::gateway
