// One attempt at one provider as its user sees it: open it, take its events, close it.
// The seam between racing and the network: every test double implements it.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace photofinish::proxy {

class upstream {
 public:
  virtual ~upstream() = default;

  // Connects, sends the request, and reads up to a response head that promises an answer.
  virtual boost::asio::awaitable<result<void>> open() = 0;

  // Waits until read() may bring something; it may come for nothing. After `end` or a failure neither is called
  // again.
  virtual boost::asio::awaitable<void> readable() = 0;
  // One read: the first event that it completes, if any.
  virtual std::optional<result<stream_event>> read() = 0;

  // The next event that has been read already: what one read brought is written together. Once an event has come, ask
  // until there is none before suspending: what was read and not yet taken lies in a buffer that all streams of the
  // thread share.
  virtual std::optional<result<stream_event>> poll() = 0;
  // Instead of asking until there is none: what was read and not yet taken is kept for this upstream alone, and the
  // caller may suspend. False: events are here that have to be asked for first.
  virtual bool keep_unread() { return false; }
  // Whether poll() might give one. Asking does not end the life of the last event's pieces.
  virtual bool may_have_event() const = 0;

  // Stops everything at once: legal in every state, from DNS to body, and after the end. A pending open() ends with
  // failure_kind::cancelled, a pending readable() so that read() does, in a later turn of the loop. Idempotent.
  virtual void close() noexcept = 0;

  virtual const stream_summary& summary() const = 0;
};

}  // namespace photofinish::proxy
