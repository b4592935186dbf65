#include "proxy/loop/large_reads.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace photofinish::proxy {

namespace asio = boost::asio;

asio::awaitable<void> large_reads::wait(asio::any_io_executor loop, peer whose) {
  auto& its = asio::use_service<large_reads>(asio::query(loop, asio::execution::context));
  its.mark(loop);
  if (its.takes_one(whose)) co_return;
  waiting place(1);  // memory is allocated before the wait, because an exception in a suspended coroutine would be lost
  auto store = [&its, &place, whose](auto handler) {
    asio::any_completion_handler<void()> kept(std::move(handler));
    kept.swap(place.front());  // swap() is used because move assignment is broken in Boost 1.81
    waiting& queue = its.waiting_[static_cast<std::size_t>(whose)];
    queue.splice(queue.end(), place);
  };
  auto called = asio::async_initiate<const asio::deferred_t, void()>(std::move(store), asio::deferred);
  co_await std::move(called);
}

void large_reads::unbind(asio::io_context& loop) {
  auto& its = asio::use_service<large_reads>(loop);
  ++its.unbound_;
  while (its.waiting_count() > 0) its.call_next(loop.get_executor());
}

void large_reads::bind(asio::io_context& loop) { --asio::use_service<large_reads>(loop).unbound_; }

void large_reads::shutdown() { const auto gone = std::exchange(waiting_, {}); }

bool large_reads::takes_one(peer whose) {
  if (unbound_ > 0) return true;
  if (taken_ >= in_a_pass || !waiting_[static_cast<std::size_t>(whose)].empty()) return false;
  ++taken_;
  return true;
}

// Queues a handler that ends this pass of the event loop. The handler runs after all handlers that are ready now, and
// after the reactor has polled the sockets. As long as any reader waits, such a handler is queued.
void large_reads::mark(const asio::any_io_executor& loop) {
  if (std::exchange(is_marked_, true)) return;
  asio::post(loop, [this, loop] { begin_pass(loop); });
}

void large_reads::begin_pass(const asio::any_io_executor& loop) {
  is_marked_ = false;
  const std::size_t some = std::max(in_a_pass, waiting_count() / part);
  for (taken_ = 0; taken_ < some && waiting_count() > 0; ++taken_) call_next(loop);
  if (taken_ > 0) mark(loop);
}

void large_reads::call_next(const asio::any_io_executor& loop) {
  if (waiting_[next_].empty()) next_ = 1 - next_;
  waiting& whose = waiting_[next_];
  asio::post(loop, std::move(whose.front()));
  whose.pop_front();
  next_ = 1 - next_;
}

}  // namespace photofinish::proxy
