// Sends one answer to one client: the head, the chunks and comments. The answer is streamed or sent in one piece. All
// events of one read from the provider are sent in one write. A single event is sent directly from the buffer into
// which it was read, without a copy. The answer_writer determines the content.
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
  // `batch` is a buffer of the worker, which is used only until the next suspension. `memory` accounts for an answer
  // that is buffered as a whole.
  client_answer(client_connection& client, std::string& batch, answer_form form, response_style style,
                proxy::memory_share memory = {});

  // The caller must first call begin() or begin_early(), but only once. The response head is sent together with the
  // first bytes of the answer. In a stream the head may be sent earlier (keepalive_after). If no content type is given,
  // a stream gets text/event-stream, and any other answer gets the content type of JSON.
  void begin(const header_fields& fields, std::string_view content_type = {});
  void begin_early(const header_fields& fields);
  bool has_begun_early() const { return has_begun_early_; }
  // True if the head was sent. After that, an error can only be sent as a part of the answer.
  bool has_begun() const { return has_begun_; }

  // Sends a complete event or comment while the coroutine that writes the answer waits for something else.
  void send_keepalive(std::string_view event);
  // Adds a comment that is sent before the next events.
  void comment(std::string_view text);
  // Reports the name of the target that continues an answer. The name must be safe for a header. It is sent as a header
  // if the head was not sent yet, and otherwise as a comment in the event stream.
  void continued_by(std::string_view target);

  // Adds a header to an answer that is sent in one piece. Has no effect on a stream, or after the head was sent.
  void add_field(std::string_view name, std::string_view value);

  bool is_streamed() const { return form_ != answer_form::whole; }
  // True if the answer is an event stream, which may contain comments.
  bool is_of_events() const { return form_ == answer_form::stream; }
  // True if the client can notice that an answer was cut off. It cannot notice this if only the end of the connection
  // marks the end of the answer.
  bool shows_its_end() const { return is_of_events() || is_chunked_; }
  // Takes over memory that was already reserved for this answer.
  void take_room(proxy::memory_share room) { held_ = std::move(room); }
  // Reserves memory for the part of the answer that is buffered. An answer that is not streamed is buffered as a whole.
  // Only the unsent part of a stream is buffered. Returns false if there is no memory.
  bool hold(std::size_t bytes) {
    if (is_streamed()) held_.shrink_to(bytes);
    return held_.grow_to(bytes, proxy::memory_use::running);
  }

  // Returns the queue of bytes that start() will send, so that the caller can add pieces. If `is_last` is true, start()
  // also ends the answer. After start(), the kernel has accepted as many bytes as it could, and the added pieces are no
  // longer needed. If bytes are left, finish() must be awaited before the next start().
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
  std::string pending_;  // the head and the comments to send in the next write
  outgoing out_;
  header_fields fields_;  // the head of an answer that is sent in one piece; kept until the answer's length is known
  std::string type_;      // the content type of an answer that is sent in one piece; kept until the length is known
  proxy::memory_share held_;
};

}  // namespace photofinish::gateway
