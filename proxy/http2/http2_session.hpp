// The client's side of one HTTP/2 connection, without the connection: bytes in -> events, requests -> bytes out.
// No I/O, no clock, except that an exception within nghttp2 is reported. http2_connection.hpp carries the bytes.
#pragma once

#include "proxy/failures/result.hpp"
#include "proxy/http/http_message.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

using stream_id = std::int32_t;  // 1 and up; 0: none

enum class http2_event_kind {
  interim,  // a 1xx response: passed over
  head,     // of the final response
  body,     // some bytes; they live as long as the bytes they were received in
  end,      // of the response, complete: trailers are dropped, a content-length was right
  broken,   // the stream is over without its end
};

struct http2_event {
  http2_event_kind kind;
  stream_id stream;
  std::string_view bytes = {};       // of body
  response_head head = {};           // of head
  std::uint32_t error = 0;           // of broken: RFC 9113, section 7
  bool was_processed = true;         // false: the peer has not begun with it, and it may be sent again
};

class http2_session {
 public:
  // One stream's bytes that we take in before its reader has taken any: what a slow client costs at most.
  static constexpr std::size_t stream_window = 256u << 10;
  static constexpr std::size_t max_streams = 25;

  http2_session();
  http2_session(http2_session&&) = delete;
  ~http2_session();

  // The body is sent as the peer's windows allow, and is read until is_uploaded(), stop_upload(), reset() or
  // the stream's end. 0 when this connection takes no more requests.
  stream_id submit(const request_head& head, std::string_view scheme, std::span<const std::string_view> body);
  bool is_uploaded(stream_id which) const;
  // No further byte of the body is sent. A response that ends before its request then resets the stream.
  void stop_upload(stream_id which);

  // RST_STREAM with CANCEL, behind the request's HEADERS; nothing at all when those have not been sent. No event
  // of this stream follows. False when nothing has to be sent, for the stream has ended by itself.
  bool reset(stream_id which);
  // Its events end, its bytes are dropped; the stream is open until reset() or its end.
  void mute(stream_id which);
  bool is_open(stream_id which) const;

  // The stream's reader has taken so many bytes: the peer may send as many again.
  void consumed(stream_id which, std::size_t bytes);

  // GOAWAY: no further request will come.
  void say_goodbye();

  // A failure means that the connection has to end; collect() may have a last word for the peer.
  result<void> receive(std::string_view bytes);
  // Appends what is to be written, some 64 kB at most; ask again when it is written.
  void collect(std::string& out);
  bool wants_to_write() const;

  // What has happened since it was last asked, in order.
  std::vector<http2_event> take_events();

  // What the peer allows at a time, and at most max_streams; 0 after its GOAWAY.
  std::size_t allowed_streams() const;
  bool received_enhance_your_calm() const;  // ENHANCE_YOUR_CALM, for a stream or for all
  bool is_over() const;                // nothing more to say, and nothing more to hear

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace photofinish::proxy
