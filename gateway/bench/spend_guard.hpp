// Keeps a run within its spending caps. A request starts only if its largest possible cost is still within the caps.
// [pure]
#pragma once

#include "proxy/providers/prices.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace photofinish::gateway::bench {

struct token_amount {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  // The number of input tokens that came from the endpoint's cache, if the endpoint reports it.
  std::uint64_t cached_input = 0;

  bool operator==(const token_amount&) const = default;
};

struct spend_limits {
  std::optional<double> max_cost_usd;
  std::optional<std::uint64_t> max_tokens;  // the limit for the sum of input and output tokens
  std::optional<proxy::model_prices> prices;
};

// The tokens and the money that all guards of one run have used together. The spending caps apply to these sums.
struct run_spending {
  token_amount used, running;
  double used_usd = 0, running_usd = 0;  // the costs of ended and of running requests; always 0 if the prices are
                                         // unknown
};

class spend_guard {
 public:
  // The guard uses the prices that are valid at the time `when`. `all` is the spending of the whole run, and must
  // outlive the guard. `all` is null if the run has only this guard.
  explicit spend_guard(const spend_limits& limits, std::chrono::sys_seconds when = {}, run_spending* all = nullptr)
      : limits_(limits), when_(when), all_(all) {}

  // Returns true if the spent amount, the reserved amount and `worst` together are within the caps. In this case the
  // guard reserves `worst`, and the caller must call settle() after the request.
  bool reserve(const token_amount& worst);
  // Counts the usage of a request that has ended. If the endpoint reported no usage, `worst` is counted, which is the
  // largest possible usage.
  void settle(const token_amount& worst, const std::optional<token_amount>& reported, std::size_t prompt_bytes);

  // Returns the tokens used so far. If the endpoint did not report the usage of a request, the largest possible usage
  // of this request is counted.
  const token_amount& used() const { return used_; }
  std::optional<double> cost_usd() const;  // returns the cost of the used tokens; none if the prices are unknown

  // Returns the largest number of tokens that a prompt of this many bytes may have. Assumes one token for every two
  // bytes until the endpoint has reported a token count. After that, assumes 1.25 times the largest ratio of tokens to
  // bytes that the endpoint has reported.
  std::uint64_t worst_input(std::size_t prompt_bytes) const;

 private:
  double price_of(const token_amount& amount) const;
  run_spending& all() { return all_ ? *all_ : own_; }

  spend_limits limits_;
  std::chrono::sys_seconds when_;
  run_spending* all_;
  run_spending own_;
  token_amount used_;
  double used_usd_ = 0;
  double most_per_byte_ = 0;
};

}  // namespace photofinish::gateway::bench
