#include "proxy/http/finisher.hpp"

#include "proxy/loop/spawn.hpp"

#include <cassert>
#include <utility>

namespace photofinish::proxy {

namespace asio = boost::asio;

finisher::~finisher() { assert(children_.empty()); }

void finisher::take(std::unique_ptr<exchange> answered) {
  if (is_stopped_) return;
  if (answered->is_taken()) return void(answered->read());
  const auto at = children_.emplace(children_.end(), std::move(answered), clock_);
  const auto ended = [this, at] {
    children_.erase(at);
    if (children_.empty()) drained_.wake();
  };
  try {
    at->limit.arm(clock_.now() + patience);
    spawn(executor_, "reading the rest of an answer", finish(*at), ended);
  } catch (...) {  // The coroutine did not start. The connection is closed, but the client already has the complete
                   // answer.
    report_bug("reading the rest of an answer", std::current_exception());
    ended();
  }
}

asio::awaitable<void> finisher::finish(child& each) {
  std::size_t left_over = 0;
  while (left_over <= max_left_over) {
    auto bytes = co_await each.answered->next();
    if (!bytes || bytes->empty()) co_return;
    left_over += bytes->size();
  }
}

void finisher::stop() noexcept {
  is_stopped_ = true;
  for (child& each : children_) each.answered->cancel();
}

asio::awaitable<void> finisher::drained() {
  while (!children_.empty()) co_await drained_.wait();
}

}  // namespace photofinish::proxy
