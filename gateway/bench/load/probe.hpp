// Helps before the load starts: lists the models, and explains a refusal to the person who typed the command.
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

// Requests GET /models. Returns the model ids in the endpoint's order.
class models_query {
 public:
  // `to` must outlive the query.
  models_query(proxy::outbound& over, const endpoint& to, std::chrono::microseconds timeout);

  boost::asio::awaitable<proxy::result<std::vector<std::string>>> run();  // call run() only once
  void cancel() noexcept { call_.cancel(); }

 private:
  const endpoint& to_;
  const std::chrono::microseconds timeout_;
  proxy::fetch call_;
};

// Returns the `id`s of {"data":[{"id":...}]}. Returns an empty list if the text has another form.
std::vector<std::string> model_ids(std::string_view json);

// Describes the failure, and how the user can fix it.
std::string explain(const proxy::failure& why, const endpoint& to, const std::string& model,
                    const std::vector<std::string>& models);

// Returns true if another request would fail for the same reason, so that a load makes no sense.
bool is_hopeless(const proxy::failure& why);

}  // namespace photofinish::gateway::bench
