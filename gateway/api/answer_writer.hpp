// Events -> the bytes that one client waits for, in its own API's words. A streamed and a whole answer are two writers
// of one relay loop. [pure]
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

// What an answer says of itself where its provider's JSON is not passed on.
struct answer_identity {
  std::string id;            // without the API's prefix
  std::int64_t created = 0;  // Unix time in seconds
  std::string model;         // the winner's
  proxy::wire_format spoken = proxy::wire_format::none;  // by the winner
  // Where its provider keeps the answer: what the client gets in place of the provider's id. Null: the id passes.
  std::function<std::string(std::string_view)> shown_id = {};
  std::string previous_id = {};  // as the client called the response before; empty: there was none
  // Called once with the answer's output items, a JSON list, where clients may refer to them later. Null: they may not.
  std::function<void(std::string_view)> keep_items = {};
};

class answer_writer {
 public:
  virtual ~answer_writer() = default;

  // What the event has to say to the client; of a whole answer it is kept. The event's JSON and deltas live until the
  // next call. A failure: the answer cannot be written, and nothing more may come.
  virtual proxy::result<void> add(const proxy::stream_event& event, outgoing& to) = 0;

  // Behind the last event and before end(): what is to be done with all of a whole answer. Where it is long, it may be
  // done on another thread, and nothing else is called meanwhile. A failure: the answer cannot be written.
  virtual bool is_long() const { return false; }
  virtual proxy::result<void> make_ready() { return {}; }

  // Behind the last event: the end of the stream, or the whole answer.
  virtual void end(outgoing& to) = 0;

  // A stream that has begun ends with an error.
  virtual void fail(const api_error& error, outgoing& to) = 0;

  // Bytes kept until end(), about.
  virtual std::size_t held_bytes() const { return 0; }

  // Memory is short: what is kept beside the answer, for later requests alone, is forgotten.
  virtual void keep_less() {}
};

}  // namespace photofinish::gateway
