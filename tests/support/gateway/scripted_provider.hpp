// A provider that plays a script for every request: the test decides each byte, pause, cut and reset. It records what it received, and when
// the gateway closed each connection.
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
  std::string head;  // request line and fields, without the empty line
  std::string body;
  test_clock::time_point arrived_at;  // when its last byte arrived
  int connection = 0;                 // counted from 0 in the order of accepting

  std::string field(std::string_view lower_case_name) const;  // empty if there is none
};

// One request that a script handles. Calls block; none fails after the gateway has gone.
class provider_call {
 public:
  provider_call(peer& client, const received_request& request, std::atomic<std::size_t>& sent)
      : client_(client), request_(request), sent_(sent) {}

  const received_request& request() const { return request_; }
  bool is_over() const { return is_over_; }

  // Returns false if the gateway closed the connection meanwhile.
  bool wait(milliseconds time);
  // Waits until the condition holds; returns false if the gateway closed the connection meanwhile.
  bool wait_until(const std::function<bool()>& it);
  void hang();  // waits until the gateway closes the connection

  bool send(std::string_view bytes);
  void answer(int status, std::string_view body, std::string_view fields = "",
              std::string_view content_type = "application/json");
  void stream_head();                     // 200, text/event-stream, chunked
  bool chunk(std::string_view bytes);     // a chunk of the body
  bool event(std::string_view json);      // `data: json`, as one chunk
  void end();                             // `data: [DONE]` and the last chunk, in one piece

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
  // Waits for request number `index`, counted from 0.
  received_request request(std::size_t index = 0) const;
  // Waits until the gateway closes the connection of that request, and returns the time.
  test_clock::time_point closed_at(const received_request& request) const;
  // Connections that have carried a request and are still open.
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
  scripted_server server_;  // last: its threads use the members above
};

// Chunks as a provider of plain chat sends them.
std::string role_chunk();
std::string token_chunk(std::string_view text);
std::string megabyte_chunk();  // a token_chunk() of words, because a word of a megabyte takes long to count
std::string finish_chunk(std::string_view reason = "stop");
std::string usage_chunk(int input, int output);

// Scripts.
// Waits, then streams the words as one token each with a pause between them, and ends properly.
scripted_provider::script streams(std::vector<std::string> words, milliseconds ttft = {}, milliseconds between = {});
// The same, but starts only after the condition holds, for answers that must follow another event.
scripted_provider::script streams_when(std::function<bool()> may, std::vector<std::string> words);
// Waits, then answers with that status and body.
scripted_provider::script refuses(int status, std::string body, std::string fields = "", milliseconds after = {},
                                  std::string content_type = "application/json");
// Waits, then sends a chunked event stream of exactly these bytes, and ends the body properly.
scripted_provider::script sends_stream(std::string bytes, milliseconds after = {});
// Never sends a byte.
scripted_provider::script stays_silent();
// Sends one token, then stays silent.
scripted_provider::script stalls_after(std::string word);
// Sends tokens until the gateway closes the connection.
scripted_provider::script never_ends();
// Plays one script after another, request by request; the last script serves all further requests.
scripted_provider::script in_turn(std::vector<scripted_provider::script> scripts);

}  // namespace photofinish::testing
