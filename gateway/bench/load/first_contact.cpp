#include "gateway/bench/load/first_contact.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway::bench {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds models_patience{15};

}  // namespace

first_contact::first_contact(proxy::outbound& over, const endpoint& to, std::chrono::microseconds timeout)
    : to_(to), query_(over, to, std::min<std::chrono::microseconds>(timeout, models_patience)) {}

asio::awaitable<std::string> first_contact::choose_model(std::string model) {
  auto listed = co_await query_.run();
  if (listed) models_ = std::move(*listed);
  if (!model.empty()) co_return model;
  if (!models_.empty()) co_return models_.front();
  problem_ = listed ? "the endpoint lists no models" : explain(listed.error(), to_, "", {});
  problem_ += "; name the model with --model";
  if (!listed && is_hopeless(listed.error()) && listed.error().status == 0)
    problem_ = explain(listed.error(), to_, "", {});
  co_return model;
}

bool first_contact::may_go_on(const request_record& tried, const std::string& model) {
  if (!tried.error) return true;
  const bool may_pass = !is_hopeless(*tried.error);
  (may_pass ? warning_ : problem_) = explain(*tried.error, to_, model, models_);
  return may_pass;
}

}  // namespace photofinish::gateway::bench
