#include "racing/adaptive_planner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace photofinish::racing {
namespace {

std::chrono::milliseconds to_milliseconds(double seconds) {
  constexpr double longest = 86'400;
  return std::chrono::milliseconds(std::llround(std::clamp(seconds, 0.0, longest) * 1'000));
}

}  // namespace

void apply_choice(const adaptive_choice& choice, std::span<const std::size_t> candidates,
                  std::span<const std::size_t> others, std::optional<std::size_t> max_attempts, planned_race& planned) {
  race_plan& plan = planned.plan;
  plan.policy = race_policy::adaptive;
  planned.chosen.clear();
  plan.finishes_prefill = 0;
  const auto add = [&](std::size_t row) {
    const std::size_t place = planned.chosen.size();
    if (place < 64) plan.finishes_prefill |= static_cast<std::uint64_t>(choice.finishes_prefill >> row & 1) << place;
    planned.chosen.push_back(candidates[row]);
  };
  const bool has_probe = choice.probe && plan.max_parallel > 1 && choice.count > 0;
  plan.at_once = has_probe ? 2 : 1;
  if (has_probe) plan.probe = 1;
  plan.hedge_count = 0;
  const std::size_t hedges = choice.is_hedge_twin ? 0 : choice.third_after ? 2 : choice.hedge_after ? 1 : 0;
  plan.is_hedge_twin = choice.is_hedge_twin && choice.hedge_after && plan.max_parallel > 1;
  if (plan.is_hedge_twin) plan.hedge_after[plan.hedge_count++] = to_milliseconds(*choice.hedge_after);
  plan.is_rescue_twin = choice.is_rescue_twin && choice.rescue_after;
  for (std::size_t place = 0; place < choice.count; ++place) {
    const std::size_t row = choice.order[place];
    if (place == 1 && has_probe) add(*choice.probe);
    if (has_probe && row == *choice.probe && place > 0) continue;  // already running
    add(row);
    if (place == 0 || place > hedges || plan.max_parallel < 2) continue;
    plan.hedge_after[plan.hedge_count++] = to_milliseconds(place == 1 ? *choice.hedge_after : *choice.third_after);
  }
  if (has_probe && choice.count == 1) add(*choice.probe);
  planned.chosen.insert(planned.chosen.end(), others.begin(), others.end());
  plan.rescue_only_from = planned.chosen.size();
  if (choice.rescue_after) {
    plan.rescue_after = std::max(to_milliseconds(*choice.rescue_after), std::chrono::milliseconds{1});
    for (std::size_t place = 0; place < choice.count; ++place) add(choice.order[place]);
  }
  plan.target_count = planned.chosen.size();
  plan.max_attempts = max_attempts.value_or(planned.chosen.size() + plan.twins());
}

}  // namespace photofinish::racing
