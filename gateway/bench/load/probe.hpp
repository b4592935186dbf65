// Lists the endpoint's models before the load starts, and explains failed requests to the user.
#pragma once

#include "gateway/bench/load/endpoint.hpp"
#include "proxy/failures/result.hpp"
#include "proxy/fetch.hpp"
#include "proxy/outbound.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::bench {

// Sends GET /models to the endpoint. Returns the ids of the models in the endpoint's order.
class models_query {
 public:
  // The endpoint `to` must outlive this object.
  models_query(proxy::outbound& over, const endpoint& to, std::chrono::microseconds timeout);

  boost::asio::awaitable<proxy::result<std::vector<std::string>>> run();  // call run() only once
  void cancel() noexcept { call_.cancel(); }

 private:
  const endpoint& to_;
  const std::chrono::microseconds timeout_;
  proxy::fetch call_;
};

// Returns the values of `id` in a list of models, {"data":[{"id":...}]}. Returns an empty list if the text has another
// form.
std::vector<std::string> model_ids(std::string_view json);

// Describes a failed request, and how the user can fix the problem.
std::string explain(const proxy::failure& why, const endpoint& to, const std::string& model,
                    const std::vector<std::string>& models);

// Returns true if every other request to the endpoint would fail for the same reason as the first request. A load test
// would then be pointless.
bool is_hopeless(const proxy::failure& why);

}  // namespace photofinish::gateway::bench
