// Makes reports of statistics, usage, races and receipts, about all gateways on a store or about one of them. Also
// answers the queries of other gateways for such reports.
#pragma once

#include "gateway/housekeeping/stores/house_loop.hpp"
#include "gateway/usage/usage_page.hpp"
#include "racing/scoreboard.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace photofinish::gateway {

class advice_reports;
class fleet_keeping;
class forecast_store;
class score_keeping;
class usage_keeping;
struct fleet_query;
struct fleet_races;
struct fleet_stats;
struct race_receipt;

class fleet_reports {
 public:
  template <class T>
  using reply = boost::asio::awaitable<std::shared_ptr<const T>>;
  using caller_filter = std::optional<racing::caller_id>;
  using window_length = std::optional<std::chrono::milliseconds>;

  // All members must outlive the fleet_reports object.
  struct sources {
    house_loop& house;
    fleet_keeping& fleet;
    score_keeping& scores;
    forecast_store& speeds;
    usage_keeping& usage;
    advice_reports& advice;
  };

  explicit fleet_reports(sources from);

  // Any thread may call the functions below. The calling coroutine continues on its own thread.

  // Returns the statistics, which may be up to a second old. `since` limits them to the last minutes or hours; if it is
  // empty, all stored statistics are returned. `gateway` selects one gateway; if it is empty, the statistics cover all
  // gateways. Each `caller` may run only a few of these queries at the same time.
  reply<fleet_stats> stats(std::string gateway, window_length since, std::string caller = {}) {
    return from_.house.ask(read_stats(std::move(gateway), since, std::move(caller)));
  }
  // Returns the usage, including requests that have just ended.
  reply<usage_report> usage(usage_query wanted) { return from_.house.ask(read_usage(std::move(wanted))); }
  // Finds the receipt of a race by its id. `caller` limits the search to the receipts of one caller. Returns null if
  // the receipt is no longer stored.
  reply<race_receipt> receipt(std::string id, caller_filter caller) {
    return from_.house.ask(find_receipt(std::move(id), caller));
  }
  // Finds the receipt of a race that another gateway on the same store has run. `caller` is the client's name.
  // `sees_all` is true if this client may see the races of all clients.
  boost::asio::awaitable<fleet_receipt> receipt_elsewhere(std::string id, std::string caller, bool sees_all);
  // Returns the newest races of all gateways or of one gateway. If `caller` is empty, the list has the
  // races of all callers.
  reply<fleet_races> races(fleet_query wanted, caller_filter caller);

  // Any thread may call this. Sets the salt with which callers' names are hashed. A gateway can search for a caller's
  // receipts at another gateway only if both use the same salt.
  void share_receipts(std::uint64_t salt) { receipt_salt_.store(salt, std::memory_order_relaxed); }

 private:
  reply<fleet_stats> read_stats(std::string gateway, window_length since, std::string caller);
  reply<usage_report> read_usage(usage_query wanted);
  reply<race_receipt> find_receipt(std::string id, caller_filter caller);
  reply<fleet_races> list_races(fleet_query wanted, caller_filter caller);
  void answer_others();
  std::string answer(const fleet_query& asked);
  template <class Asked>
  caller_filter print_of(const Asked& asked) const;

  const sources from_;
  racing::instant next_usage_report_{};
  std::atomic<std::uint64_t> receipt_salt_ = 0;
};

}  // namespace photofinish::gateway
