#include "gateway/limits/limit_account.hpp"

#include "gateway/limits/budget_window.hpp"

namespace photofinish::gateway {

void limit_account::turn_window(const budget_period& every, std::chrono::sys_seconds now) {
  const bool is_first = window_ends_.time_since_epoch().count() == 0;
  if (!is_first && now >= window_ends_)
    spent_before_.store(spent_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  else if (!is_first && every == every_)
    return;
  window_ends_ = window_end(every, now);
  every_ = every;
}

// A step of a sixteenth. Two workers at once may lose one of two: a mean does not need each.
void limit_account::note_answer(std::uint64_t length) {
  constexpr std::int64_t weight = 16, longest = 1'000'000;
  const std::int64_t seen = static_cast<std::int64_t>(std::min<std::uint64_t>(length, longest));
  const std::int64_t before = usual_answer_.load(std::memory_order_relaxed);
  const std::int64_t step = (seen - before) / weight;
  const std::int64_t least = seen > before ? 1 : seen < before ? -1 : 0;  // small differences count as well
  usual_answer_.store(static_cast<std::uint32_t>(before + (step != 0 ? step : least)), std::memory_order_relaxed);
}

}  // namespace photofinish::gateway
