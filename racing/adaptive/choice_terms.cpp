#include "racing/adaptive/choice_terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace photofinish::racing {
namespace {

constexpr double no_headroom_seconds = 2;
constexpr double longest_silence = 3'600;
// A penalty in seconds: a target with this penalty is worse than every other target, but better than no target.
constexpr double last_choice = 1e6;

// A target that has not been started for `stale_seconds` seconds is tried again. For a slow target, this time is
// longer, by a factor of at most `most_patience`.
constexpr double stale_seconds = 6, most_patience = 4;
// The seconds until a target in a cooldown is tried again. This time is short, because a failed attempt costs nothing.
constexpr double cooling_seconds = 10;
constexpr double cold_seconds = 0.5;
constexpr std::uint64_t cold_samples = 3;
constexpr double silent_speaker_seconds = 60;
// The largest share of requests that try a slow target. It is small, because the client of such a request has to wait
// for the slow answer.
constexpr double speaker_trial_share = 0.02;
constexpr double surprise_seconds = 0.7, surprising = 1.5;
// The cost of a usual trial of a target, as a share of a usual request's cost. A more expensive trial is delayed
// longer, in proportion to its cost.
constexpr double usual_trial = 0.3;
// The expected number of further turns of a conversation, which is the same for all conversations. If this number were
// smaller, new conversations would begin at slower targets.
constexpr double turns_to_come = 8;
// The largest share of the time (`finish`) or of the money (`cost`) that a request may lose if a probe wins.
constexpr double most_loss_by_win = 0.2;

double sane(double value, double least, double most) {
  return std::isfinite(value) ? std::clamp(value, least, most) : least;
}

bool is_failing(const table_row& row, const row_terms& terms) {
  return terms.error + row.known.hang_share > failing_share;
}

// Returns how long a target takes for a prompt of `tokens` tokens, relative to the usual prompt of this size class.
double part_of(const table_row& row, double tokens) { return (1 + row.known.rho * tokens) / row.part; }

double load_of(const table_row& row, const target_now& target) {
  const double load = row.known.first_token_load.slope *
                      (sane(target.in_flight, 0, 1e6) + 1 - row.known.first_token_load.mean_load);
  return sane(load, -2, 4);
}

double hit_tokens(const target_now& target) {
  return tokens_to_read(sane(target.input_tokens, 0, 1e8), sane(target.match.tokens, 0, 1e8));
}

// Returns the mean seconds to the first token if each attempt that answers takes `stretch` times as long as usual in
// this size class. An attempt that hangs takes as long as before, because a rescue answers instead.
double stretched(const table_row& row, double stretch) {
  const double hangs = row.known.hang_share * hang_seconds;
  return hangs + std::max(0.0, row.alone - hangs) * stretch;
}

void fill_row(const table_row& row, const target_now& target, const choice_request& request, bool has_match,
              row_terms& terms) {
  terms.is_usable = target.state == target_state::ready;
  terms.error = sane(target.error_share.value_or(row.known.error_share), 0, 0.99);
  terms.stretch = stretch_of(row, target);
  terms.alone_answering = has_match ? stretched(row, terms.stretch) : row.alone;
  terms.win = sane(target.win_cost, 0, 1e12);
  terms.loss = sane(target.loss_cost, 0, 1e12);
  const double tokens = sane(request.output_tokens, 0, 1e7);
  const double per_token = sane(decode_seconds_per_token(row.known, target.in_flight + 1), 0, 60);
  terms.decode = request.sort == target_sort::finish ? tokens * per_token : 0;
  terms.extra = (has_match ? 0 : row.alone * (terms.stretch - 1)) + terms.decode +
                (target.has_headroom ? 0 : no_headroom_seconds);
  terms.per_token = per_token;
  if (request.sort == target_sort::tps) terms.rank = per_token;
}

void rank_rows(const choice_table& table, const choice_request& request, choice_terms& terms) {
  for (std::size_t row = 0; row < terms.count; ++row) {
    row_terms& each = terms.rows[row];
    if (request.sort == target_sort::listed) each.rank = static_cast<double>(row);
    else if (request.sort == target_sort::cost) each.rank = each.win;
    else if (request.sort != target_sort::tps) each.rank = each.value;
    if (is_failing(table.rows()[row], each)) each.rank += last_choice;
  }
  if (request.sort == target_sort::ttft || request.sort == target_sort::finish) return;
  for (std::size_t row = 0; row < terms.count; ++row)
    if (terms.rows[row].is_usable &&
        (!terms.fixed_first || terms.rows[row].rank < terms.rows[*terms.fixed_first].rank))
      terms.fixed_first = row;
}

// If every target is in a cooldown, lets all targets run.
void use_the_cooling_ones(std::span<const target_now> targets, const choice_request& request, choice_terms& terms) {
  if (!request.may_use_cooling) return;
  for (std::size_t row = 0; row < terms.count; ++row)
    if (terms.rows[row].is_usable) return;
  for (std::size_t row = 0; row < terms.count; ++row)
    terms.rows[row].is_usable = targets[row].state != target_state::out;
}

double patience(const table_row& row, const target_now& target, double best) {
  if (target.state == target_state::cooling) return cooling_seconds;
  if (row.known.samples < cold_samples) return cold_seconds;
  return stale_seconds * std::clamp(best > 0 ? row.alone / best : 1, 1.0, most_patience);
}

// Adds the time that the choice of a target saves or costs in further turns of the conversation, because these turns
// will probably use the same target. The cost of a move to another target counts once.
void add_turns_to_come(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                       choice_terms& terms) {
  double prefix = 0, least_alone = std::numeric_limits<double>::infinity(), least_start = least_alone;
  for (std::size_t row = 0; row < terms.count; ++row)
    if (targets[row].state != target_state::out) prefix = std::max(prefix, sane(targets[row].match.tokens, 0, 1e8));
  std::array<double, max_rows> starts{};
  for (std::size_t row = 0; row < terms.count; ++row) {
    const double missing = std::max(0.0, prefix - sane(targets[row].match.expected(), 0, 1e8));
    starts[row] = sane(targets[row].saved_per_token, 0, 1e9) * missing;
    if (!terms.rows[row].is_usable) continue;
    least_alone = std::min(least_alone, terms.rows[row].alone);
    least_start = std::min(least_start, starts[row]);
  }
  if (!std::isfinite(least_alone)) return;
  const double usual_cost = std::max(sane(request.usual_cost, 0, 1e12), 1e-12);
  const double usual_seconds = request.usual_seconds > 0 ? sane(request.usual_seconds, 0, 1e4) : least_alone;
  for (std::size_t row = 0; row < terms.count; ++row) {
    row_terms& each = terms.rows[row];
    const double tokens = tokens_to_read(sane(targets[row].input_tokens, 0, 1e8), prefix);
    const double warm = sane(part_of(table.rows()[row], tokens) * std::exp(load_of(table.rows()[row], targets[row])),
                             0.01, 100);
    const double cost = usual_seconds * std::max(0.0, starts[row] - least_start) / usual_cost / turns_to_come;
    each.extra += (stretched(table.rows()[row], warm) - each.alone_answering) * (1 - 1 / turns_to_come) +
                  std::min(cost, 0.5 * least_alone);
  }
}

}  // namespace

request_outlook outlook_of(const table_row& row, const target_now& target) {
  const double base = row.known.level + row.known.shift + load_of(row, target);
  const double tokens = sane(target.input_tokens, 0, 1e8);
  request_outlook made{sane(target.match.hit_chance, 0, 1), 0, base + std::log1p(row.known.rho * tokens)};
  if (made.hit_chance > 0) made.hit = base + std::log1p(row.known.rho * hit_tokens(target));
  return made;
}

double silent_share(const table_row& row, const target_now& target, double seconds) {
  if (!(target.match.hit_chance > 0)) return value_at(row.alive, seconds / stretch_of(row, target));
  if (!(seconds > 0)) return 1;
  const double hangs = row.known.hang_share;
  return hangs + (1 - hangs) * outlook_of(row, target).silent(row.known.shape, std::log(seconds));
}

// Returns after how many seconds `share` of the attempts are still silent, among attempts that will answer. The result
// does not include a temporary slowdown of the target.
double time_without_shift(const table_row& row, const target_now& target, double share) {
  const request_outlook outlook = outlook_of(row, target);
  double low = outlook.hit + row.known.shape.quantile(share), high = outlook.miss + row.known.shape.quantile(share);
  for (int step = 0; step < 12; ++step) {
    const double middle = 0.5 * (low + high);
    (outlook.silent(row.known.shape, middle) > share ? low : high) = middle;
  }
  return std::exp(high - row.known.shift);
}

double stretch_of(const table_row& row, const target_now& target) {
  const double tokens = sane(target.input_tokens, 0, 1e8);
  double part = part_of(row, tokens);
  if (target.match.hit_chance > 0) {
    const double chance = sane(target.match.hit_chance, 0, 1);
    part = chance * part_of(row, hit_tokens(target)) + (1 - chance) * part;
  }
  return sane(part * std::exp(load_of(row, target)), 0.01, 100);
}

choice_terms make_terms(const choice_table& table, std::span<const target_now> targets,
                        const choice_request& request) {
  choice_terms terms;
  const auto rows = table.rows();
  terms.count = std::min(rows.size(), targets.size());
  terms.price = sane(request.price, 0, 1e6) / std::max(sane(request.usual_cost, 0, 1e12), 1e-12);
  terms.counts_dearer = request.sort == target_sort::cost;
  for (std::size_t row = 0; row < terms.count && request.follows_cache; ++row)
    terms.has_match |= targets[row].match.exists() && targets[row].state != target_state::out;
  for (std::size_t row = 0; row < terms.count; ++row)
    fill_row(rows[row], targets[row], request, terms.has_match, terms.rows[row]);
  use_the_cooling_ones(targets, request, terms);
  double best = std::numeric_limits<double>::infinity(), second = best;
  for (std::size_t row = 0; row < terms.count; ++row) {
    if (!terms.rows[row].is_usable) continue;
    const double alone = terms.rows[row].alone_answering;
    if (alone < best) second = std::exchange(best, alone);
    else second = std::min(second, alone);
  }
  for (std::size_t row = 0; row < terms.count; ++row) {
    row_terms& each = terms.rows[row];
    const double other = each.alone_answering > best ? best : second;
    const double next = std::isfinite(other) ? other : each.alone_answering;
    each.alone = each.error * (error_seconds + next) + (1 - each.error) * each.alone_answering;
  }
  if (terms.has_match) add_turns_to_come(table, targets, request, terms);
  for (row_terms& each : std::span(terms.rows).first(terms.count)) each.value = each.alone + each.extra;
  rank_rows(table, request, terms);
  return terms;
}

double rescue_after(const choice_table& table, std::span<const target_now> targets, const choice_terms& terms,
                    const adaptive_choice& made) {
  const std::size_t first = made.order[0];
  const auto time_of = [&](std::size_t row, double share, double of_class) {
    if (!(targets[row].match.hit_chance > 0)) return of_class * terms.rows[row].stretch;
    return time_without_shift(table.rows()[row], targets[row], share);
  };
  const table_row& row = table.rows()[first];
  const double usual = time_of(first, 0.5, row.usual), late = time_of(first, 0.01, row.late);
  double other = usual;
  for (std::size_t k = 1; k < made.count; ++k)
    other = std::min(other, time_of(made.order[k], 0.5, table.rows()[made.order[k]].usual));
  double seconds = std::min(std::max({2 * late, 4 * usual, 2.0}), std::max(12 * std::min(usual, other), 3.0));
  if (made.count > 1) seconds += std::max(0.0, terms.rows[made.order[1]].decode - terms.rows[first].decode);
  return std::min(seconds, longest_silence);
}

double dearness(const row_terms& terms, const choice_request& request) {
  if (!request.follows_cache) return 1;
  return std::max(1.0, terms.loss / (usual_trial * std::max(sane(request.usual_cost, 0, 1e12), 1e-12)));
}

void choose_probe(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                  const choice_terms& terms, adaptive_choice& made) {
  if (!request.may_hedge) return;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < made.count; ++k) {
    const std::size_t row = made.order[k];
    best = std::min(best, terms.has_match ? table.rows()[row].alone : terms.rows[row].alone);
  }
  double longest = 1;
  for (std::size_t row = 0; row < terms.count; ++row) {
    const target_now& target = targets[row];
    if (row == made.order[0] || target.state == target_state::out || target.state == target_state::limited) continue;
    if (!target.has_headroom) continue;
    const table_row& known = table.rows()[row];
    const row_terms& first = terms.rows[made.order[0]];
    if (request.sort == target_sort::finish &&
        terms.rows[row].decode - first.decode > most_loss_by_win * (first.decode + first.alone)) continue;
    if (request.sort == target_sort::cost && terms.rows[row].win > (1 + most_loss_by_win) * first.win) continue;
    const double wait = dearness(terms.rows[row], request);
    const double overdue = sane(target.idle_seconds, 0, 1e9) / (wait * patience(known, target, best));
    const bool is_surprise = known.known.surprise_down > surprising && target.idle_seconds > wait * surprise_seconds;
    const bool is_paid = request.probe_stock >= terms.rows[row].loss;
    if (overdue > longest && is_paid) {
      longest = overdue;
      made.probe = static_cast<std::uint8_t>(row);
      made.is_probe_from_bucket = false;
      made.why_probe = known.known.samples < cold_samples ? probe_cause::cold : probe_cause::stale;
    } else if (!made.probe && is_surprise && request.bucket >= terms.rows[row].loss) {
      made.probe = static_cast<std::uint8_t>(row);
      made.is_probe_from_bucket = true;
      made.why_probe = probe_cause::surprise;
    }
  }
}

std::optional<std::uint8_t> slow_speaker_due(const choice_table& table, std::span<const target_now> targets,
                                             const choice_request& request, const choice_terms& terms,
                                             std::uint8_t first) {
  const bool goes_by_speech = request.sort == target_sort::finish || request.sort == target_sort::tps;
  if (!goes_by_speech || request.draw >= speaker_trial_share) return std::nullopt;
  std::optional<std::uint8_t> stalest;
  for (std::size_t row = 0; row < terms.count; ++row) {
    const row_terms& each = terms.rows[row];
    const bool is_slower = each.per_token > terms.rows[first].per_token;
    if (!each.is_usable || !is_slower || !targets[row].has_headroom || is_failing(table.rows()[row], each)) continue;
    const double idle = targets[row].idle_seconds;
    if (!(idle > silent_speaker_seconds)) continue;
    if (!stalest || idle > targets[*stalest].idle_seconds) stalest = static_cast<std::uint8_t>(row);
  }
  return stalest;
}

std::optional<std::uint8_t> stalest_row(std::span<const target_now> targets, const choice_terms& terms) {
  std::optional<std::uint8_t> stalest;
  for (std::size_t row = 0; row < terms.count; ++row)
    if (terms.rows[row].is_usable && (!stalest || targets[row].idle_seconds > targets[*stalest].idle_seconds))
      stalest = static_cast<std::uint8_t>(row);
  return stalest;
}

}  // namespace photofinish::racing
