#include "gateway/records/used_share.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::gateway {
namespace {

// The maximum number of tokens of one request. A provider may report an impossible usage, which could overflow a 64-bit
// sum without this maximum.
constexpr std::uint64_t most_tokens = 1'000'000'000'000;
constexpr double most_usd = 10'000;

std::uint64_t nano(double usd) {
  usd = std::min(usd, most_usd);
  return usd > 0 ? static_cast<std::uint64_t>(std::llround(usd * 1e9)) : 0;
}

}  // namespace

used_amounts amounts_of(const request_use& used, std::uint64_t requests) {
  using enum metrics::token_direction;
  const auto tokens = [&used](metrics::token_direction which) {
    return std::min<std::uint64_t>(used.tokens[which], most_tokens);
  };
  return {.requests = requests,
          .input_tokens = tokens(input),
          .output_tokens = tokens(output),
          .lost_input_tokens = tokens(lost_input),
          .lost_output_tokens = tokens(lost_output),
          .nano_usd = nano(used.usd[metrics::cost_kind::winner]),
          .lost_nano_usd = nano(used.usd[metrics::cost_kind::loser])};
}

}  // namespace photofinish::gateway
