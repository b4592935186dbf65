// The figures of one request for each row of the choice table. The choice of targets uses the table and these figures.
// [pure]
#pragma once

#include "racing/adaptive/choice_request.hpp"
#include "racing/adaptive/choice_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace photofinish::racing {

inline constexpr double error_seconds = 0.1;   // seconds that a failed attempt takes before the next attempt starts
// A target is chosen last if this share of its attempts fails or hangs, whatever its rank.
inline constexpr double failing_share = 0.3;
// The index of a hedge share in hedge_shares. The fixed hedge delay of a target without figures is judged with this
// share.
inline constexpr std::size_t cold_place = 7;

struct row_terms {
  bool is_usable = false;
  double error = 0;
  // Expected time for this prompt at this load, relative to the usual prompt of the input class at the usual load.
  double stretch = 1;
  // Seconds to the first token if no attempt fails, for this prompt or for the usual prompt of the input class.
  double alone_answering = 0;
  double alone = 0;            // seconds to the first token, including the time that errors cost
  double extra = 0;            // seconds that the prompt, load, answer length and missing headroom of this request add
  double value = 0;            // without a hedge
  double rank = 0;             // the value by which `sort` orders the targets; the smallest value is first
  double win = 0, loss = 0;    // cost of the attempt if it wins, and if it loses
  double decode = 0;           // seconds from the first token to the end of the answer, with `sort: finish`
  double per_token = 0;        // seconds per token at the target's present load
};

struct choice_terms {
  std::array<row_terms, max_rows> rows{};
  std::size_t count = 0;
  std::optional<std::size_t> fixed_first;  // the first target, if its rank, speed or price alone decides the choice
  double price = 0;                        // price of the budget in seconds per unit of cost
  // True if the choice also pays for a winner that is more expensive than the first choice.
  bool counts_dearer = false;
  // The request has its own survival curves; alone_answering includes `stretch`.
  bool has_match = false;
};

// The predicted first token of one request at one target: the logarithms of its time after a cache hit and after a
// cache miss.
struct request_outlook {
  double hit_chance = 0, hit = 0, miss = 0;

  // Returns the share of answering attempts that are silent after exp(log_seconds) seconds.
  double silent(const survival_curve& shape, double log_seconds) const {
    const double missed = (1 - hit_chance) * shape.at(log_seconds - miss);
    return hit_chance > 0 ? missed + hit_chance * shape.at(log_seconds - hit) : missed;
  }
};

request_outlook outlook_of(const table_row& row, const target_now& target);
// Returns the share of all attempts that are still silent after `seconds`. Hanging attempts are included.
double silent_share(const table_row& row, const target_now& target, double seconds);
double time_without_shift(const table_row& row, const target_now& target, double share);
double stretch_of(const table_row& row, const target_now& target);
choice_terms make_terms(const choice_table& table, std::span<const target_now> targets, const choice_request& request);
double rescue_after(const choice_table& table, std::span<const target_now> targets, const choice_terms& terms,
                    const adaptive_choice& made);
// Returns by how much later a trial starts because it is more expensive than an attempt at a usual target.
double dearness(const row_terms& terms, const choice_request& request);
void choose_probe(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                  const choice_terms& terms, adaptive_choice& made);
// Returns a target that is excluded because it decodes slowly, if a trial of the target is due. With `finish` and
// `tps`, few requests make such a trial, because only whole answers can show that the target is fast again.
std::optional<std::uint8_t> slow_speaker_due(const choice_table& table, std::span<const target_now> targets,
                                             const choice_request& request, const choice_terms& terms,
                                             std::uint8_t first);
std::optional<std::uint8_t> stalest_row(std::span<const target_now> targets, const choice_terms& terms);

}  // namespace photofinish::racing
