// Writes one streamed answer to one client: canonical SSE, framed for HTTP. What one read of the provider
// brought leaves in one write; a lone event is sent from where it was read, without being copied.
#pragma once

#include "gateway/http/client_connection.hpp"
#include "gateway/http/response.hpp"
#include "gateway/requests/answer_tokens.hpp"
#include "gateway/requests/winner_reader.hpp"
#include "proxy/memory/long_text.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

enum class answer_end { complete, truncated, client_left };

struct answer_result {
  answer_end end = answer_end::complete;
  bool has_begun = false;                          // the client was still there for the first write
  proxy::maybe_failure why;                        // of a truncated one
  std::optional<proxy::instant> first_written_at;  // the first token handed to the kernel
};

class answer_stream {
 public:
  // `batch` is the worker's scratch text; it is used between two suspensions only.
  answer_stream(client_connection& client, proxy::alarms& alarms, std::string& batch, stream_framing framing);

  // Sends the head, at once or before the first token (keepalive_after). Once.
  void begin(std::string_view head) { pending_ = head; }
  bool has_begun_early() const { return has_begun_early_; }
  void begin_early(std::string_view head);
  // A comment from outside the writing coroutine, while it waits for something else.
  void comment_aside(std::string_view text);
  // A comment to go in front of the next events.
  void comment(std::string_view text);

  // The winner's held events, and all that follow. Their text is counted once it has been written; that of a giant
  // event before, because it is counted elsewhere. The held events' JSON may be gone afterwards.
  boost::asio::awaitable<answer_result> relay(std::vector<proxy::kept_event>& held, winner_reader& winner,
                                              answer_tokens& tokens);

  // The last thing of a broken stream: an error event; the connection then closes without a last chunk.
  boost::asio::awaitable<void> fail(std::string_view error_json);

 private:
  struct burst {
    bool is_over = false;
    proxy::maybe_failure broken;
  };

  void append_event(std::string_view json);
  void append_event(std::span<const std::string_view> json);
  void start_held(std::vector<proxy::kept_event>& held, bool is_giant, bool is_last);
  void start_batch(bool is_last);
  void start_framed(proxy::long_text events, bool is_last);
  void forget_pending();
  void start_event(const proxy::stream_event& event);
  burst append_burst(winner_reader& winner, answer_tokens& tokens);
  bool is_chunked() const { return framing_ == stream_framing::chunked; }

  client_connection& client_;
  proxy::alarms& alarms_;
  std::string& batch_;
  stream_framing framing_;
  bool has_begun_early_ = false;
  std::string pending_;  // head and comments that wait for the next write
};

}  // namespace photofinish::gateway
