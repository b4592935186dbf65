// The protocol of the client's side of one HTTP/2 connection. Received bytes become events, and requests become bytes
// to send. It has no I/O and no clock, except that an exception within nghttp2 is reported. http2_connection.hpp
// carries the bytes.
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

using stream_id = std::int32_t;  // 1 and above; 0 means none

enum class http2_event_kind {
  interim,  // a 1xx response, which is skipped
  head,     // head of the final response
  body,     // some body bytes; they live as long as the bytes they were received in
  end,      // the response is complete; trailers are dropped, and a content-length was correct
  broken,   // the stream ended before the response did
};

struct http2_event {
  http2_event_kind kind;
  stream_id stream;
  std::string_view bytes = {};  // set for body
  response_head head = {};      // set for head
  std::uint32_t error = 0;      // set for broken: RFC 9113, section 7
  bool was_processed = true;    // false: the peer has not started to process the request, so it may be sent again
};

class http2_session {
 public:
  // How many bytes of one stream are received before its reader has taken any. This bounds the cost of a slow client.
  static constexpr std::size_t stream_window = 256u << 10;
  static constexpr std::size_t max_streams = 25;

  http2_session();
  http2_session(http2_session&&) = delete;
  ~http2_session();

  // The body is sent as the peer's windows allow. It is read until is_uploaded(), stop_upload(), reset() or the end of
  // the stream. Returns 0 if this connection accepts no more requests.
  stream_id submit(const request_head& head, std::string_view scheme, std::span<const std::string_view> body);
  bool is_uploaded(stream_id which) const;
  // Stops sending the body. A response that ends before its request then resets the stream.
  void stop_upload(stream_id which);

  // Sends RST_STREAM with CANCEL after the request's HEADERS, or nothing if the HEADERS have not been sent. No event of
  // this stream follows. Returns false if nothing has to be sent, because the stream has already ended.
  bool reset(stream_id which);
  // Ends the stream's events and drops its bytes. The stream stays open until reset() or its end.
  void mute(stream_id which);
  bool is_open(stream_id which) const;

  // The stream's reader has taken this many bytes, so the peer may send as many again.
  void consumed(stream_id which, std::size_t bytes);

  // Sends GOAWAY, because no further request will follow.
  void say_goodbye();

  // A failure means that the connection has to end. collect() may still return bytes for the peer.
  result<void> receive(std::string_view bytes);
  // Appends at most about 64 kB of bytes to write. Call it again after they are written.
  void collect(std::string& out);
  bool wants_to_write() const;

  // Returns the events since the last call, in order.
  std::vector<http2_event> take_events();

  // The number of streams that the peer allows at a time, at most max_streams. 0 after its GOAWAY.
  std::size_t allowed_streams() const;
  bool received_enhance_your_calm() const;  // the peer sent ENHANCE_YOUR_CALM for a stream or for the connection
  bool is_over() const;                // nothing is left to send or to receive

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace photofinish::proxy
