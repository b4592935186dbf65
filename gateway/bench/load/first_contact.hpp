// Prepares the load test of one endpoint. Chooses the model and sends one request, to find out if the endpoint can
// answer at all.
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
  // The arguments `over` and `to` must outlive this object. The time limit `timeout` applies to each request.
  first_contact(proxy::outbound& over, const endpoint& to, std::chrono::microseconds timeout);

  // Returns `model` if it is given, otherwise the first model in the endpoint's list. Always requests the list: if
  // `model` is wrong, the error message can suggest a model with a similar name. Returns an empty text if there is no
  // model; problem() then contains the reason.
  boost::asio::awaitable<std::string> choose_model(std::string model);

  // Checks the first request, `tried`, and returns true if the load test can start. If the request failed, problem() or
  // warning() contains the reason.
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
