// Keeps a run within what it may spend: a request starts only if its worst case still fits. [pure]
#pragma once

#include <cstdint>
#include <optional>

namespace photofinish::gateway::bench {

struct token_amount {
  std::uint64_t input = 0;
  std::uint64_t output = 0;

  bool operator==(const token_amount&) const = default;
};

struct spend_limits {
  std::optional<double> max_cost_usd;
  std::optional<std::uint64_t> max_tokens;  // input and output together
  double price_in_usd = 0;                  // per million tokens
  double price_out_usd = 0;
  bool has_prices = false;
};

class spend_guard {
 public:
  explicit spend_guard(const spend_limits& limits) : limits_(limits) {}

  // Whether a request that costs at most `worst` fits beside what is spent and what is running. It is then
  // running: settle() it.
  bool reserve(const token_amount& worst);
  // It has ended. What was not reported counts as the worst case.
  void settle(const token_amount& worst, const std::optional<token_amount>& reported);

  const token_amount& used() const { return used_; }  // worst cases where nothing was reported
  std::optional<double> cost_usd() const;  // of what was used; none without prices

  // What a prompt of that many bytes may cost at worst, in tokens: two bytes a token until an endpoint has reported
  // what it counts, and then a quarter more than the most it counted.
  std::uint64_t worst_input(std::size_t prompt_bytes) const;

 private:
  double price_of(const token_amount& amount) const;

  spend_limits limits_;
  token_amount used_;
  token_amount running_;
  std::uint64_t most_input_ = 0;
};

}  // namespace photofinish::gateway::bench
