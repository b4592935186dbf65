#include "gateway/server/handshake_turns.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

asio::awaitable<void> handshake_turns::wait(ticket& mine) {
  post();
  if (taken_ < steps_in_turn && waiting_.empty()) {
    ++taken_;
    co_return;
  }
  mine.is_waiting_ = true;
  waiting_.push_back(&mine);
  while (mine.is_waiting_) co_await mine.called_.wait();
}

void handshake_turns::leave(ticket& mine) {
  if (!std::exchange(mine.is_waiting_, false)) return;
  std::erase(waiting_, &mine);
  mine.called_.wake();
}

void handshake_turns::post() {
  if (std::exchange(is_posted_, true)) return;
  asio::post(loop_, [this] { next(); });
}

void handshake_turns::next() {
  is_posted_ = false;
  taken_ = 0;
  while (taken_ < steps_in_turn && !waiting_.empty()) {
    ticket& first = *waiting_.front();
    waiting_.pop_front();
    ++taken_;
    first.is_waiting_ = false;
    first.called_.wake();
  }
  if (taken_ > 0 || !waiting_.empty()) post();
}

}  // namespace photofinish::gateway
