// One answer on its way to one client: head, framing, comments; streamed or whole. What one read of the provider
// brought leaves in one write; a lone event is sent from where it was read, without being copied. What it says is the
// answer_writer's.
#pragma once

#include "gateway/api/outgoing.hpp"
#include "gateway/api/parsed_request.hpp"
#include "gateway/http/client_connection.hpp"
#include "gateway/http/response.hpp"
#include "proxy/memory/memory_share.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

class client_answer {
 public:
  // `batch` is the worker's scratch text; it is used between two suspensions only. `memory` is for a whole answer.
  client_answer(client_connection& client, std::string& batch, answer_form form, response_style style,
                proxy::memory_share memory = {});

  // The head goes with the first bytes; of a stream it may leave before (keepalive_after). One of the two, once.
  // Without a type a stream is one of events, and a whole answer is JSON.
  void begin(const header_fields& fields, std::string_view content_type = {});
  void begin_early(const header_fields& fields);
  bool has_begun_early() const { return has_begun_early_; }
  // The head is on its way: an error can only stand behind it.
  bool has_begun() const { return has_begun_; }

  // A whole event or comment from outside the writing coroutine, while it waits for something else.
  void send_keepalive(std::string_view event);
  // A comment to go in front of the next events.
  void comment(std::string_view text);
  // Of an answer that began with one target: who goes on with it, as a header may carry it. A comment in a stream of
  // events, a field where the head has not left.
  void continued_by(std::string_view target);

  // Adds a header to a whole answer. Without effect on a stream, and after the head has left.
  void add_field(std::string_view name, std::string_view value);

  bool is_streamed() const { return form_ != answer_form::whole; }
  // Comments may stand in it.
  bool is_of_events() const { return form_ == answer_form::stream; }
  // A client sees that it was cut; of bytes whose end is the connection's own it does not.
  bool shows_its_end() const { return is_of_events() || is_chunked_; }
  // Room that is there already for what comes.
  void take_room(proxy::memory_share room) { held_ = std::move(room); }
  // Room for what is kept of the answer: of a whole one until its end, of a stream as it comes and goes. False: there
  // is none.
  bool hold(std::size_t bytes) {
    if (is_streamed()) held_.shrink_to(bytes);
    return held_.grow_to(bytes, proxy::memory_use::running);
  }

  // What is laid down here goes out with start(): `is_last` ends the answer. What the kernel takes at once is on its
  // way when that returns, and nothing that was laid down is needed any more. Unless all is written, finish() must be
  // awaited before the next.
  outgoing& out() { return out_; }
  void start(bool is_last);
  bool is_written() const { return client_.is_written(); }
  boost::asio::awaitable<bool> finish() { return client_.finish_write(); }  // false: the client has left

 private:
  void start_streamed(bool is_last);
  void start_long(bool is_last);
  void start_whole();
  void forget_pending();

  client_connection& client_;
  response_style style_;
  answer_form form_;
  bool is_chunked_;
  bool has_begun_ = false;
  bool has_begun_early_ = false;
  std::string pending_;  // head and comments that wait for the next write
  outgoing out_;
  header_fields fields_;  // of a whole answer, until its length is known
  std::string type_;      // likewise
  proxy::memory_share held_;
};

}  // namespace photofinish::gateway
