// Reports of advice: the results of each policy for the routes of a configuration, by the races of all gateways or of
// one.
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
  // Reports are computed on the thread of `counting`. All that is referred to outlives this.
  advice_reports(house_loop& house, const housekeeping& how, std::size_t workers, long_work& counting,
                 fleet_keeping& fleet)
      : house_(house), counting_(counting), fleet_(fleet), races_(house, how, workers) {}

  // Any thread. The advice for the routes of that configuration, at most a minute old. `gateway` selects the races of
  // one gateway; if it is empty, of all. The caller resumes on its own thread.
  boost::asio::awaitable<std::shared_ptr<const advice_report>> report(std::shared_ptr<const config> settings,
                                                                      std::string gateway) {
    return house_.ask(advise(std::move(settings), std::move(gateway)));
  }

  advice_keeping& races() { return races_; }
  // The housekeeper's thread: the records of this gateway, as bytes for another one.
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
  std::map<std::string, known_report> known_;  // by the gateway that it is narrowed to
  bool is_advising_ = false;
};

}  // namespace photofinish::gateway
