// Computes advice for the routes of a configuration. The advice estimates how well each race policy would have served
// the past requests of a route. The estimates are based on the races of one gateway or of all gateways.
#pragma once

#include "gateway/advice/advice_page.hpp"
#include "gateway/config/config.hpp"
#include "gateway/housekeeping/stores/advice_keeping.hpp"
#include "gateway/threads/long_work.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {

class fleet_keeping;

class advice_reports {
 public:
  // `counting` provides the thread that computes the reports. All arguments must outlive this object.
  advice_reports(house_loop& house, const housekeeping& how, std::size_t workers, long_work& counting,
                 fleet_keeping& fleet)
      : house_(house), counting_(counting), fleet_(fleet), races_(house, how, workers) {}

  // Any thread may call this. Returns advice for the routes of `settings`. The advice may be up to a minute old.
  // `gateway` is the name of the gateway whose races are used; if it is empty, the races of all gateways are used. The
  // calling coroutine continues on its own thread.
  boost::asio::awaitable<std::shared_ptr<const advice_report>> report(std::shared_ptr<const config> settings,
                                                                      std::string gateway) {
    return house_.ask(advise(std::move(settings), std::move(gateway)));
  }

  advice_keeping& races() { return races_; }
  // Called on the housekeeper's thread. Encodes this gateway's records of past races for another gateway.
  std::string own_records();

 private:
  struct known_report {
    std::shared_ptr<const config> settings;
    std::shared_ptr<const advice_report> report;
  };

  boost::asio::awaitable<std::shared_ptr<const advice_report>> advise(std::shared_ptr<const config> settings,
                                                                      std::string gateway);
  bool is_fresh(const known_report& known, const std::shared_ptr<const config>& settings,
                racing::wall_time now) const;

  house_loop& house_;
  long_work& counting_;
  fleet_keeping& fleet_;
  advice_keeping races_;
  // The cached reports, keyed by the name of the gateway that they are about.
  std::map<std::string, known_report> known_;
  bool is_advising_ = false;
};

}  // namespace photofinish::gateway
