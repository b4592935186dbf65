// The client's side of the protocol on one HTTP/2 connection. Received bytes become events, and requests become bytes
// to send. The session has no I/O and no clock. Exceptions that occur within nghttp2's callbacks are thrown again to
// the caller. http2_connection.hpp transports the bytes.
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
  interim,  // a 1xx response arrived; it is ignored
  head,     // the head of the final response
  body,     // a part of the body; a view of the received bytes
  end,      // the response is complete; trailers are dropped; if content-length was sent, it was correct
  broken,   // the stream ended before the end of the response
};

struct http2_event {
  http2_event_kind kind;
  stream_id stream;
  std::string_view bytes = {};  // a part of the body, for the kind `body`
  response_head head = {};      // the head of the response, for the kind `head`
  std::uint32_t error = 0;      // an error code of RFC 9113, section 7, for the kind `broken`
  // False if the peer has not started to process the request. The request may then be sent again.
  bool was_processed = true;
};

class http2_session {
 public:
  // The maximum number of bytes of one stream that are received but not yet read. The maximum bounds the memory that a
  // slow client can occupy.
  static constexpr std::size_t stream_window = 256u << 10;
  static constexpr std::size_t max_streams = 25;

  http2_session();
  http2_session(http2_session&&) = delete;
  ~http2_session();

  // Submits a request. The body is sent as the peer's windows allow. `body` must stay valid until is_uploaded() returns
  // true, stop_upload() or reset() is called, or the stream ends. Returns 0 if this connection accepts no more
  // requests.
  stream_id submit(const request_head& head, std::string_view scheme, std::span<const std::string_view> body);
  bool is_uploaded(stream_id which) const;
  // Stops sending the body. If the response ends before the request, the stream is then reset.
  void stop_upload(stream_id which);

  // Cancels the stream: sends RST_STREAM with CANCEL after the request's HEADERS. If the HEADERS have not been sent,
  // sends nothing. No event of this stream follows. Returns false if the stream had already ended.
  bool reset(stream_id which);
  // Drops all bytes of the stream, and returns no more events of it. The stream stays open until reset() is called or
  // the peer ends it.
  void mute(stream_id which);
  bool is_open(stream_id which) const;

  // Reports that the stream's reader has consumed this many bytes. The peer may then send that many more bytes.
  void consumed(stream_id which, std::size_t bytes);

  // Sends GOAWAY. Call this function when no request will follow.
  void say_goodbye();

  // Processes received bytes. If this function fails, the connection must be closed, but first collect() may return
  // bytes to send to the peer.
  result<void> receive(std::string_view bytes);
  // Appends the next bytes to write, at most about 64 kB. Call this function again after these bytes are written.
  void collect(std::string& out);
  bool wants_to_write() const;

  // Returns the events since the last call, in order.
  std::vector<http2_event> take_events();

  // Returns how many streams may be open at the same time: the peer's limit, but at most max_streams. Returns 0 after
  // the peer has sent GOAWAY.
  std::size_t allowed_streams() const;
  bool received_enhance_your_calm() const;  // the peer sent ENHANCE_YOUR_CALM for a stream or for the connection
  bool is_over() const;                     // true if the session has nothing left to send or to receive

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace photofinish::proxy
