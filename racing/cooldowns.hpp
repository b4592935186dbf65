// Decides which targets cool down, for which callers, and for how long: the rules of the scoreboard. [pure] A status
// 429 or an exhausted quota starts a cooldown immediately. Other failures that the provider caused start a cooldown
// only if they repeat. Failures that the request may have caused start a cooldown only for the caller of the request,
// until a second caller has such failures (docs/decisions/0014).
#pragma once

#include "proxy/failures/failure.hpp"
#include "racing/scoreboard.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace photofinish::racing {

// The possible cause of a failure.
enum class blame {
  request,   // the request or its key caused the failure, so it predicts nothing for other requests
  limit,     // a limit that the provider sets for the account; it applies to every client with that key
  provider,  // the provider caused the failure: it is unreachable, or reports an overload
  doubtful,  // the cause is either the provider, or a prompt that the provider cannot process
  caller,    // a limit that applies to this caller only, and predicts nothing for other callers
};
blame blame_for(proxy::failure_kind kind, int status, proxy::failure_scope scope);
// Returns false if the failure predicts nothing about the target for other callers.
bool counts_against_target(blame whose);

// The facts about one finished attempt that cooldowns depend on.
struct attempt_sample {
  candidate_id id;
  std::optional<proxy::failure_kind> failed;  // the kind of the failure; empty if the attempt succeeded
  std::optional<std::chrono::milliseconds> retry_after;
  int status = 0;            // HTTP status of the provider's answer if the attempt failed
  caller_id caller = 0;      // fingerprint of the caller that sent the request
  std::uint64_t prompt = 0;  // a fingerprint of the prompt: the same prompt again adds no evidence
  proxy::failure_scope scope = proxy::failure_scope::target;
};

class cooldowns {
 public:
  // The cooldown after a status 429 without retry-after. Most rate limits admit requests again within this time.
  static constexpr std::chrono::seconds rate_limited_default{5};
  // The cooldown of an exhausted quota. It is longer, because a person has to pay before the target can be used again.
  static constexpr std::chrono::seconds quota_default{60};
  // The longest cooldown. It limits the effect of absurd retry-after values and of errors in these rules.
  static constexpr std::chrono::minutes longest{10};

  // The number of consecutive failures after which a target cools down. At a good provider one in a hundred attempts
  // fails for a short time, so three failures in a row have a probability of one in a million. Until the cooldown, a
  // dead target costs its route three attempts.
  static constexpr std::size_t repeated = 3;
  // The number of failures of one repeated prompt after which a target cools down. Client libraries send a prompt three
  // times, and a person retries a few more times. After ten failures either the target is broken, or the target gets no
  // other prompts.
  static constexpr std::size_t stubborn = 10;

  // The cooldown after repeated failures; it doubles with each further failure.
  static constexpr std::chrono::seconds repeated_default{5};
  // The largest number of candidates. The limit is needed because callers may use many keys of their own.
  static constexpr std::size_t max_candidates = 10'000;
  // The number of callers that are remembered per candidate; all further callers count as one caller.
  static constexpr std::size_t max_callers = 64;

  // Records a finished attempt. Returns true if the scoreboard changed.
  bool note(const attempt_sample& sample, instant now);

  scoreboard snapshot(instant now) const;

 private:
  // The failures since the last success. All of these failures have the same prompt until `has_other_prompts` is set.
  struct series {
    std::size_t failures = 0;
    std::uint64_t first_prompt = 0;
    bool has_other_prompts = false;
    instant cools_until{};

    void add(std::uint64_t prompt);
    bool is_convincing() const;
  };
  struct record {
    std::size_t certain = 0;  // number of failures that the provider certainly caused
    std::unordered_map<caller_id, series> callers;  // failures of each caller whose cause is doubtful
    instant cools_until{};                          // end of the target's cooldown for all callers
    instant limited_until{};                        // end of the limit that the provider reported

    std::size_t evidence() const;  // number of failures that count for every caller
  };

  static bool judge(record& each, const attempt_sample& sample, blame whose, instant now);
  static bool doubt(record& each, const attempt_sample& sample, instant now);
  static bool limit_caller(record& each, const attempt_sample& sample, instant now);
  static bool is_over(const record& each, instant now);
  void forget_stale(instant now);

  std::unordered_map<candidate_id, record> records_;
};

}  // namespace photofinish::racing
