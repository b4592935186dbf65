// Sends one answer to one client, streamed or whole: head, framing and comments. All events of one read from the
// provider are sent in one write. A lone event is sent from the buffer into which it was read, without a copy. The
// answer_writer determines the content.
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
  // `batch` is the worker's scratch text, used only between two suspensions. `memory` accounts for a whole answer.
  client_answer(client_connection& client, std::string& batch, answer_form form, response_style style,
                proxy::memory_share memory = {});

  // Begins the answer. The head is sent with the first bytes, or before them in a stream (keepalive_after).
  // The caller calls one of these two functions, once. Without a type, a stream has the type of events, and
  // a whole answer is JSON.
  void begin(const header_fields& fields, std::string_view content_type = {});
  void begin_early(const header_fields& fields);
  bool has_begun_early() const { return has_begun_early_; }
  // True if the head was sent. An error can then only follow it.
  bool has_begun() const { return has_begun_; }

  // Sends a whole event or comment from outside the writing coroutine, while that coroutine waits for something else.
  void send_keepalive(std::string_view event);
  // Adds a comment before the next events.
  void comment(std::string_view text);
  // Names the target that continues an answer, in a form that is safe for a header. The name is a comment in a stream
  // of events, or a field if the head was not sent yet.
  void continued_by(std::string_view target);

  // Adds a header to a whole answer. Has no effect on a stream, or after the head was sent.
  void add_field(std::string_view name, std::string_view value);

  bool is_streamed() const { return form_ != answer_form::whole; }
  // True if the stream may contain comments.
  bool is_of_events() const { return form_ == answer_form::stream; }
  // True if a client can see that the answer was cut. It cannot see this if the answer's end is the
  // end of the connection.
  bool shows_its_end() const { return is_of_events() || is_chunked_; }
  // Takes over memory that is already reserved for the answer.
  void take_room(proxy::memory_share room) { held_ = std::move(room); }
  // Reserves memory for the buffered part of the answer: a whole answer until its end, or a stream as needed. Returns
  // false if there is no memory.
  bool hold(std::size_t bytes) {
    if (is_streamed()) held_.shrink_to(bytes);
    return held_.grow_to(bytes, proxy::memory_use::running);
  }

  // Returns the bytes that start() sends. `is_last` ends the answer. When start() returns, the kernel has accepted as
  // many bytes as it could, and the added pieces are no longer needed. If bytes are left, finish() must be awaited
  // before the next start().
  outgoing& out() { return out_; }
  void start(bool is_last);
  bool is_written() const { return client_.is_written(); }
  // Waits until all bytes are written. Returns false if the client has left.
  boost::asio::awaitable<bool> finish() { return client_.finish_write(); }

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
  std::string pending_;  // the head and comments that the next write sends
  outgoing out_;
  header_fields fields_;  // the head of a whole answer, until its length is known
  std::string type_;      // the content type of a whole answer, until its length is known
  proxy::memory_share held_;
};

}  // namespace photofinish::gateway
