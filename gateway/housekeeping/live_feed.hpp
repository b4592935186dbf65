// The data of the live page: figures and races from this gateway, or from all gateways on its store.
#pragma once

#include "gateway/housekeeping/stores/house_loop.hpp"
#include "gateway/housekeeping/stores/live_keeping.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class fleet_keeping;
class forecast_store;
class score_keeping;

// Facts about the process, which the live page shows.
struct process_facts {
  std::string version;
  std::chrono::sys_seconds started_at;
};

class live_feed {
 public:
  // All members must outlive the live_feed object.
  struct sources {
    house_loop& house;
    fleet_keeping& fleet;
    const score_keeping& scores;
    const forecast_store& speeds;
    const process_facts& process;
  };

  live_feed(sources from, std::vector<const metrics::shard*> shards, std::size_t workers)
      : from_(std::move(from)), workers_(workers), pages_(std::move(shards)) {}

  // Any thread may call this. Returns the races that have changed since the tick `since`, or all races if `since` is 0,
  // together with current figures. If `gateway` is not empty, the figures are only those of this gateway. The result is
  // null if there is no such gateway, and empty if the gateway has sent no figures in time. While pages are open, each
  // worker reports a few of its races per second. The calling coroutine continues on its own thread.
  boost::asio::awaitable<std::shared_ptr<const std::string>> text(std::uint64_t since, std::string gateway) {
    return from_.house.ask(read(since, std::move(gateway)));
  }

  // The functions below are called on the housekeeper's thread.
  void tick();
  live_keeping& pages() { return pages_; }

 private:
  boost::asio::awaitable<std::shared_ptr<const std::string>> read(std::uint64_t since, std::string gateway);

  const sources from_;
  const std::size_t workers_;
  live_keeping pages_;
};

}  // namespace photofinish::gateway
