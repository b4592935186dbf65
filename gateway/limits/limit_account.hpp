// What one key, team or route has used: a few atomics, which every worker may change at once. [pure]
#pragma once

#include "gateway/config/access/limit_settings.hpp"
#include "gateway/limits/budget_window.hpp"
#include "gateway/limits/leased_quota.hpp"
#include "gateway/limits/limit_sharing.hpp"
#include "gateway/limits/reservation_bucket.hpp"
#include "gateway/limits/shared_places.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {

class limit_account : public std::enable_shared_from_this<limit_account> {
 public:
  limit_account() = default;
  // `name`: what gateways that share it call it, "team:search".
  limit_account(std::shared_ptr<const limit_sharing> sharing, std::string name)
      : sharing_(std::move(sharing)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  limit_mode mode() const { return sharing_ ? sharing_->mode() : limit_mode::alone; }
  std::int64_t gateways() const { return sharing_ ? sharing_->gateways() : 1; }

  // Of this gateway alone: without a store all that there is, with one what holds while it is away.
  token_bucket requests;
  reservation_bucket tokens;
  // Requests that use no provider: counts of tokens, lists, statistics. They have a bucket of their own, as large as
  // that of `requests`, so that they neither use up the others' nor come without a bound. It is never shared.
  token_bucket side_requests;
  // What is leased of those that are shared.
  leased_quota request_cell, token_cell;
  shared_places places;
  std::uint64_t running() const { return places.running(); }
  // The store's replies. While the store is away, a gateway has an Nth of a bucket that is as full as the shared one
  // was. Otherwise a gateway that got less than its part would have a full one, and all of them together too much.
  void requests_leased(const quota_demand& asked, token_bucket::time given, token_bucket::time missing,
                       proxy::instant now) {
    request_cell.answered(asked, given, missing, now);
    requests.empty_to(missing_part(request_cell, now), now);
  }
  // Reservations come back to the gateway that made them alone: its own bucket follows once the store goes away.
  void tokens_leased(const quota_demand& asked, token_bucket::time given, token_bucket::time missing,
                     proxy::instant now) {
    token_cell.answered(asked, given, missing, now);
  }
  void store_went_away(proxy::instant now) {
    requests.empty_to(missing_part(request_cell, now), now);
    tokens.empty_to(missing_part(token_cell, now), now);
  }
  // Whether the housekeeper was asked to fetch more, and has not begun.
  std::atomic<bool> is_asked_for{false};

  void spend(std::int64_t nano_usd) { spent_.fetch_add(nano_usd, std::memory_order_relaxed); }
  // Since its window began.
  std::int64_t spent() const {
    const std::int64_t before = spent_before_.load(std::memory_order_relaxed);
    return std::max<std::int64_t>(0, spent_.load(std::memory_order_relaxed) - before);
  }
  // What running requests are expected to cost, so that a burst is not admitted by a budget that it would overspend.
  void hold_money(std::int64_t nano_usd) { held_.fetch_add(nano_usd, std::memory_order_relaxed); }
  std::int64_t held_money() const { return held_.load(std::memory_order_relaxed); }
  // The housekeeper alone calls these three, where a store is shared. What was spent up to then counts as `shown`.
  std::int64_t spent_ever() const { return spent_.load(std::memory_order_relaxed); }
  std::chrono::sys_seconds window_ends() const { return window_ends_; }
  void show_spent(std::int64_t ever, std::int64_t shown) {
    spent_before_.store(ever - shown, std::memory_order_relaxed);
  }

  // The housekeeper alone calls this: where the window has ended, the next one begins. A clock that goes back opens
  // none.
  void turn_window(const budget_period& every, std::chrono::sys_seconds now) {
    const bool is_first = window_ends_.time_since_epoch().count() == 0;
    if (!is_first && now >= window_ends_)
      spent_before_.store(spent_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    else if (!is_first && every == every_)
      return;
    window_ends_ = window_end(every, now);
    every_ = every;
  }

  // How many tokens an answer has that may be of any length: the mean of the latest ones.
  std::uint64_t usual_answer() const { return usual_answer_.load(std::memory_order_relaxed); }
  // A step of a sixteenth. Two workers at once may lose one of two: a mean does not need each.
  void note_answer(std::uint64_t length) {
    constexpr std::int64_t weight = 16, longest = 1'000'000;
    const std::int64_t seen = static_cast<std::int64_t>(std::min<std::uint64_t>(length, longest));
    const std::int64_t before = usual_answer_.load(std::memory_order_relaxed);
    const std::int64_t step = (seen - before) / weight;
    const std::int64_t least = seen > before ? 1 : seen < before ? -1 : 0;  // small differences count as well
    usual_answer_.store(static_cast<std::uint32_t>(before + (step != 0 ? step : least)), std::memory_order_relaxed);
  }

 private:
  // The shared bucket's missing part, without the slice that this gateway holds: requests that take from the slice
  // count against the gateway's own bucket, too, as many times as there are gateways.
  token_bucket::time missing_part(const leased_quota& cell, proxy::instant now) const {
    return cell.until_full(now) - (gateways() - 1) * cell.room();
  }

  static constexpr std::uint32_t first_guess = 256;  // a few sentences

  const std::shared_ptr<const limit_sharing> sharing_;  // null: alone
  const std::string name_;
  std::atomic<std::int64_t> spent_{0};  // ever
  std::atomic<std::int64_t> spent_before_{0};
  std::atomic<std::int64_t> held_{0};
  std::atomic<std::uint32_t> usual_answer_{first_guess};
  // The housekeeper's.
  std::chrono::sys_seconds window_ends_{std::chrono::seconds(0)};
  budget_period every_{};
};

}  // namespace photofinish::gateway
