// Turns events into the bytes of one client's answer, in the words of that client's API. A streamed and a whole answer
// are two writers of one relay loop. [pure]
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

// An answer's own fields, used if the provider's JSON is not passed on.
struct answer_identity {
  std::string id;            // the id without the API's prefix
  std::int64_t created = 0;  // Unix time in seconds
  std::string model;         // the winner's model
  proxy::wire_format spoken = proxy::wire_format::none;  // the format that the winner speaks
  // Set if the provider keeps the answer: returns the id that the client gets in place of the provider's id. Null: the
  // provider's id passes.
  std::function<std::string(std::string_view)> shown_id = {};
  std::string previous_id = {};  // the client's id of the previous response; empty: there was none
  // Called once with the answer's output items, a JSON list, if clients may refer to them later. Null: they may not.
  std::function<void(std::string_view)> keep_items = {};
};

class answer_writer {
 public:
  virtual ~answer_writer() = default;

  // Writes the event for the client; a whole answer is buffered instead. The event's JSON and deltas live until the
  // next call. After a failure the answer cannot be written, and the caller may add nothing more.
  virtual proxy::result<void> add(const proxy::stream_event& event, outgoing& to) = 0;

  // Called after the last event and before end(), for the work on all of a whole answer. If the answer is long, the
  // work may run on another thread; no other function is called meanwhile. A failure: the answer cannot be written.
  virtual bool is_long() const { return false; }
  virtual proxy::result<void> make_ready() { return {}; }

  // Called after the last event: writes the end of the stream, or the whole answer.
  virtual void end(outgoing& to) = 0;

  // Ends a stream that has begun with an error.
  virtual void fail(const api_error& error, outgoing& to) = 0;

  // Approximate number of bytes kept until end().
  virtual std::size_t held_bytes() const { return 0; }

  // Called if memory is short: drops the data that only later requests would need.
  virtual void keep_less() {}
};

}  // namespace photofinish::gateway
