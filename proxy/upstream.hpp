// An upstream is one attempt at one provider: its user opens it, reads its events and closes it. This interface is the
// boundary between racing and the network, and every test double implements it.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace photofinish::proxy {

class upstream {
 public:
  virtual ~upstream() = default;

  // Connects, sends the request, and reads until a response head announces an answer.
  virtual boost::asio::awaitable<result<void>> open() = 0;

  // Waits until read() may return something. It may also return without a reason. After the event `end` or a failure,
  // neither readable() nor read() is called again.
  virtual boost::asio::awaitable<void> readable() = 0;
  // Reads once. Returns the first event that is then complete, if there is one.
  virtual std::optional<result<stream_event>> read() = 0;

  // Returns the next event that has already been read, so that all events of one read are written together. After an
  // event, call poll() until it returns nothing before you suspend. Bytes that were read and not yet taken are in a
  // buffer that all streams of the thread share.
  virtual std::optional<result<stream_event>> poll() = 0;
  // Use this instead of calling poll() until it returns nothing. It stores the bytes that were read and not yet taken
  // for this upstream alone, and the caller may suspend. Returns false if there are events that must be taken first.
  virtual bool keep_unread() { return false; }
  // True if poll() may return an event. The pieces of the last event stay valid.
  virtual bool may_have_event() const = 0;

  // Stops everything immediately. The call is allowed in every state, from DNS to body, and after the end. A pending
  // open() ends with failure_kind::cancelled. A pending readable() ends so that read() returns that failure, in a later
  // turn of the loop. Idempotent.
  virtual void close() noexcept = 0;

  virtual const stream_summary& summary() const = 0;
};

}  // namespace photofinish::proxy
