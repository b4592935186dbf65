#include "racing/adaptive/choice_terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace photofinish::racing {
namespace {

constexpr double no_headroom_seconds = 2;
constexpr double longest_silence = 3'600;
constexpr double last_choice = 1e6;  // seconds: behind every other, and still before none

// Seconds that a target may not have been started before it is tried again.
constexpr double stale_seconds = 6, most_patience = 4;
constexpr double cooling_seconds = 10;  // a failed attempt costs nothing
constexpr double cold_seconds = 0.5;
constexpr std::uint64_t cold_samples = 3;
constexpr double silent_speaker_seconds = 60;
constexpr double speaker_trial_share = 0.02;   // of requests at most: their client waits for it
constexpr double surprise_seconds = 0.7, surprising = 1.5;
constexpr double most_loss_by_win = 0.2;  // of time with `finish`, of money with `cost`: a probe may win

double sane(double value, double least, double most) {
  return std::isfinite(value) ? std::clamp(value, least, most) : least;
}

bool is_failing(const table_row& row, const row_terms& terms) {
  return terms.error + row.known.hang_share > failing_share;
}

void fill_row(const table_row& row, const target_now& target, const choice_request& request, row_terms& terms) {
  terms.is_usable = target.state == target_state::ready;
  terms.error = sane(target.error_share.value_or(row.known.error_share), 0, 0.99);
  terms.stretch = stretch_of(row, target);
  terms.alone_answering = row.alone;
  terms.win = sane(target.win_cost, 0, 1e12);
  terms.loss = sane(target.loss_cost, 0, 1e12);
  const double tokens = sane(request.output_tokens, 0, 1e7);
  const double per_token = sane(decode_seconds_per_token(row.known, target.in_flight + 1), 0, 60);
  terms.decode = request.sort == target_sort::finish ? tokens * per_token : 0;
  terms.extra = row.alone * (terms.stretch - 1) + terms.decode +
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

// Where every target cools down, they run all the same.
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

}  // namespace

double stretch_of(const table_row& row, const target_now& target) {
  const double tokens = sane(target.input_tokens, 0, 1e8);
  const double load = row.known.first_token_load.slope *
                      (sane(target.in_flight, 0, 1e6) + 1 - row.known.first_token_load.mean_load);
  const double stretch = (1 + row.known.rho * tokens) / row.part * std::exp(sane(load, -2, 4));
  return sane(stretch, 0.01, 100);
}

choice_terms make_terms(const choice_table& table, std::span<const target_now> targets,
                        const choice_request& request) {
  choice_terms terms;
  const auto rows = table.rows();
  terms.count = std::min(rows.size(), targets.size());
  terms.price = sane(request.price, 0, 1e6) / std::max(sane(request.usual_cost, 0, 1e12), 1e-12);
  terms.counts_dearer = request.sort == target_sort::cost;
  for (std::size_t row = 0; row < terms.count; ++row) fill_row(rows[row], targets[row], request, terms.rows[row]);
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
    each.value = each.alone + each.extra;
  }
  rank_rows(table, request, terms);
  return terms;
}

double rescue_after(const choice_table& table, const choice_terms& terms, const adaptive_choice& made) {
  const std::size_t first = made.order[0];
  const table_row& row = table.rows()[first];
  const double usual = row.usual * terms.rows[first].stretch, late = row.late * terms.rows[first].stretch;
  double other = usual;
  for (std::size_t k = 1; k < made.count; ++k)
    other = std::min(other, table.rows()[made.order[k]].usual * terms.rows[made.order[k]].stretch);
  double seconds = std::min(std::max({2 * late, 4 * usual, 2.0}), std::max(12 * std::min(usual, other), 3.0));
  if (made.count > 1) seconds += std::max(0.0, terms.rows[made.order[1]].decode - terms.rows[first].decode);
  return std::min(seconds, longest_silence);
}

void choose_probe(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                  const choice_terms& terms, adaptive_choice& made) {
  if (!request.may_hedge) return;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < made.count; ++k) best = std::min(best, terms.rows[made.order[k]].alone);
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
    const double overdue = sane(target.idle_seconds, 0, 1e9) / patience(known, target, best);
    const bool is_surprise = known.known.surprise_down > surprising && target.idle_seconds > surprise_seconds;
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
