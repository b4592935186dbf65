// Decides which targets are in a cooldown, for which callers, and for how long. The result is a scoreboard. A status
// 429 or a used-up quota starts a cooldown immediately. Other failures that the provider caused start a cooldown only
// if they repeat. Failures that the request may have caused start a cooldown only for the request's caller, until a
// second caller has such failures (docs/decisions/0014). [pure]
#pragma once

#include "proxy/failures/failure.hpp"
#include "racing/scoreboard.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace photofinish::racing {

// Describes who probably caused a failure.
enum class blame {
  request,   // caused by the request or its key, so the failure predicts nothing for other requests
  limit,     // caused by a limit of the provider's account, which applies to all clients with that key
  provider,  // caused by the provider, which cannot be reached or reports an overload
  doubtful,  // caused by the provider, or by a prompt that the provider cannot process
  caller,    // caused by a limit of this caller only, so the failure predicts nothing for other callers
};
blame blame_for(proxy::failure_kind kind, int status, proxy::failure_scope scope);
// Returns false if the failure predicts nothing about other callers' requests to the target.
bool counts_against_target(blame whose);

// The facts about an attempt that has ended, as far as cooldowns depend on them.
struct attempt_sample {
  candidate_id id;
  std::optional<proxy::failure_kind> failed;  // kind of the failure; empty if the attempt succeeded
  std::optional<std::chrono::milliseconds> retry_after;
  int status = 0;            // HTTP status of the failed attempt
  caller_id caller = 0;      // fingerprint of the caller that sent the request
  std::uint64_t prompt = 0;  // fingerprint of the prompt; if a prompt is repeated, its failures are not counted as
                             // further evidence
  proxy::failure_scope scope = proxy::failure_scope::target;
};

class cooldowns {
 public:
  // The length of the cooldown after a status 429 without retry-after. Most rate limits allow requests again after this
  // time.
  static constexpr std::chrono::seconds rate_limited_default{5};
  // The length of the cooldown after a quota is used up. It is longer, because a person has to pay before the target
  // can be used again.
  static constexpr std::chrono::seconds quota_default{60};
  // The maximum length of a cooldown. It limits the effect of absurd retry-after values and of errors in these rules.
  static constexpr std::chrono::minutes longest{10};

  // A target gets a cooldown after this number of consecutive failures. At a good provider, about one in a hundred
  // attempts fails temporarily. The probability of three failures in a row is then one in a million. If a target does
  // not work, its route loses three attempts before the cooldown.
  static constexpr std::size_t repeated = 3;
  // A target gets a cooldown after this number of failures of the same prompt. Client libraries send a prompt three
  // times, and a person retries a few more times. After ten failures, either the target does not work, or it gets no
  // other prompts.
  static constexpr std::size_t stubborn = 10;

  // The length of the cooldown after repeated failures. It doubles with each further failure.
  static constexpr std::chrono::seconds repeated_default{5};
  // The maximum number of candidates, each of which is a target together with a key. Callers may use many keys of their
  // own, so the number must be limited.
  static constexpr std::size_t max_candidates = 10'000;
  // The number of callers that are remembered for each target and key. All further callers together count as one
  // caller.
  static constexpr std::size_t max_callers = 64;

  // Records an attempt that has ended. Returns true if the scoreboard has changed.
  bool note(const attempt_sample& sample, instant now);

  scoreboard snapshot(instant now) const;

 private:
  // The failures since the last success. As long as `has_other_prompts` is false, all of them have the same prompt.
  struct series {
    std::size_t failures = 0;
    std::uint64_t first_prompt = 0;
    bool has_other_prompts = false;
    instant cools_until{};

    void add(std::uint64_t prompt);
    bool is_convincing() const;
  };
  struct record {
    std::size_t certain = 0;  // number of failures that the provider has certainly caused
    std::unordered_map<caller_id, series> callers;  // the failures whose cause is uncertain, for each caller
    instant cools_until{};                          // end of the target's cooldown for all callers
    instant limited_until{};                        // end of the rate limit that the provider has reported

    std::size_t evidence() const;  // number of failures that count against the target for all callers
  };

  static bool judge(record& each, const attempt_sample& sample, blame whose, instant now);
  static bool doubt(record& each, const attempt_sample& sample, instant now);
  static bool limit_caller(record& each, const attempt_sample& sample, instant now);
  static bool is_over(const record& each, instant now);
  void forget_stale(instant now);

  std::unordered_map<candidate_id, record> records_;
};

}  // namespace photofinish::racing
