// Where an answer's events come from: the winner of a race, or anything else that has them. Relaying an answer needs no
// more than this.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <utility>

namespace photofinish::gateway {

class answer_source {
 public:
  virtual ~answer_source() = default;

  // The next event that is here already; none when there is none. Once an event has come, ask until there is none
  // before suspending: what was read and not yet taken lies in a buffer that others share.
  virtual std::optional<proxy::result<proxy::stream_event>> poll() = 0;
  // Whether poll() might give one. Asking does not end the life of the last event's pieces.
  virtual bool may_have_event() const = 0;

  // Waits until read() may bring something; it may come for nothing. Not behind `end` or a failure.
  virtual boost::asio::awaitable<void> readable() = 0;
  virtual std::optional<proxy::result<proxy::stream_event>> read() = 0;

  // The three together.
  boost::asio::awaitable<proxy::result<proxy::stream_event>> next() {
    auto event = poll();
    while (!event) {
      co_await readable();
      event = read();
    }
    co_return std::move(*event);
  }
};

}  // namespace photofinish::gateway
