// Before the load: which models there are, and what a refusal means for the person who typed the command.
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

// GET /models: the ids it tells, in its order.
class models_query {
 public:
  // `to` outlives the query.
  models_query(proxy::outbound& over, const endpoint& to, std::chrono::microseconds timeout);

  boost::asio::awaitable<proxy::result<std::vector<std::string>>> run();  // once
  void cancel() noexcept { call_.cancel(); }

 private:
  const endpoint& to_;
  const std::chrono::microseconds timeout_;
  proxy::fetch call_;
};

// The `id`s of {"data":[{"id":...}]}; empty when it is nothing of the kind.
std::vector<std::string> model_ids(std::string_view json);

// What went wrong, and what to do about it.
std::string explain(const proxy::failure& why, const endpoint& to, const std::string& model,
                    const std::vector<std::string>& models);

// It will not get better by asking again: no load makes sense.
bool is_hopeless(const proxy::failure& why);

}  // namespace photofinish::gateway::bench
