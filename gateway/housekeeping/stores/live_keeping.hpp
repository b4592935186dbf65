// The data for the live page. While a page is open, workers report races, and figures are read once per second from
// existing counts. While no page is open, no data is made, and workers send nothing. Used on the housekeeper's thread,
// except functions that are called before the workers start.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/page/fleet_figures.hpp"
#include "gateway/page/live_figures.hpp"
#include "gateway/page/live_races.hpp"
#include "gateway/records/price_book.hpp"
#include "metrics/exposition.hpp"
#include "metrics/shard.hpp"
#include "racing/adaptive/forecast_board.hpp"
#include "racing/scoreboard.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

using flights_reader = std::function<std::map<std::string, std::uint32_t>()>;

class live_keeping {
 public:
  // Limit for the races per second that all workers together show.
  static constexpr double shown_per_second = 16;
  // An open page sends a request each second. A page that has sent none for this time counts as closed.
  static constexpr std::chrono::seconds patience{5};

  // Called with the number of races that one worker may show per second. After the last page has
  // closed, the number is 0.
  using publish = std::function<void(double)>;

  explicit live_keeping(std::vector<const metrics::shard*> shards) : shards_(std::move(shards)) {}

  // Call this before the workers start.
  void watch(publish on_open, flights_reader read_flights) {
    on_open_ = std::move(on_open);
    read_flights_ = std::move(read_flights);
  }

  void adopt(std::shared_ptr<const config> settings) { settings_ = std::move(settings); }

  bool is_open() const { return is_open_; }
  // Records that a page requests the figures of all gateways, or of the gateway `only`. The figures are available after
  // the next tick. Returns true if no other page is open.
  bool ask(racing::instant now, const std::string& only);
  // Lets workers show races. Called after the first page has asked for figures.
  void open(std::size_t workers) { on_open_(shown_per_second / static_cast<double>(workers)); }

  void put(std::shared_ptr<const race_receipt> seen) {
    if (is_open_) races_.put(std::move(seen));
  }

  // The sources of the page's figures, except races.
  struct sources {
    std::string version;
    std::chrono::sys_seconds started_at;
    racing::scoreboard board;
    std::vector<metrics::speculation_facts> budgets;
    std::shared_ptr<const racing::forecast_board> speed;  // speeds of targets; null if no route is planned by speed
    bool is_watched = false;    // true if a live page is open at another gateway
    fleet_scope scope = {};     // the gateways that the sum over all gateways covers
    std::vector<std::pair<std::string, std::string>> others = {};  // the names and figures of the other gateways
  };
  // Called once per second while a live page is open at any gateway. Returns false if all pages are closed.
  bool tick(racing::instant now, const sources& all);
  // The figures of this gateway, as other gateways get them. They are from the last tick.
  const std::string& shared_text() const { return shared_text_; }

  bool has_figures_of(const std::string& only) const { return figures_.contains(only); }
  // Returns the figures and the races that have changed since the tick `since`, or all races if `since` is 0. Returns
  // null if has_figures_of() is false.
  std::shared_ptr<const std::string> text(std::uint64_t since, const std::string& only);

 private:
  live_figures read_figures(racing::instant now, const sources& all);
  using flight_map = std::map<std::string, std::uint32_t>;
  void read_targets(live_figures& into, const sources& all, const flight_map& flights, racing::instant now);
  void read_routes(live_figures& into, const sources& all);
  void foresee_races(live_figures& into, const sources& all, const flight_map& flights, racing::instant now);
  std::shared_ptr<const std::string> compose(std::uint64_t since, const std::string& only) const;
  void close_pages(racing::instant now);
  void write_figures(live_figures own, const sources& all);

  const std::vector<const metrics::shard*> shards_;
  publish on_open_ = [](double) {};
  flights_reader read_flights_ = [] { return std::map<std::string, std::uint32_t>(); };
  std::shared_ptr<const config> settings_;
  price_book prices_;
  live_races races_;
  // The figures as JSON, keyed by the name of the selected gateway. The empty name stands for all gateways.
  std::map<std::string, std::string> figures_;
  // The gateways whose figures pages request, with the time of the last request.
  std::map<std::string, racing::instant> narrowed_;
  std::string shared_text_, own_name_;
  std::shared_ptr<const std::string> latest_;  // the figures of all gateways for pages that asked at the last tick
  bool is_open_ = false;
  racing::instant asked_at_{}, read_at_{};
  std::uint64_t requests_ = 0;  // the total number of requests at the time `read_at_`
};

}  // namespace photofinish::gateway
