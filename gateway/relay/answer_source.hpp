// The source of an answer's events, such as the winner of a race. The relay code uses only this interface.
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

  // Returns an event that has already arrived, or nothing. After poll() has returned an event, the caller must call it
  // again until it returns nothing, and must not suspend before that. The reason is that the unread events are in a
  // buffer that other sources also use.
  virtual std::optional<proxy::result<proxy::stream_event>> poll() = 0;
  // True if poll() may return an event. After this call, the pieces of the last returned event are still valid.
  virtual bool may_have_event() const = 0;

  // Waits until read() may return an event. It may also return before an event has arrived. It must not be called after
  // the event `end` or a failure.
  virtual boost::asio::awaitable<void> readable() = 0;
  virtual std::optional<proxy::result<proxy::stream_event>> read() = 0;

  // Returns the next event, by means of poll(), readable() and read().
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
