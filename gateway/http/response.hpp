// HTTP/1.1 responses as text: status lines, header fields, complete responses. [pure]
#pragma once

#include "proxy/http/http_head.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Header fields as text: "name: value\r\n", one after another.
class header_fields {
 public:
  void add(std::string_view name, std::string_view value);
  std::string_view text() const { return text_; }

 private:
  std::string text_;
};

// States whether the connection stays open after a response.
enum class after_response : std::uint8_t { keep_alive, close };

// States how the end of a streamed body is marked. HTTP/1.0 clients do not support chunks, so their connection is
// closed at the end of the body.
enum class stream_framing { chunked, until_close };

// The bytes that end a comment in an event stream (docs/decisions/0068-comments-in-streams.md).
enum class comment_end : std::uint8_t {
  blank_line,  // ends comments with a blank line: some clients split a stream at blank lines, and would otherwise lose
               // the event after a comment
  line_end,    // ends comments with a single line end and no blank line: some clients, such as openai-go before 3.43,
               // end an event at every blank line
};

// Chooses how comments in an event stream end, depending on the client's SDK. Go SDKs identify their language in a
// header. Without a blank line after a comment, openai-go loses no event, because it decodes the stream line by line.
comment_end comments_for(std::span<const proxy::header_field> request);

struct response_style {
  bool is_http_1_0 = false;
  after_response then = after_response::keep_alive;
  bool is_head_request = false;  // true if the response has a content-length but no body
  std::string_view (*date)() = nullptr;  // returns the value of the Date header; if null, responses have no Date header
  comment_end comments = comment_end::blank_line;
};

// The status that is logged if the client left before anything was sent. No client receives it.
inline constexpr int client_left_status = 499;

// Returns a line such as "HTTP/1.1 429 Too Many Requests\r\n".
std::string status_line(int status);

// Returns a date such as "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(std::chrono::sys_seconds now);

// Returns the head of a complete response whose body has `body_bytes` bytes.
std::string whole_head(int status, std::string_view content_type, std::size_t body_bytes, const header_fields& fields,
                       const response_style& style);

// Returns a complete response with the given body.
std::string whole_response(int status, std::string_view content_type, std::string_view body,
                           const header_fields& fields, const response_style& style);

inline constexpr std::string_view event_stream = "text/event-stream";

// Returns the head of a response with a body of unknown length.
std::string stream_head(const header_fields& fields, const response_style& style,
                        std::string_view content_type = event_stream);

}  // namespace photofinish::gateway
