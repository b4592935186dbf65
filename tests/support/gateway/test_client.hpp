// A blocking HTTP client that keeps what it got byte for byte, and leaves in every way a client can.
// It gives up when its patience ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {

struct http_response {
  int status = 0;   // 0: none came
  std::string head; // status line and fields, without the empty line
  std::string body; // of a chunked one, the chunks' data
  bool is_complete = false;  // by its length or its last chunk; without both, by the connection's end
  std::chrono::steady_clock::time_point first_body_byte_at{};

  std::optional<std::string> field(std::string_view lower_case_name) const;
  std::string field_or(std::string_view lower_case_name, std::string_view instead) const;
  // The data of each event, [DONE] included; comments are left out. Anything that is not canonical SSE shows as
  // an entry of its own, beginning with "NOT CANONICAL".
  std::vector<std::string> events() const;
  std::string text() const;                           // the content of all deltas
  std::string error(std::string_view member) const;   // of {"error":{…}}; "" for null; throws when it is none
};

class test_client {
 public:
  // A small `receive_buffer_bytes` makes a client that takes little until it reads a whole response.
  explicit test_client(std::uint16_t port, int receive_buffer_bytes = 0);
  test_client(test_client&& other) noexcept;
  test_client(const test_client&) = delete;
  ~test_client();

  bool send(std::string_view bytes);  // false when the other side has closed

  // `fields` are whole lines, each with its CRLF.
  void post(std::string_view body, std::string_view fields = "", std::string_view path = "/v1/chat/completions");
  void get(std::string_view path, std::string_view fields = "", std::string_view method = "GET");

  // Reads one response, 100 Continue left out, to its end or the connection's.
  http_response read();
  // Reads until the body holds that text, or the response ends.
  http_response read_until(std::string_view text);
  // Reads one response without a body, whatever its head announces.
  http_response read_head();
  // Waits for a response's head, and leaves it for the next call.
  bool has_head();
  // Whether a byte that was not read yet has come by now.
  bool has_bytes() const;

  // The other side has ended the connection, or does so. What it sends meanwhile is dropped.
  bool is_closed();
  bool was_reset() const { return was_reset_; }

  void fin();
  void reset();

 private:
  bool read_some(std::chrono::steady_clock::time_point until);
  // Goes on where it was: `decoded` counts what of the pending bytes is in `got`.
  bool parse(http_response& got, std::size_t& decoded);
  bool parse_head(http_response& got, std::size_t& decoded);
  bool parse_chunks(http_response& got, std::size_t& decoded);
  bool take(http_response& got, std::size_t used);

  int fd_;
  bool is_narrow_;
  std::string pending_;
  bool has_ended_ = false;
  bool was_reset_ = false;
  std::chrono::steady_clock::time_point last_read_at_{};
};

}  // namespace photofinish::testing
