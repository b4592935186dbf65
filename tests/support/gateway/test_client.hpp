// A blocking HTTP client for tests. It keeps the received bytes unchanged, and can also reset or half-close its connection. All its waits
// have a time limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {

struct http_response {
  int status = 0;   // status code; 0 if there was no answer
  std::string head; // status line and header fields, without the empty line
  std::string body; // the body without the sizes of its chunks
  // True if the body ends properly: at its announced length, after its last chunk, or, if neither exists, at the end of the connection.
  bool is_complete = false;
  std::chrono::steady_clock::time_point first_body_byte_at{};

  std::optional<std::string> field(std::string_view lower_case_name) const;
  std::string field_or(std::string_view lower_case_name, std::string_view instead) const;
  // Returns the data of each event, including [DONE] and without comments. Text that is not canonical SSE becomes a separate entry, which
  // begins with "NOT CANONICAL".
  std::vector<std::string> events() const;
  std::string text() const;                           // the joined content of all deltas
  std::string error(std::string_view member) const;   // returns a member of {"error":{…}}, or "" if it is null; throws if it is missing
};

class test_client {
 public:
  // If `receive_buffer_bytes` is small, the kernel buffers only a few bytes until the client reads a complete response.
  explicit test_client(std::uint16_t port, int receive_buffer_bytes = 0);
  test_client(test_client&& other) noexcept;
  test_client(const test_client&) = delete;
  ~test_client();

  bool send(std::string_view bytes);  // sends bytes; returns false if the other side has closed the connection

  // Sends a POST request. `fields` contains complete header lines, each with its CRLF.
  void post(std::string_view body, std::string_view fields = "", std::string_view path = "/v1/chat/completions");
  void get(std::string_view path, std::string_view fields = "", std::string_view method = "GET");

  // Reads one response until the response or the connection ends. Skips a 100 Continue response.
  http_response read();
  // Reads until the body contains this text, or until the response ends.
  http_response read_until(std::string_view text);
  // Reads only the head of a response, even if the head announces a body.
  http_response read_head();
  // Waits until the head of a response has arrived. Leaves the head in the buffer for the next read.
  bool has_head();
  // True if a byte has arrived that the client has not read yet.
  bool has_bytes() const;

  // Waits until the other side ends the connection. Drops all bytes that arrive meanwhile.
  bool is_closed();
  bool was_reset() const { return was_reset_; }

  void fin();
  void reset();

 private:
  bool read_some(std::chrono::steady_clock::time_point until);
  // Continues to parse the response. `decoded` is the number of bytes at the beginning of `pending_` that the parser has already moved into
  // `got`.
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
