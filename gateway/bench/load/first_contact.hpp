// Before the load: which model is asked for, and what one tried request says. One endpoint's.
#pragma once

#include "gateway/bench/load/load_driver.hpp"
#include "gateway/bench/load/probe.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

class first_contact {
 public:
  // Both outlive it. `timeout` is that of one request.
  first_contact(proxy::outbound& over, const endpoint& to, std::chrono::microseconds timeout);

  // `model` where it is given, else the first that the endpoint lists. The list is asked for in any case: it is also
  // what a wrong name is compared with. Empty: there is none, and problem() says why.
  boost::asio::awaitable<std::string> choose_model(std::string model);

  // Whether a load makes sense after that one request. Where it failed, problem() or warning() says how.
  bool may_go_on(const request_record& tried, const std::string& model);

  const std::string& problem() const { return problem_; }
  const std::string& warning() const { return warning_; }
  void cancel() noexcept { query_.cancel(); }

 private:
  const endpoint& to_;
  models_query query_;
  std::vector<std::string> models_;
  std::string problem_;
  std::string warning_;
};

}  // namespace photofinish::gateway::bench
