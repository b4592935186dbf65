// An HTTP/2 server (cleartext, prior knowledge) that plays a script for every stream. It counts what strict servers count: resets by
// connection, in a time and as a share. A client over the limit gets ENHANCE_YOUR_CALM and is cut.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::testing {

struct http2_request {
  std::map<std::string, std::string> fields;  // includes pseudo fields
  std::string body;
  int connection = 0;  // counted from 0 in the order of accepting
  int stream = 0;
};

enum class http2_ending {
  proper,        // END_STREAM
  open,          // the stream never ends
  reset,         // RST_STREAM with `code`
  refused,       // RST_STREAM with REFUSED_STREAM, immediately
  die,           // the TCP connection is reset
  goaway_after,  // like `proper`, followed by a graceful GOAWAY
};

// The answer to one stream.
struct http2_answer {
  int status = 200;
  std::string content_type = "text/event-stream";
  std::chrono::milliseconds ttft{0};     // pause before the head
  std::vector<std::string> pieces;       // each in its own DATA frame
  std::chrono::milliseconds between{0};  // the pause between two pieces
  std::function<bool()> may_end = {};    // the last piece waits until it returns true; called on the server's thread
  http2_ending ending = http2_ending::proper;
  std::uint32_t code = 0;
};

// The strictest known limits of servers (docs/decisions/0009-http2-upstream.md).
struct http2_strictness {
  std::size_t resets_in_30_s = 200;      // Netty's limit
  std::size_t share_of_streams = 250;    // the share counts from this number of streams on
  double reset_share = 0.5;              // Envoy's limit
  std::size_t resets_in_all = 249;       // Envoy trips early at 250 of 500
  std::size_t max_concurrent = 100;
};

struct http2_counts_seen {
  std::size_t connections = 0;
  std::size_t streams = 0;
  std::size_t resets = 0;
  std::size_t most_resets_in_1_s = 0;   // largest number on one connection
  std::size_t most_resets_in_30_s = 0;
  std::size_t most_resets = 0;
  std::size_t most_open = 0;            // concurrent streams on one connection
  double worst_share = 0;               // counted from share_of_streams on
  std::size_t pings = 0;
  std::size_t goaways = 0;              // sent by the client
  std::size_t enhance_your_calm = 0;               // connections that exceeded a limit
  std::size_t cut_alive = 0;            // streams without an end when their connection ended
  std::size_t most_unread_bytes = 0;    // the most bytes of one stream that its window held back
};

class http2_server {
 public:
  using script = std::function<http2_answer(const http2_request&)>;  // called on the server's own thread
  explicit http2_server(script play, http2_strictness rules = {});
  ~http2_server();

  std::uint16_t port() const;
  http2_counts_seen seen() const;
  std::vector<http2_request> requests() const;  // the first 1000 requests

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace photofinish::testing
