#include "racing/adaptive/deadline_rule.hpp"

#include "racing/adaptive/choice_terms.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace photofinish::racing {
namespace {

constexpr double safe_miss = 0.02;     // accepted probability that both the first attempt and its hedge miss the
                                       // deadline
constexpr double shared_luck = 0.35;   // if an attempt is delayed, this share of the delay also affects a second
                                       // attempt at the same target

// Returns the probability that an attempt at this target misses the deadline if the attempt starts after `delay`.
double misses(const table_row& row, const target_now& target, const choice_request& request, double seconds,
              double delay) {
  const double decode = request.sort == target_sort::finish
                            ? request.output_tokens * decode_seconds_per_token(row.known, target.in_flight + 1)
                            : 0;
  const double left = seconds - delay - decode;
  if (!(left > 0)) return 1;
  const double error = std::clamp(target.error_share.value_or(row.known.error_share), 0.0, 1.0);
  return error + (1 - error) * std::clamp(silent_share(row, target, left), 0.0, 1.0);
}

// Returns how many seconds before the deadline a hedge must start at the latest. The probability that both attempts
// miss the deadline is then at most `most`. Returns nothing if even an immediate hedge would be too late.
template <class Miss>
std::optional<double> latest_start(double seconds, double most, Miss miss) {
  if (miss(seconds) > most) return std::nullopt;
  double safe = 0, late = seconds;
  for (int step = 0; step < 12; ++step) {
    const double middle = 0.5 * (safe + late);
    (miss(seconds - middle) <= most ? safe : late) = middle;
  }
  return safe;
}

// Plans the hedge if some target has cached the prompt. Plans at most one hedge, at the cheapest target with which the
// deadline is safe, and starts it as late as possible. Returns true if the probability of meeting the deadline is then
// high enough.
bool plan_latest_hedge(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                       double seconds, adaptive_choice& made) {
  const auto miss_of = [&](std::size_t row, double left) {
    return misses(table.rows()[row], targets[row], request, seconds, seconds - left);
  };
  const std::uint8_t first = made.order[0];
  const double alone = miss_of(first, seconds);
  adaptive_choice planned = made;
  planned.hedge_after.reset(), planned.third_after.reset();
  planned.is_hedge_twin = false;
  planned.hedge_share = 0;
  planned.deadline_chance = 1 - alone;
  const auto end = planned.order.begin() + static_cast<std::ptrdiff_t>(planned.count);
  const auto is_cheaper = [&](std::uint8_t a, std::uint8_t b) { return targets[a].loss_cost < targets[b].loss_cost; };
  std::array<std::uint8_t, max_rows> cheapest = planned.order;
  std::stable_sort(cheapest.begin(), cheapest.begin() + static_cast<std::ptrdiff_t>(planned.count), is_cheaper);
  for (std::size_t k = 0; k < planned.count && alone > safe_miss && !planned.hedge_after; ++k) {
    const std::uint8_t row = cheapest[k];
    if (row == first && !request.twin_hedges) continue;
    const auto miss = [&](double left) {
      const double own = miss_of(row, left);
      return alone * (row == first ? shared_luck + (1 - shared_luck) * own : own);
    };
    planned.hedge_after = latest_start(seconds, safe_miss, miss);
    if (!planned.hedge_after) continue;
    planned.is_hedge_twin = row == first;
    planned.deadline_chance = 1 - miss(seconds - *planned.hedge_after);
    if (row == first) continue;
    const auto place = std::find(planned.order.begin() + 1, end, row);
    std::rotate(planned.order.begin() + 1, place, place + 1);
  }
  if (planned.deadline_chance < 1 - safe_miss) return false;
  if (planned.hedge_after)
    planned.hedge_share = silent_share(table.rows()[first], targets[first], *planned.hedge_after);
  made = planned;
  return true;
}

}  // namespace

void meet_deadline(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                   double seconds, std::size_t most, adaptive_choice& made) {
  made.deadline = seconds;
  if (made.count == 0) return;
  const auto rows = table.rows();
  const auto misses_of_row = [&](std::size_t row, double delay) {
    return misses(rows[row], targets[row], request, seconds, delay);
  };
  const auto misses_of = [&](std::size_t place, double delay) { return misses_of_row(made.order[place], delay); };
  double late = misses_of(0, 0);
  if (made.hedge_after) late *= misses_of_row(made.hedge_row(), *made.hedge_after);
  if (made.third_after) late *= misses_of(2, *made.third_after);
  made.deadline_chance = 1 - late;
  const bool may_hedge = request.may_hedge && most > 1;
  if (made.warm && may_hedge && plan_latest_hedge(table, targets, request, seconds, made)) return;
  if (made.deadline_chance >= likely || !request.may_hedge || made.count == 1) return;

  adaptive_choice hastened = made;
  std::array<double, max_rows> alone{};
  for (std::size_t place = 0; place < made.count; ++place) alone[made.order[place]] = misses_of(place, 0);
  const auto sooner = [&alone](std::uint8_t a, std::uint8_t b) { return alone[a] < alone[b]; };
  std::stable_sort(hastened.order.begin(), hastened.order.begin() + static_cast<std::ptrdiff_t>(made.count), sooner);
  hastened.hedge_after.reset(), hastened.third_after.reset();
  hastened.is_hedge_twin = hastened.is_rescue_twin = false;
  double product = alone[hastened.order[0]];
  for (std::size_t place = 1; place < std::min({most, made.count, std::size_t{3}}) && 1 - product < likely; ++place) {
    product *= alone[hastened.order[place]];
    (place == 1 ? hastened.hedge_after : hastened.third_after) = 0;
  }
  if (1 - product <= made.deadline_chance) return;
  hastened.hedge_share = hastened.hedge_after ? 1 : 0;
  hastened.deadline_chance = 1 - product;
  hastened.is_hastened = true;
  if (hastened.warm && !hastened.is_warm_first() && hastened.moved == move_cause::none)
    hastened.moved = move_cause::slower;
  if (hastened.probe == hastened.order[0]) return;  // the probe starts together with the first attempt anyway
  made = hastened;
}

}  // namespace photofinish::racing
