// Who has to cool down, for whom, and for how long: the rules behind the scoreboard. [pure]
// A 429 or an exhausted quota cools at once; other failures of the provider's making only when they repeat; and those
// that the request itself may have brought about only for the caller who keeps having them, until a second caller has
// them too (docs/decisions/0014).
#pragma once

#include "proxy/failures/failure.hpp"
#include "racing/scoreboard.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace photofinish::racing {

// Whose doing a failure may be.
enum class blame {
  request,   // the request's or its key's: it says nothing about the next one's
  limit,     // the account's limit at the provider: it says so itself, and it holds for all on that key
  provider,  // no request brings it about: it cannot be reached, or says itself that it is overloaded
  doubtful,  // the provider's, or a prompt's that it cannot digest
  caller,    // a limit that only this caller can rely on: for others it says nothing
};
blame blame_for(proxy::failure_kind kind, int status, proxy::failure_scope scope);
// False: the failure says nothing about the target for other callers.
bool counts_against_target(blame whose);

// One finished attempt, as far as cooling cares.
struct attempt_sample {
  candidate_id id;
  std::optional<proxy::failure_kind> failed;  // none: it worked
  std::optional<std::chrono::milliseconds> retry_after;
  int status = 0;            // the provider's, of a failed one
  caller_id caller = 0;      // who asked
  std::uint64_t prompt = 0;  // what was asked, as a fingerprint: the same prompt once more is no further evidence
  proxy::failure_scope scope = proxy::failure_scope::target;
};

class cooldowns {
 public:
  static constexpr std::chrono::seconds rate_limited_default{5};  // a 429 without retry-after: buckets refill by then
  static constexpr std::chrono::seconds quota_default{60};        // a person has to pay first
  static constexpr std::chrono::minutes longest{10};              // a mistake of ours, or a wild retry-after, ends then

  // Failures without a success in between. One in a hundred attempts fails for a moment at a good provider: three in a
  // row are one chance in a million, and a dead target has cost its route three attempts.
  static constexpr std::size_t repeated = 3;
  // Failures of one prompt, sent again and again: clients' libraries send it three times, and a person presses the key
  // a few times more. By then it is the target, or nothing else is asked of it.
  static constexpr std::size_t stubborn = 10;

  static constexpr std::chrono::seconds repeated_default{5};  // doubled with each further failure
  static constexpr std::size_t max_candidates = 10'000;          // callers' own keys may be many
  static constexpr std::size_t max_callers = 64;              // remembered for each; the rest count as one

  // True when the scoreboard changed.
  bool note(const attempt_sample& sample, instant now);

  scoreboard snapshot(instant now) const;

 private:
  // Failures since the last success. Of one prompt until `has_other_prompts`.
  struct series {
    std::size_t failures = 0;
    std::uint64_t first_prompt = 0;
    bool has_other_prompts = false;
    instant cools_until{};

    void add(std::uint64_t prompt);
    bool is_convincing() const;
  };
  struct record {
    std::size_t certain = 0;  // failures that are the provider's
    std::unordered_map<caller_id, series> callers;  // and the doubtful ones of each caller
    instant cools_until{};                          // for all callers
    instant limited_until{};                        // by a limit that its provider has named

    std::size_t evidence() const;  // failures that count for every caller
  };

  static bool judge(record& each, const attempt_sample& sample, blame whose, instant now);
  static bool doubt(record& each, const attempt_sample& sample, instant now);
  static bool limit_caller(record& each, const attempt_sample& sample, instant now);
  static bool is_over(const record& each, instant now);
  void forget_stale(instant now);

  std::unordered_map<candidate_id, record> records_;
};

}  // namespace photofinish::racing
