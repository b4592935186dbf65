// Turns events into the bytes of one client's answer, in the format of that client's API. Streamed and non-streamed
// answers have different writers with the same interface. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/api/outgoing.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The id, time and model of the answer. The client gets these values if the gateway itself writes the answer's JSON.
struct answer_identity {
  std::string id;            // the answer's id without the prefix that the API uses, such as "chatcmpl-"
  std::int64_t created = 0;  // the time of the answer, as Unix time in seconds
  std::string model;         // the name of the winner's model
  proxy::wire_format spoken = proxy::wire_format::none;  // the wire format of the winner's provider
  // Converts the id that the provider gave its answer to the id that the client gets. Set only if the provider stores
  // the answer. If null, the client gets the provider's id.
  std::function<std::string(std::string_view)> shown_id = {};
  std::string previous_id = {};  // the client's id of the previous response; empty if there is no previous response
  // A function that receives the answer's output items as a JSON list, in one call. Null unless later requests may
  // refer to these items.
  std::function<void(std::string_view)> keep_items = {};
};

class answer_writer {
 public:
  virtual ~answer_writer() = default;

  // Writes a provider's event into the client's answer. A writer of non-streamed answers only buffers the event. The
  // caller must keep the event's JSON and deltas valid until the next call. After a failure the answer cannot be
  // written, and the caller must not add more events.
  virtual proxy::result<void> add(const proxy::stream_event& event, outgoing& to) = 0;

  // make_ready() does work that needs the complete answer. It is called between the last event and end(). If is_long()
  // returns true, make_ready() may run on another thread. Meanwhile, no other function of the writer is called. If
  // make_ready() fails, the answer cannot be written.
  virtual bool is_long() const { return false; }
  virtual proxy::result<void> make_ready() { return {}; }

  // Writes the end of the stream, or the complete answer if it is not streamed. Called after the last event was added.
  virtual void end(outgoing& to) = 0;

  // Writes an error into a stream that has already begun, and ends the stream.
  virtual void fail(const api_error& error, outgoing& to) = 0;

  // The approximate number of bytes that the writer keeps until end() is called.
  virtual std::size_t held_bytes() const { return 0; }

  // Drops data that only later requests of the client would need. Called if memory is short.
  virtual void keep_less() {}
};

}  // namespace photofinish::gateway
