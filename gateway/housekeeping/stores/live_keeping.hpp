// Provides the data of the live page. While a page is open, workers report races, and this class reads the figures once
// per second from counters that exist anyway. While no page is open, workers report no races, and this class collects
// no data. Use this class on the housekeeper's thread, except for functions that are called before the workers start.
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
  // The maximum number of races per second that all workers together report to the page.
  static constexpr double shown_per_second = 16;
  // The time after which a page counts as closed if it has sent no request. An open page sends a request every second.
  static constexpr std::chrono::seconds patience{5};

  // A function that is called with the number of races per second that one worker may report. It is called with 0 after
  // the last page has closed.
  using publish = std::function<void(double)>;

  explicit live_keeping(std::vector<const metrics::shard*> shards) : shards_(std::move(shards)) {}

  // Call this before the workers start.
  void watch(publish on_open, flights_reader read_flights) {
    on_open_ = std::move(on_open);
    read_flights_ = std::move(read_flights);
  }

  void adopt(std::shared_ptr<const config> settings) { settings_ = std::move(settings); }

  bool is_open() const { return is_open_; }
  // Records that a live page has requested the figures of all gateways, or only of the gateway `only`. The figures are
  // available after the next tick. Returns true if this is the first open page.
  bool ask(racing::instant now, const std::string& only);
  // Lets workers report races. Call this after the first page has requested figures.
  void open(std::size_t workers) { on_open_(shown_per_second / static_cast<double>(workers)); }

  void put(std::shared_ptr<const race_receipt> seen) {
    if (is_open_) races_.put(std::move(seen));
  }

  // The sources of the page's data, except the races.
  struct sources {
    std::string version;
    std::chrono::sys_seconds started_at;
    racing::scoreboard board;
    std::vector<metrics::speculation_facts> budgets;
    std::shared_ptr<const racing::forecast_board> speed;  // the speeds of targets; null if no route needs speeds
    bool is_watched = false;    // true if a live page is open at another gateway
    fleet_scope scope = {};     // the gateways that are included in the figures of all gateways
    std::vector<std::pair<std::string, std::string>> others = {};  // pairs of another gateway's name and its figures
  };
  // Updates the figures. Called once per second while a live page is open at any gateway. Returns false if all pages
  // are closed.
  bool tick(racing::instant now, const sources& all);
  // Returns this gateway's figures at the last tick, in the form that is sent to other gateways.
  const std::string& shared_text() const { return shared_text_; }

  bool has_figures_of(const std::string& only) const { return figures_.contains(only); }
  // Returns the figures, and the races that have changed since the tick `since`. If `since` is 0, returns all races.
  // Returns null if has_figures_of() is false.
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
  // The figures as JSON, keyed by the selected gateway. The empty key stands for the sum over all gateways.
  std::map<std::string, std::string> figures_;
  // The gateways that pages have selected, and the time of the last request for each gateway.
  std::map<std::string, racing::instant> narrowed_;
  std::string shared_text_, own_name_;
  // The data for pages that already have all races up to the last tick. All these pages get the same data, so it is
  // composed only once.
  std::shared_ptr<const std::string> latest_;
  bool is_open_ = false;
  racing::instant asked_at_{}, read_at_{};
  std::uint64_t requests_ = 0;  // the total number of requests when the counters were last read
};

}  // namespace photofinish::gateway
