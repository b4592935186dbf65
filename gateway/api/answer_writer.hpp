// Turns events into the bytes of one client's answer, in the format of that client's API. Streamed and whole answers
// have different writers, but the same relay loop calls both. [pure]
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

// The answer's id, time and model, which the client gets if the gateway writes the answer's JSON itself.
struct answer_identity {
  std::string id;            // the answer's id without the prefix that the API uses, such as "chatcmpl-"
  std::int64_t created = 0;  // time of the answer, as Unix time in seconds
  std::string model;         // name of the winner's model
  proxy::wire_format spoken = proxy::wire_format::none;  // the wire format of the winner's provider
  // Set if the provider keeps the answer: converts the provider's answer id to the id that the client gets. If null,
  // the client gets the provider's id.
  std::function<std::string(std::string_view)> shown_id = {};
  std::string previous_id = {};  // the client's id of the previous response; empty if there is none
  // Called once with the answer's output items, as a JSON list, if clients may refer to these items
  // later. Otherwise null.
  std::function<void(std::string_view)> keep_items = {};
};

class answer_writer {
 public:
  virtual ~answer_writer() = default;

  // Writes a provider's event into the client's answer. A writer of whole answers only buffers the event. The event's
  // JSON and deltas live until the next call. After a failure the answer cannot be written, and the caller must not add
  // more events.
  virtual proxy::result<void> add(const proxy::stream_event& event, outgoing& to) = 0;

  // make_ready() is called after the last event and before end(), for work that needs the whole answer. If is_long(),
  // this work may run on another thread, and no other function of the writer is called meanwhile. If make_ready()
  // fails, the answer cannot be written.
  virtual bool is_long() const { return false; }
  virtual proxy::result<void> make_ready() { return {}; }

  // Writes the end of the stream, or the whole answer. Called after the last event.
  virtual void end(outgoing& to) = 0;

  // Writes an error into a stream that has already begun, and ends the stream.
  virtual void fail(const api_error& error, outgoing& to) = 0;

  // The approximate number of bytes that the writer keeps until the call of end().
  virtual std::size_t held_bytes() const { return 0; }

  // Called if memory is short: drops data that only the client's later requests would need.
  virtual void keep_less() {}
};

}  // namespace photofinish::gateway
