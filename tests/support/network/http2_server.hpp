// An HTTP/2 server (cleartext, prior knowledge) that plays a script for every stream. Like strict servers, it limits how many streams a
// client may reset on one connection: their number within 30 s, and their share of all streams. If a client exceeds a limit, the server
// sends ENHANCE_YOUR_CALM and closes the connection.
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
  std::map<std::string, std::string> fields;  // header fields of the request, including pseudo-header fields
  std::string body;
  int connection = 0;  // connections are numbered from 0 in the order in which they were accepted
  int stream = 0;
};

enum class http2_ending {
  proper,        // END_STREAM
  open,          // the server never ends the stream
  reset,         // the server sends RST_STREAM with the error `code`
  refused,       // the server immediately sends RST_STREAM with REFUSED_STREAM
  die,           // the server resets the TCP connection
  goaway_after,  // the server ends the stream properly, and then sends a graceful GOAWAY
};

// The server's answer to one stream.
struct http2_answer {
  int status = 200;
  std::string content_type = "text/event-stream";
  std::chrono::milliseconds ttft{0};     // pause before the head of the answer is sent
  std::vector<std::string> pieces;       // pieces of the body, each in its own DATA frame
  std::chrono::milliseconds between{0};  // pause between two pieces of the body
  std::function<bool()> may_end = {};    // the last piece waits until this function returns true; the server's thread calls the function
  http2_ending ending = http2_ending::proper;
  std::uint32_t code = 0;
};

// The strictest known limits on resets in HTTP/2 servers (docs/decisions/0009-http2-upstream.md).
struct http2_strictness {
  std::size_t resets_in_30_s = 200;      // Netty's limit
  std::size_t share_of_streams = 250;    // the server limits the share of resets only after this number of streams
  double reset_share = 0.5;              // Envoy's limit
  std::size_t resets_in_all = 249;       // permitted resets per connection; Envoy closes a connection at 250 resets in 500 streams
  std::size_t max_concurrent = 100;
};

struct http2_counts_seen {
  std::size_t connections = 0;
  std::size_t streams = 0;
  std::size_t resets = 0;
  std::size_t most_resets_in_1_s = 0;   // largest number of resets on one connection within one second
  std::size_t most_resets_in_30_s = 0;
  std::size_t most_resets = 0;
  std::size_t most_open = 0;            // the largest number of concurrent streams on one connection
  // The largest share of streams that were reset on one connection. Connections with fewer than `share_of_streams` streams do not count.
  double worst_share = 0;
  std::size_t pings = 0;
  std::size_t goaways = 0;              // number of GOAWAY frames that clients have sent
  std::size_t enhance_your_calm = 0;               // number of connections on which the client exceeded a limit
  std::size_t cut_alive = 0;            // number of streams that were still open when their connection ended
  std::size_t most_unread_bytes = 0;    // the largest number of bytes of one stream that waited for room in the flow-control window
};

class http2_server {
 public:
  using script = std::function<http2_answer(const http2_request&)>;  // the server's own thread calls the script
  explicit http2_server(script play, http2_strictness rules = {});
  ~http2_server();

  std::uint16_t port() const;
  http2_counts_seen seen() const;
  std::vector<http2_request> requests() const;  // the first 1000 requests that the server received

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace photofinish::testing
