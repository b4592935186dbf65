// The client's side of the protocol on one HTTP/2 connection. Received bytes become events, and requests become
// bytes to send. It has no I/O and no clock, except that an exception within nghttp2 is reported.
// http2_connection.hpp transports the bytes.
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

using stream_id = std::int32_t;  // the id of a stream, which is at least 1; 0 means no stream

enum class http2_event_kind {
  interim,  // a 1xx response arrived, which is skipped
  head,     // the head of the final response
  body,     // some bytes of the body; valid as long as the received bytes
  end,      // the response is complete; trailers are dropped; content-length was correct, if sent
  broken,   // the stream ended before the response did
};

struct http2_event {
  http2_event_kind kind;
  stream_id stream;
  std::string_view bytes = {};  // set if the kind is body
  response_head head = {};      // set if the kind is head
  std::uint32_t error = 0;      // set if the kind is broken: an error code of RFC 9113, section 7
  // False if the peer has not started to process the request, which may then be sent again.
  bool was_processed = true;
};

class http2_session {
 public:
  // The maximum number of bytes of one stream that are received before its reader has taken any. This bounds the
  // cost of a slow client.
  static constexpr std::size_t stream_window = 256u << 10;
  static constexpr std::size_t max_streams = 25;

  http2_session();
  http2_session(http2_session&&) = delete;
  ~http2_session();

  // Submits a request. The body is sent as the peer's windows allow. It is read until is_uploaded(), stop_upload(),
  // reset() or the end of the stream. Returns 0 if this connection accepts no more requests.
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

  // Reports that the stream's reader has taken this many bytes, so that the peer may send as many again.
  void consumed(stream_id which, std::size_t bytes);

  // Sends GOAWAY. Call it when no further request will follow.
  void say_goodbye();

  // Processes received bytes. After a failure the connection has to end, but collect() may still
  // return bytes for the peer.
  result<void> receive(std::string_view bytes);
  // Appends at most about 64 kB of bytes to write. Call it again after they are written.
  void collect(std::string& out);
  bool wants_to_write() const;

  // Returns the events since the last call, in order.
  std::vector<http2_event> take_events();

  // Returns the number of streams that the peer allows at a time, at most max_streams. Returns 0
  // after the peer's GOAWAY.
  std::size_t allowed_streams() const;
  bool received_enhance_your_calm() const;  // the peer sent ENHANCE_YOUR_CALM for a stream or for the connection
  bool is_over() const;                     // true if the session has nothing left to send or to receive

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace photofinish::proxy
