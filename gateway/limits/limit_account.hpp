// Counts the usage of one key, team or route. The counters are atomics, which all workers may change at the same time.
// [pure]
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
  // `name` is the account's name at all gateways that share the account, for example "team:search".
  limit_account(std::shared_ptr<const limit_sharing> sharing, std::string name)
      : sharing_(std::move(sharing)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  limit_mode mode() const { return sharing_ ? sharing_->mode() : limit_mode::alone; }
  std::int64_t gateways() const { return sharing_ ? sharing_->gateways() : 1; }

  // The buckets of this gateway alone. They apply if no store is configured, or while the store is unreachable.
  token_bucket requests;
  reservation_bucket tokens;
  // The bucket for requests that need no provider: token counts, lists and statistics. It has the same size as
  // `requests`. These requests have a limit of their own, so they do not reduce the limit for other requests. Gateways
  // never share this bucket.
  token_bucket side_requests;
  // The quota that this gateway has leased from the shared buckets.
  leased_quota request_cell, token_cell;
  shared_places places;
  std::uint64_t running() const { return places.running(); }
  // Handles the store's reply after this gateway has asked for quota for requests. Also drains this gateway's own
  // bucket to the level of the shared bucket. The gateway uses its own bucket if the store becomes unreachable. Each of
  // N gateways then admits 1/N of the rate. If the own buckets of all gateways were full at that moment, the gateways
  // together would admit too many requests.
  void requests_leased(const quota_demand& asked, token_bucket::time given, token_bucket::time missing,
                       proxy::instant now) {
    request_cell.answered(asked, given, missing, now);
    requests.empty_to(missing_part(request_cell, now), now);
  }
  // Handles the store's reply after this gateway has asked for quota for tokens. Only the gateway that reserved tokens
  // gets unused tokens back. Therefore this function leaves the gateway's own token bucket unchanged. store_went_away()
  // adjusts it later.
  void tokens_leased(const quota_demand& asked, token_bucket::time given, token_bucket::time missing,
                     proxy::instant now) {
    token_cell.answered(asked, given, missing, now);
  }
  void store_went_away(proxy::instant now) {
    requests.empty_to(missing_part(request_cell, now), now);
    tokens.empty_to(missing_part(token_cell, now), now);
  }
  // True after a worker has asked the housekeeper thread to lease more quota, and until the thread has done so.
  std::atomic<bool> is_asked_for{false};

  void spend(std::int64_t nano_usd) { spent_.fetch_add(nano_usd, std::memory_order_relaxed); }
  // Returns the amount that was spent in the current budget window.
  std::int64_t spent() const {
    const std::int64_t before = spent_before_.load(std::memory_order_relaxed);
    return std::max<std::int64_t>(0, spent_.load(std::memory_order_relaxed) - before);
  }
  // Reserves the expected cost of a running request. Without reservations, a burst of requests could overspend a
  // budget.
  void hold_money(std::int64_t nano_usd) { held_.fetch_add(nano_usd, std::memory_order_relaxed); }
  std::int64_t held_money() const { return held_.load(std::memory_order_relaxed); }
  // If gateways share a store, only the housekeeper thread calls the following three functions. show_spent() sets the
  // account's spending to `shown`, the total of all gateways. `ever` is the value that spent_ever() had when this total
  // was computed.
  std::int64_t spent_ever() const { return spent_.load(std::memory_order_relaxed); }
  std::chrono::sys_seconds window_ends() const { return window_ends_; }
  void show_spent(std::int64_t ever, std::int64_t shown) {
    spent_before_.store(ever - shown, std::memory_order_relaxed);
  }

  // Begins the budget's next window if the current window has ended. Does nothing if the clock was set back. Only the
  // housekeeper thread calls this function.
  void turn_window(const budget_period& every, std::chrono::sys_seconds now) {
    const bool is_first = window_ends_.time_since_epoch().count() == 0;
    if (!is_first && now >= window_ends_)
      spent_before_.store(spent_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    else if (!is_first && every == every_)
      return;
    window_ends_ = window_end(every, now);
    every_ = every;
  }

  // Returns the mean length of recent answers, in tokens. The mean is the estimate for the answer of a request without
  // a length limit.
  std::uint64_t usual_answer() const { return usual_answer_.load(std::memory_order_relaxed); }
  // Moves the mean length towards the new length, by one sixteenth of the difference. If two workers call this function
  // at the same time, one update may be lost, which hardly matters.
  void note_answer(std::uint64_t length) {
    constexpr std::int64_t weight = 16, longest = 1'000'000;
    const std::int64_t seen = static_cast<std::int64_t>(std::min<std::uint64_t>(length, longest));
    const std::int64_t before = usual_answer_.load(std::memory_order_relaxed);
    const std::int64_t step = (seen - before) / weight;
    // The mean moves by at least 1, so that small differences have an effect.
    const std::int64_t least = seen > before ? 1 : seen < before ? -1 : 0;
    usual_answer_.store(static_cast<std::uint32_t>(before + (step != 0 ? step : least)), std::memory_order_relaxed);
  }

 private:
  // Returns the amount that should be missing from the gateway's own bucket. It is the amount missing from the shared
  // bucket, minus (N - 1) times the leased quota, where N is the number of gateways. The leased quota is subtracted
  // because each use of leased quota also costs the gateway's own bucket N times the amount.
  token_bucket::time missing_part(const leased_quota& cell, proxy::instant now) const {
    return cell.until_full(now) - (gateways() - 1) * cell.room();
  }

  // The first estimate of an answer's length, in tokens. It corresponds to a few sentences.
  static constexpr std::uint32_t first_guess = 256;

  // how gateways share this account; null if the account is not shared
  const std::shared_ptr<const limit_sharing> sharing_;
  const std::string name_;
  std::atomic<std::int64_t> spent_{0};  // the total spending since the account was created, in nano dollars
  std::atomic<std::int64_t> spent_before_{0};
  std::atomic<std::int64_t> held_{0};
  std::atomic<std::uint32_t> usual_answer_{first_guess};
  // Only the housekeeper thread uses the following members.
  std::chrono::sys_seconds window_ends_{std::chrono::seconds(0)};
  budget_period every_{};
};

}  // namespace photofinish::gateway
