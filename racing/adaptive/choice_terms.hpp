// The facts about one request that the choice of targets uses, for each row of the choice table. [pure]
#pragma once

#include "racing/adaptive/choice_request.hpp"
#include "racing/adaptive/choice_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace photofinish::racing {

inline constexpr double error_seconds = 0.1;   // seconds that pass before a failed attempt is replaced by the next
                                               // attempt
// If at least this share of a target's attempts fails or hangs, the target is chosen last, whatever its rank.
inline constexpr double failing_share = 0.3;
// An index into hedge_shares, for a first target that was never measured. Its hedge is assumed to start when this share
// of its attempts is still silent.
inline constexpr std::size_t cold_place = 7;

struct row_terms {
  bool is_usable = false;
  double error = 0;
  // Expected time for this prompt with the current number of running attempts, relative to the time for the usual
  // prompt with the usual number of running attempts.
  double stretch = 1;
  // Seconds to the first token if no attempt fails. If has_match is true, the time is for this prompt, otherwise for
  // the usual prompt of its size class.
  double alone_answering = 0;
  double alone = 0;            // seconds to the first token, including the time that failed attempts cost
  double extra = 0;            // seconds added for the request's prompt, answer length, running attempts and used-up
                               // rate limit
  double value = 0;            // without a hedge
  double rank = 0;             // the value by which `sort` orders the targets, smallest first
  double win = 0, loss = 0;    // the attempt's cost if it wins, and its cost if it loses
  double decode = 0;           // seconds from the first token to the end of the answer; used for `sort: finish`
  double per_token = 0;        // seconds per token with the current number of running attempts
};

struct choice_terms {
  std::array<row_terms, max_rows> rows{};
  std::size_t count = 0;
  // The target that must be first, if the route sorts its targets by price, by output speed, or in the configured
  // order. Empty for the other sort orders.
  std::optional<std::size_t> fixed_first;
  double price = 0;                        // price of the budget: the seconds that one unit of cost must save
  // True if the value of a choice includes the extra cost of a winner that is more expensive than the first target.
  bool counts_dearer = false;
  // True if any target has probably cached a prefix of the prompt. In this case, the request has survival curves of its
  // own, and alone_answering already includes the factor `stretch`.
  bool has_match = false;
};

// The predicted time to the first token of one request at one target: the logarithm of the time after a cache hit, and
// after a cache miss.
struct request_outlook {
  double hit_chance = 0, hit = 0, miss = 0;

  // Returns the share of attempts that are still silent after exp(log_seconds) seconds. Attempts that never answer are
  // not included.
  double silent(const survival_curve& shape, double log_seconds) const {
    const double missed = (1 - hit_chance) * shape.at(log_seconds - miss);
    return hit_chance > 0 ? missed + hit_chance * shape.at(log_seconds - hit) : missed;
  }
};

request_outlook outlook_of(const table_row& row, const target_now& target);
// Returns the share of all attempts that are still silent after `seconds`. This includes attempts that never answer.
double silent_share(const table_row& row, const target_now& target, double seconds);
double time_without_shift(const table_row& row, const target_now& target, double share);
double stretch_of(const table_row& row, const target_now& target);
choice_terms make_terms(const choice_table& table, std::span<const target_now> targets, const choice_request& request);
double rescue_after(const choice_table& table, std::span<const target_now> targets, const choice_terms& terms,
                    const adaptive_choice& made);
// Returns the factor by which a trial of the target is delayed longer than a usual trial, because it is more expensive.
double dearness(const row_terms& terms, const choice_request& request);
void choose_probe(const choice_table& table, std::span<const target_now> targets, const choice_request& request,
                  const choice_terms& terms, adaptive_choice& made);
// Returns a target that is not used because it generates tokens slowly, if it is time to try it again. This is for the
// sort orders `finish` and `tps`. Few requests make such a trial, because the client has to wait for the whole answer
// of the slow target.
std::optional<std::uint8_t> slow_speaker_due(const choice_table& table, std::span<const target_now> targets,
                                             const choice_request& request, const choice_terms& terms,
                                             std::uint8_t first);
std::optional<std::uint8_t> stalest_row(std::span<const target_now> targets, const choice_terms& terms);

}  // namespace photofinish::racing
