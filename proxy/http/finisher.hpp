// Reads the last bytes of answers that the client already has completely, so that the connections can be used again.
// The end of a chunked body often arrives in a separate packet, and no client should wait for this packet. Each worker
// has one finisher. To end a finisher, call stop(), co_await drained(), then destroy it.
#pragma once

#include "proxy/http/exchange.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/loop/signal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <list>
#include <memory>

namespace photofinish::proxy {

class finisher {
 public:
  static constexpr std::chrono::seconds patience{1};
  static constexpr std::size_t max_left_over = 64u << 10;  // if more bytes than this remain, the connection is closed

  finisher(alarms& clock, boost::asio::any_io_executor executor) : clock_(clock), executor_(std::move(executor)) {}
  ~finisher();

  void take(std::unique_ptr<exchange> answered);
  void stop() noexcept;
  boost::asio::awaitable<void> drained();

 private:
  struct child {
    child(std::unique_ptr<exchange> its, alarms& clock)
        : answered(std::move(its)), limit(clock, [this] { answered->cancel(); }) {}

    std::unique_ptr<exchange> answered;
    alarm limit;
  };

  boost::asio::awaitable<void> finish(child& each);

  alarms& clock_;
  boost::asio::any_io_executor executor_;
  std::list<child> children_;
  bool is_stopped_ = false;
  signal drained_;
};

}  // namespace photofinish::proxy
