#include "racing/adaptive/deadline_rule.hpp"

#include "racing/adaptive/choice_terms.hpp"

#include <algorithm>
#include <array>

namespace photofinish::racing {
namespace {

// The chance that this row is too late, started after `delay`.
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
  if (hastened.probe == hastened.order[0]) return;  // it starts beside the first anyhow
  made = hastened;
}

}  // namespace photofinish::racing
