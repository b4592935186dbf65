// A provider that plays a script for every request. The script determines each byte, pause, early end and reset. The provider records the
// requests, and the times at which the gateway closed the connections.
#pragma once

#include "tests/support/network/scripted_peer.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {

using test_clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct received_request {
  std::string head;  // request line and header fields, without the empty line
  std::string body;
  test_clock::time_point arrived_at;  // the time when the request's last byte arrived
  int connection = 0;                 // connections are numbered from 0 in the order in which they were accepted

  std::string field(std::string_view lower_case_name) const;  // value of the header field; empty if the request has no such field
};

// A request for which a script plays. The functions of this class block. They do not fail if the gateway has closed the connection.
class provider_call {
 public:
  provider_call(peer& client, const received_request& request, std::atomic<std::size_t>& sent)
      : client_(client), request_(request), sent_(sent) {}

  const received_request& request() const { return request_; }
  bool is_over() const { return is_over_; }

  // Waits for the given time. Returns false if the gateway closes the connection during this time.
  bool wait(milliseconds time);
  // Waits until the condition is true. Returns false if the gateway closes the connection before that.
  bool wait_until(const std::function<bool()>& it);
  void hang();  // waits until the gateway closes the connection

  bool send(std::string_view bytes);
  void answer(int status, std::string_view body, std::string_view fields = "",
              std::string_view content_type = "application/json");
  void stream_head();                     // sends the head of a chunked event stream with status 200
  bool chunk(std::string_view bytes);     // sends one chunk of the response body
  bool event(std::string_view json);      // sends the event `data: json` as one chunk
  void end();                             // sends `data: [DONE]` and the last chunk in one write

  void close();  // FIN
  void reset();

 private:
  peer& client_;
  const received_request& request_;
  std::atomic<std::size_t>& sent_;
  bool is_over_ = false;
};

class scripted_provider {
 public:
  using script = std::function<void(provider_call&)>;
  explicit scripted_provider(script play);

  std::uint16_t port() const { return server_.port(); }
  std::size_t bytes_sent() const { return sent_; }
  std::vector<received_request> requests() const;
  // Waits until the request with this index has arrived, and returns it. The first request has the index 0.
  received_request request(std::size_t index = 0) const;
  // Waits until the gateway closes the connection of this request. Returns the time at which the connection was closed.
  test_clock::time_point closed_at(const received_request& request) const;
  // Returns the number of open connections that have carried a request.
  std::size_t open_connections() const;

 private:
  void serve(peer& client);
  bool receive(peer& client, std::string& pending, received_request& request);
  bool await(const std::function<bool()>& has_come) const;

  script play_;
  std::atomic<std::size_t> sent_{0};
  mutable std::mutex guard_;
  mutable std::condition_variable changed_;
  std::vector<received_request> requests_;
  std::map<int, test_clock::time_point> closed_;
  int connections_ = 0;
  scripted_server server_;  // declared last, because the threads of the server use the other members
};

// These functions build chunks of a streamed answer as a provider of the Chat Completions API sends them.
std::string role_chunk();
std::string token_chunk(std::string_view text);
std::string megabyte_chunk();  // the text consists of many short words, because counting the tokens of one long word would be slow
std::string finish_chunk(std::string_view reason = "stop");
std::string usage_chunk(int input, int output);

// The following functions return scripts for a provider. This function's script waits, streams each word as one token with pauses between
// words, and ends the stream correctly.
scripted_provider::script streams(std::vector<std::string> words, milliseconds ttft = {}, milliseconds between = {});
// Streams each word as one token, but only after `may` returns true. Use this script if the answer must not begin before another event in
// the test.
scripted_provider::script streams_when(std::function<bool()> may, std::vector<std::string> words);
// This script waits, then answers with this status and body.
scripted_provider::script refuses(int status, std::string body, std::string fields = "", milliseconds after = {},
                                  std::string content_type = "application/json");
// This script waits, then sends exactly these bytes as a chunked event stream, and ends the body correctly.
scripted_provider::script sends_stream(std::string bytes, milliseconds after = {});
// This script never sends a byte to the gateway.
scripted_provider::script stays_silent();
// This script sends one token, and sends nothing more.
scripted_provider::script stalls_after(std::string word);
// This script sends tokens until the gateway closes the connection.
scripted_provider::script never_ends();
// Plays the scripts in the given order, one script for each request. The last script also serves all later requests.
scripted_provider::script in_turn(std::vector<scripted_provider::script> scripts);

}  // namespace photofinish::testing
