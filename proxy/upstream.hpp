// An upstream is one attempt at one provider: its user opens it, reads its events and closes it. This interface
// separates racing from the network. All test doubles implement it.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace photofinish::proxy {

class upstream {
 public:
  virtual ~upstream() = default;

  // Connects, sends the request, and reads the head of the response. If the response is an error answer, open() returns
  // a failure.
  virtual boost::asio::awaitable<result<void>> open() = 0;

  // Waits until read() may return something. Sometimes returns although nothing has arrived. After the event `end` or a
  // failure, readable() and read() must not be called again.
  virtual boost::asio::awaitable<void> readable() = 0;
  // Reads from the connection once. Returns the first complete event, or nothing if no event is complete yet.
  virtual std::optional<result<stream_event>> read() = 0;

  // Returns the next event that has already been read. The caller can then write all events of one read together. After
  // read() has returned an event, call poll() until it returns nothing, and do not suspend before that. The unread
  // bytes are in a buffer that all streams of the thread share.
  virtual std::optional<result<stream_event>> poll() = 0;
  // Call this function if you have to suspend while poll() may still return events. It copies the unread bytes to this
  // upstream's own memory. Returns false if poll() must first return more events.
  virtual bool keep_unread() { return false; }
  // True if poll() may return an event. A call of this function does not invalidate the last returned event.
  virtual bool may_have_event() const = 0;

  // Stops everything immediately, in any state from DNS lookup to body, and also after the end. A pending open() ends
  // with failure_kind::cancelled. A pending readable() ends in a later turn of the event loop, and read() then returns
  // this failure. Repeated calls have no effect.
  virtual void close() noexcept = 0;

  virtual const stream_summary& summary() const = 0;
};

}  // namespace photofinish::proxy
