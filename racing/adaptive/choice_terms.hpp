// The terms that a request adds to each row of its table, from which the choice is made. [pure]
#pragma once

#include "racing/adaptive/choice_request.hpp"
#include "racing/adaptive/choice_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace photofinish::racing {

// A target with fewer samples is hardly known: its hedge has a fixed delay, and a full stock pays any trial of it.
inline constexpr std::uint64_t few_samples = 5;

inline constexpr double error_seconds = 0.1;   // time that a failed attempt takes before the next one starts
// Targets that fail or hang so often are chosen last, whatever their place.
inline constexpr double failing_share = 0.3;
// Index into hedge_shares at which the fixed delay of a cold target is judged.
inline constexpr std::size_t cold_place = 7;

struct row_terms {
  bool is_usable = false;
  double error = 0;
  double stretch = 1;          // this prompt and load, relative to the class's prompt at the usual load
  double alone_answering = 0;  // seconds to the first token, without errors, for the class's prompt or for this one
  double alone = 0;            // the same with errors
  double extra = 0;            // seconds that this request adds: prompt, load, the answer's length, no headroom
  double value = 0;            // without a hedge
  double rank = 0;             // the value that `sort` orders by, smallest first
  double win = 0, loss = 0;    // costs of an attempt that wins, and of one that loses
  double decode = 0;           // seconds of the whole answer after its first token, with `sort: finish`
  double per_token = 0;        // seconds per token at its load
};

struct choice_terms {
  std::array<row_terms, max_rows> rows{};
  std::size_t count = 0;
  std::optional<std::size_t> fixed_first;  // set by place, speed or price
  double price = 0;                        // seconds per unit of cost
  bool counts_dearer = false;              // a winner that is more expensive than the first choice also costs
  bool has_match = false;                  // the request has its own curves; alone_answering includes `stretch`
};

// The first token of one request at one target: its logarithm after a hit and after a miss.
struct request_outlook {
  double hit_chance = 0, hit = 0, miss = 0;

  // The share of answering attempts that are silent after exp(log_seconds).
  double silent(const survival_curve& shape, double log_seconds) const {
    const double missed = (1 - hit_chance) * shape.at(log_seconds - miss);
    return hit_chance > 0 ? missed + hit_chance * shape.at(log_seconds - hit) : missed;
  }
};

request_outlook outlook_of(const table_row& row, const target_now& target);
// The share of all attempts that are silent after that many seconds, including attempts that hang.
double silent_share(const table_row& row, const target_now& target, double seconds);
double time_without_shift(const table_row& row, const target_now& target, double share);
double stretch_of(const table_row& row, const target_now& target);
choice_terms make_terms(const choice_table& table, std::span<const target_now> targets, const choice_request& request);
double rescue_after(const choice_table& table, std::span<const target_now> targets, const choice_terms& terms,
                    const adaptive_choice& made);
// The extra waiting time of a trial, because it is more expensive than a usual target.
double dearness(const row_terms& terms, const choice_request& request);
void choose_probe(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                  const choice_terms& terms, adaptive_choice& made);
// A target that is excluded by its slow decoding, for few requests with `finish` and `tps`. Only whole answers can
// show that it is fast again.
std::optional<std::uint8_t> slow_speaker_due(const choice_table& table, std::span<const target_now> targets,
                                             const choice_request& request, const choice_terms& terms,
                                             std::uint8_t first);
std::optional<std::uint8_t> stalest_row(std::span<const target_now> targets, const choice_terms& terms);

}  // namespace photofinish::racing
