// Keeps a run within what it may spend: a request starts only if its worst case still fits. [pure]
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
  std::uint64_t cached_input = 0;  // of the input, from the endpoint's cache; where reported

  bool operator==(const token_amount&) const = default;
};

struct spend_limits {
  std::optional<double> max_cost_usd;
  std::optional<std::uint64_t> max_tokens;  // input and output together
  std::optional<proxy::model_prices> prices;
};

// What several guards of one run have used together: the caps hold for all of them.
struct run_spending {
  token_amount used, running;
  double used_usd = 0, running_usd = 0;  // of the endpoints whose prices are known
};

class spend_guard {
 public:
  // `when` is the time whose prices hold. `all` outlives the guard; null: this guard is the whole run.
  explicit spend_guard(const spend_limits& limits, std::chrono::sys_seconds when = {}, run_spending* all = nullptr)
      : limits_(limits), when_(when), all_(all) {}

  // Whether a request that costs at most `worst` fits beside what is spent and what is running. It is then
  // running: settle() it.
  bool reserve(const token_amount& worst);
  // It has ended. What was not reported counts as the worst case.
  void settle(const token_amount& worst, const std::optional<token_amount>& reported, std::size_t prompt_bytes);

  const token_amount& used() const { return used_; }  // worst cases where nothing was reported
  std::optional<double> cost_usd() const;  // of what was used; none without prices

  // What a prompt of that many bytes may cost at worst, in tokens: two bytes a token until an endpoint has reported
  // what it counts, and then a quarter more than the most it counted for a byte.
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
