#include "proxy/http2/reset_budget.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace photofinish::proxy {
namespace {

using seconds_f = std::chrono::duration<double>;

constexpr std::chrono::seconds one_second{1};
constexpr instant long_ago = instant{} - std::chrono::hours(1);
// The time constant with which old attempts lose weight. Attempts in the last minute count most.
constexpr seconds_f memory{60.0};
constexpr double benefit_of_doubt = 10;  // this many successful attempts are assumed in addition to the recent attempts
constexpr double leave_above = 0.33;
constexpr double return_below = 0.25;
constexpr double rounding = 1e-9;

}  // namespace

reset_budget::reset_budget(reset_limits limits) : limits_(limits), last_resets_(limits.per_second, long_ago) {}

void reset_budget::stream_was_reset(instant now) {
  last_resets_[oldest_] = now;
  oldest_ = (oldest_ + 1) % last_resets_.size();
  ++resets_;
  --at_risk_;
}

instant reset_budget::may_reset_at() const { return last_resets_[oldest_] + one_second; }

std::size_t reset_budget::share_allows(std::size_t streams) const {
  const auto counted = static_cast<double>(std::max(streams, limits_.share_from));
  return static_cast<std::size_t>(limits_.share * counted + rounding);
}

std::size_t reset_budget::headroom(instant now) const {
  // a fast test, which often finds that no stream may begin
  const bool has_none_yet = now < may_reset_at() || at_risk_ >= limits_.per_second;
  if (has_none_yet || is_spent()) return 0;
  const auto less = [](std::size_t from, std::size_t what) { return from - std::min(from, what); };
  const auto is_over = [now](instant reset_at) { return now - reset_at >= one_second; };
  const auto ready = std::count_if(last_resets_.begin(), last_resets_.end(), is_over);
  const std::size_t by_rate = less(static_cast<std::size_t>(ready), at_risk_);
  const std::size_t by_share = less(share_allows(streams_ + 1), resets_ + at_risk_);
  const std::size_t by_count = less(limits_.retire_at, resets_ + at_risk_);
  return std::min({by_rate, by_share, by_count});
}

double cancel_share::decaying::faded(instant now) const {
  return value == 0 ? 0 : value * std::exp(-seconds_f(now - at) / memory);
}

double cancel_share::value(instant now) const {
  return cancelled_.faded(now) / (attempts_.faded(now) + benefit_of_doubt);
}

bool cancel_share::suits_http2(instant now) {
  suits_ = value(now) <= (suits_ ? leave_above : return_below);
  return suits_;
}

}  // namespace photofinish::proxy
