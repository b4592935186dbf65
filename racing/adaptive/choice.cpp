#include "racing/adaptive/choice.hpp"

#include "racing/adaptive/choice_terms.hpp"
#include "racing/adaptive/request_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace photofinish::racing {
namespace {

constexpr std::uint64_t few_samples = 5;
// The minimum time between two trials of a target with few samples if the budget for probes cannot pay for them. This
// time applies to trials that cost no more than usual.
constexpr double unknown_seconds = 1;
constexpr double cold_delay = 0.3;  // hedge delay in seconds if the first target was never measured
// If the route has no budget for probes, this share of its requests begins with the target that was started longest
// ago.
constexpr double stalest_share = 0.01;
// The number of uncached tokens from which a prompt counts as long. A target reads a shorter prompt as fast as it looks
// up its cache.
constexpr double long_prefill = 4'000;
constexpr double likely_hit = 0.5;
// The first target counts as the best if its expected number of cached tokens is at least this share of the highest
// number. Several targets may have cached nearly the same part of a prompt, for example because the winner answered
// late, or because a loser finished reading the prompt.
constexpr double nearly_warmest = 0.9;
// If the share of a target's attempts that fail or hang exceeds this value, a second attempt at this target is not
// worthwhile.
constexpr double sound_share = 0.15;

struct best_choice {
  double value = std::numeric_limits<double>::infinity();
  std::size_t first = 0, second = 0, third = 0;  // the targets of the first, second and third attempts
  std::size_t delay = 0, third_share = 0;
  bool is_hedged = false, has_third = false;
};

// The predictions for pairs of targets. They come from the request's own table if there is one, and otherwise from the
// route's table.
struct compared_pairs {
  const choice_table& table;
  const request_table* own = nullptr;

  std::size_t places() const { return own ? own->places() : table.paired(); }
  std::size_t row_of(std::size_t place) const { return own ? own->row_of(place) : table.row_of(place); }
  const pair_cell& pair(std::size_t first, std::size_t second, std::size_t delay) const {
    return own ? own->pair(first, second, delay) : table.pair(first, second, delay);
  }
  bool is_cold(std::size_t place) const { return table.rows()[row_of(place)].known.samples < few_samples; }
};

// Returns the value of a second attempt at the same target. The second attempt saves no time if the first attempt ends
// with an error, because the race then starts another target anyway.
double twin_value(const choice_terms& terms, const pair_cell& cell, const row_terms& i) {
  const double works = 1 - i.error;
  const double gain = works * std::max(0.0, i.alone_answering - static_cast<double>(cell.first_token));
  const double started = static_cast<double>(cell.second_wins) + static_cast<double>(cell.first_wins_late);
  return i.alone - works * gain + i.extra + terms.price * works * started * i.loss;
}

double hedged_value(const choice_terms& terms, const pair_cell& cell, const row_terms& i, const row_terms& j) {
  const double works = 1 - j.error;
  const double gain = std::max(0.0, i.alone_answering - static_cast<double>(cell.first_token));
  const double token = i.alone_answering - works * gain;
  const double wins = works * static_cast<double>(cell.second_wins);
  const double j_part = i.error + (1 - i.error) * wins;
  double value = i.error * (error_seconds + j.alone) + (1 - i.error) * token;
  value += (1 - j_part) * i.extra + j_part * j.extra;
  const double late = static_cast<double>(cell.first_wins_late) + static_cast<double>(cell.second_wins) - wins;
  double cost = (1 - i.error) * (wins * i.loss + late * j.loss);
  if (terms.counts_dearer) cost += j_part * std::max(0.0, j.win - i.win);
  return value + terms.price * cost;
}

void consider_pairs(const compared_pairs& pairs, const choice_terms& terms, std::size_t first, bool may_twin,
                    best_choice& best) {
  const row_terms& i = terms.rows[pairs.row_of(first)];
  const bool is_cold = pairs.is_cold(first);
  for (std::size_t second = 0; second < pairs.places(); ++second) {
    const row_terms& j = terms.rows[pairs.row_of(second)];
    if (!j.is_usable || (second == first && (!pairs.own || !may_twin || is_cold))) continue;
    for (std::size_t delay = 0; delay < hedge_shares.size(); ++delay) {
      if (is_cold && delay != cold_place) continue;
      const pair_cell& cell = pairs.pair(first, second, delay);
      const double value = second == first ? twin_value(terms, cell, i) : hedged_value(terms, cell, i, j);
      if (value < best.value) best = {value, first, second, 0, delay, 0, true, false};
    }
  }
}

// Adds a third attempt to a pair of attempts if it saves more time than it costs.
void consider_thirds(const choice_table& table, const choice_terms& terms, best_choice& best) {
  if (!best.is_hedged || best.delay >= third_delays) return;
  if (best.first >= table.third_places() || best.second >= table.third_places()) return;
  const double pair_token = static_cast<double>(table.pair(best.first, best.second, best.delay).first_token);
  const row_terms& i = terms.rows[table.row_of(best.first)];
  const row_terms& j = terms.rows[table.row_of(best.second)];
  double most = 0;
  for (std::size_t place = 0; place < table.third_places(); ++place) {
    const row_terms& k = terms.rows[table.row_of(place)];
    if (place == best.first || place == best.second || !k.is_usable) continue;
    for (std::size_t share = 0; share < third_shares.size(); ++share) {
      const third_cell& cell = table.third(best.first, best.second, best.delay, place, share);
      const double wins = static_cast<double>(cell.third_wins) * (1 - k.error);
      const double gain = (1 - i.error) * (1 - k.error) * (pair_token - static_cast<double>(cell.first_token));
      const double cost = wins * std::max(i.loss, j.loss) + (static_cast<double>(cell.starts) - wins) * k.loss;
      const double net = gain - wins * std::max(0.0, k.extra - std::max(i.extra, j.extra)) - terms.price * cost;
      if (net <= most) continue;
      most = net;
      best.has_third = true, best.third = place, best.third_share = share;
    }
  }
  best.value -= most;
}

// Returns the best choice that begins with the target `first`. If this target has not been measured yet, the hedge
// starts after a fixed delay.
best_choice best_with(const compared_pairs& pairs, const choice_terms& terms, std::size_t first,
                      const choice_request& request) {
  const std::size_t row = pairs.row_of(first);
  const bool is_cold = pairs.is_cold(first);
  const best_choice alone{terms.rows[row].value, first, 0, 0, 0, 0, false, false};
  if (!request.may_hedge) return alone;
  best_choice hedged;
  consider_pairs(pairs, terms, first, request.twin_hedges, hedged);
  if (!hedged.is_hedged || (!is_cold && hedged.value >= alone.value)) return alone;
  if (is_cold) hedged.value = alone.value;
  return hedged;
}

best_choice find_best(const compared_pairs& pairs, const choice_terms& terms, const choice_request& request) {
  best_choice best;
  for (std::size_t first = 0; first < pairs.places(); ++first) {
    const std::size_t row = pairs.row_of(first);
    if (!terms.rows[row].is_usable || (terms.fixed_first && *terms.fixed_first != row)) continue;
    const best_choice each = best_with(pairs, terms, first, request);
    if (each.value < best.value) best = each;
  }
  if (request.may_hedge_twice && !pairs.own && pairs.table.has_thirds()) consider_thirds(pairs.table, terms, best);
  return best;
}

void append_rest(const choice_terms& terms, adaptive_choice& made) {
  std::array<bool, max_rows> is_in{};
  for (std::size_t k = 0; k < made.count; ++k) is_in[made.order[k]] = true;
  const std::size_t head = made.count;
  for (std::size_t row = 0; row < terms.count; ++row)
    if (terms.rows[row].is_usable && !is_in[row]) made.order[made.count++] = static_cast<std::uint8_t>(row);
  std::sort(made.order.begin() + static_cast<std::ptrdiff_t>(head),
            made.order.begin() + static_cast<std::ptrdiff_t>(made.count), [&](std::uint8_t a, std::uint8_t b) {
              const double left = terms.rows[a].rank, right = terms.rows[b].rank;
              return left < right || (left == right && a < b);
            });
}

void put_first(adaptive_choice& made, std::uint8_t row) {
  const auto end = made.order.begin() + static_cast<std::ptrdiff_t>(made.count);
  const auto at = std::find(made.order.begin(), end, row);
  if (at != end) std::rotate(made.order.begin(), at, at + 1);
}

// Finds a target with few samples that is due for a trial, if the budget for probes cannot pay for one. Such trials are
// necessary: after one long wait among its first samples, a target would otherwise get no requests. No budget pays for
// these trials. Therefore, the more expensive a target is, the longer its trial is delayed, and the fewer requests make
// it.
std::optional<std::uint8_t> unknown_target_due(const choice_table& table, std::span<const target_now> targets,
                                               const choice_request& request, const choice_terms& terms,
                                               std::uint8_t first) {
  std::optional<std::uint8_t> due;
  if (!request.follows_cache || !request.may_hedge || terms.fixed_first) return due;
  double longest = unknown_seconds;
  for (std::size_t row = 0; row < terms.count; ++row) {
    const row_terms& each = terms.rows[row];
    const table_row& known = table.rows()[row];
    if (row == first || !each.is_usable || !targets[row].has_headroom) continue;
    if (request.probe_stock >= each.loss) continue;
    if (known.known.samples >= few_samples || each.error + known.known.hang_share > failing_share) continue;
    const double rarity = dearness(each, request);
    if (request.draw * rarity >= 1) continue;
    const double waited = targets[row].idle_seconds / rarity;
    if (!(waited > longest)) continue;
    longest = waited;
    due = static_cast<std::uint8_t>(row);
  }
  return due;
}

// If a target with few samples is due for a trial, begins with this target. The previous first choice becomes the
// hedge.
void begin_with_unknown(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                        const choice_terms& terms, adaptive_choice& made) {
  const auto due = unknown_target_due(table, targets, request, terms, made.order[0]);
  if (!due) return;
  put_first(made, *due);
  made.hedge_after = cold_delay;
  made.hedge_share = hedge_shares[cold_place];
  made.is_hedge_twin = false;
  made.third_after.reset();
  made.value = made.value_unhedged = terms.rows[*due].value;
  made.first_token = terms.rows[*due].alone;
}

// Tries a target whose last answers were generated slowly. If a hedge wins such a race, the race does not show how fast
// the target is now. Therefore no hedge starts unless the target is silent for too long.
void try_slow_speaker(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                      const choice_terms& terms, adaptive_choice& made) {
  const auto due = slow_speaker_due(table, targets, request, terms, made.order[0]);
  if (!due) return;
  put_first(made, *due);
  made.is_speed_trial = true;
  made.hedge_after.reset(), made.third_after.reset(), made.probe.reset();
  made.is_hedge_twin = false;
  made.hedge_share = 0;
  made.why_probe = probe_cause::none;
  made.value = made.value_unhedged = terms.rows[*due].value;
  made.first_token = terms.rows[*due].alone;
}

void set_hedges(const compared_pairs& pairs, const choice_terms& terms, const best_choice& best,
                adaptive_choice& made) {
  const choice_table& table = pairs.table;
  const std::size_t first = pairs.row_of(best.first);
  const double stretch = terms.rows[first].stretch;
  made.is_hedge_twin = best.first == best.second;
  if (!made.is_hedge_twin) made.order[made.count++] = static_cast<std::uint8_t>(pairs.row_of(best.second));
  if (pairs.is_cold(best.first)) made.hedge_after = cold_delay;
  else if (pairs.own) made.hedge_after = pairs.own->delay(best.first, best.delay);
  else made.hedge_after = table.rows()[first].delays[best.delay] * stretch;
  made.hedge_share = hedge_shares[best.delay];
  if (!best.has_third) return;
  made.order[made.count++] = static_cast<std::uint8_t>(table.row_of(best.third));
  const third_cell& cell = table.third(best.first, best.second, best.delay, best.third, best.third_share);
  made.third_after = std::max(*made.hedge_after, static_cast<double>(cell.after) * stretch);
}

bool is_failing(const table_row& row, const row_terms& terms, double share) {
  return terms.error + row.known.hang_share > share;
}

move_cause cause_of_move(const choice_table& table, std::span<const target_now> targets, const choice_terms& terms,
                         std::size_t warm, bool is_trial) {
  const target_now& target = targets[warm];
  if (is_trial) return move_cause::trial;
  if (target.state == target_state::limited || !target.has_headroom) return move_cause::limited;
  if (target.state == target_state::cooling || is_failing(table.rows()[warm], terms.rows[warm], failing_share))
    return move_cause::failing;
  return target.match.hit_chance < likely_hit ? move_cause::expired : move_cause::slower;
}

// Notes which target has the prompt cached, why the request does not start there, and which losers without a cached
// prompt continue until their target has read it.
void note_caches(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                 const choice_terms& terms, bool is_trial, adaptive_choice& made) {
  if (!request.follows_cache || made.count == 0) return;
  made.follows_cache = true;
  double most = 0;
  for (std::size_t row = 0; row < terms.count; ++row) {
    const target_now& target = targets[row];
    if (target.state == target_state::out) continue;
    const double uncached = target.input_tokens - target.match.expected();
    if (request.finish_prefill && target.bills_cut_input && uncached > long_prefill)
      made.finishes_prefill |= std::uint32_t{1} << row;
    if (!(target.match.expected() > most)) continue;
    most = target.match.expected();
    made.warm = static_cast<std::uint8_t>(row);
  }
  const std::size_t first = made.order[0];
  if (made.warm && targets[first].match.expected() >= nearly_warmest * most) made.warm = made.order[0];
  made.is_rescue_twin = terms.has_match && request.twin_hedges && !made.hedge_after && made.rescue_after &&
                        !is_failing(table.rows()[first], terms.rows[first], sound_share);
  if (!made.warm || made.is_warm_first()) return;
  made.moved = cause_of_move(table, targets, terms, *made.warm, is_trial);
  made.move_cost = std::max(0.0, terms.rows[first].win - terms.rows[*made.warm].win);
}

// Decides at random whether this request begins with the target that was started longest ago. This is for routes
// without a budget for probes. Only a small share of their requests begins so. The more expensive the target is, the
// smaller the share is.
bool begins_with_stalest(const choice_request& request, const choice_terms& terms, std::uint8_t stalest) {
  return request.draw * dearness(terms.rows[stalest], request) < stalest_share;
}

// Chooses the targets of the race. Does not consider trials of a target's speed, rescues, or prompt caches. Returns
// false if no target may run.
bool choose_pair(const compared_pairs& pairs, const choice_terms& terms, const choice_request& request,
                 adaptive_choice& made) {
  const best_choice best = find_best(pairs, terms, request);
  if (!(best.value < std::numeric_limits<double>::infinity())) return false;
  const std::size_t first = pairs.row_of(best.first);
  made.order[made.count++] = static_cast<std::uint8_t>(first);
  made.value = best.value;
  made.value_unhedged = terms.rows[first].value;
  made.first_token = best.is_hedged ? static_cast<double>(pairs.pair(best.first, best.second, best.delay).first_token)
                                    : terms.rows[first].alone;
  if (best.is_hedged) set_hedges(pairs, terms, best, made);
  return true;
}

bool choose_pair_of_request(const choice_table& table, std::span<const target_now> targets,
                            const choice_terms& terms, const choice_request& request, adaptive_choice& made) {
  const request_table own(table, targets, terms, request.may_hedge);
  return choose_pair({table, &own}, terms, request, made);
}

}  // namespace

void expect_hits(std::span<const table_row> rows, std::span<target_now> targets) {
  for (std::size_t row = 0; row < std::min(rows.size(), targets.size()); ++row) {
    target_now& target = targets[row];
    if (!target.match.exists()) continue;
    target.match.hit_chance = rows[row].known.hits.chance(target.match.age_seconds, target.match.prior);
    const double saved = std::max(0.0, target.saved_per_token) * target.match.expected();
    target.win_cost = std::max(0.0, target.win_cost - saved);
    target.loss_cost = std::max(0.0, target.loss_cost - saved);
  }
}

adaptive_choice choose(const choice_table& table, std::span<const target_now> targets,
                       const choice_request& request) {
  const choice_terms terms = make_terms(table, targets, request);
  adaptive_choice made;
  const bool is_paired = terms.has_match ? choose_pair_of_request(table, targets, terms, request, made)
                                         : choose_pair({table}, terms, request, made);
  append_rest(terms, made);
  if (!is_paired) {  // determines the order of the targets that can run
    if (made.count > 0) made.rescue_after = rescue_after(table, targets, terms, made);
    note_caches(table, targets, request, terms, false, made);
    return made;
  }
  const std::uint8_t first = made.order[0];
  if (request.may_explore) choose_probe(table, targets, request, terms, made);
  if (request.may_explore && !request.may_hedge) {
    const auto stalest = stalest_row(targets, terms);
    if (stalest && begins_with_stalest(request, terms, *stalest)) put_first(made, *stalest);
  }
  if (request.may_explore) begin_with_unknown(table, targets, request, terms, made);
  if (request.may_explore) try_slow_speaker(table, targets, request, terms, made);
  made.rescue_after = rescue_after(table, targets, terms, made);
  note_caches(table, targets, request, terms, made.order[0] != first, made);
  return made;
}

adaptive_choice order_by(const choice_table& table, std::span<const target_now> targets,
                         const choice_request& request) {
  const choice_terms terms = make_terms(table, targets, request);
  adaptive_choice made;
  append_rest(terms, made);
  if (terms.fixed_first) put_first(made, static_cast<std::uint8_t>(*terms.fixed_first));
  note_caches(table, targets, request, terms, false, made);
  return made;
}

double automatic_delay(const choice_table& table, std::size_t row, const target_now& target) {
  // All times are in seconds. The delay is at least `least`, because a shorter delay would start the hedge together
  // with the first target.
  constexpr double late = 0.05, least = 0.1;
  const table_row& each = table.rows()[row];
  const double usual = std::exp(each.known.level + each.known.shape.quantile(late));
  const double seconds = usual * each.part * stretch_of(each, target);
  return std::max(seconds, least);
}

double predicted_first_token(std::span<const table_row> rows, std::span<const target_now> targets,
                             const adaptive_choice& choice, double silent) {
  if (choice.count == 0) return 0;
  const auto of_row = [&](std::size_t row, double seconds) {
    return silent_share(rows[row], targets[row], seconds);
  };
  const auto at = [&](std::size_t place, double after, double seconds) {
    return of_row(choice.order[place], seconds - after);
  };
  double low = 0, high = static_cast<double>(grid_times().back());
  for (int step = 0; step < 24; ++step) {
    const double middle = 0.5 * (low + high);
    double alive = at(0, 0, middle);
    if (choice.hedge_after) alive *= of_row(choice.hedge_row(), middle - *choice.hedge_after);
    if (choice.third_after) alive *= at(2, *choice.third_after, middle);
    if (choice.probe) alive *= of_row(*choice.probe, middle);
    (alive > silent ? low : high) = middle;
  }
  return high;
}

}  // namespace photofinish::racing
