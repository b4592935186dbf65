// HTTP/1.1 responses as text: status lines, header fields, whole answers. [pure]
#pragma once

#include "proxy/http/http_head.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Header fields as they are written: "name: value\r\n", one behind the other.
class header_fields {
 public:
  void add(std::string_view name, std::string_view value);
  std::string_view text() const { return text_; }

 private:
  std::string text_;
};

// How the connection goes on behind a response.
enum class after_response : std::uint8_t { keep_alive, close };

// How a streamed body's end is marked: HTTP/1.0 clients know no chunks.
enum class stream_framing { chunked, until_close };

// How a comment of an event stream ends (docs/decisions/0068-comments-in-streams.md).
enum class comment_end : std::uint8_t {
  blank_line,  // readers that split a stream at blank lines would lose an event after a comment without one
  line_end,    // readers that take every blank line for the end of an event, as openai-go did before 3.43
};

// SDKs in Go say their language; openai-go's decoder is one of lines, and loses nothing without the blank line.
comment_end comments_for(std::span<const proxy::header_field> request);

struct response_style {
  bool is_http_1_0 = false;
  after_response then = after_response::keep_alive;
  bool is_head_request = false;  // the body is left out, its length is not
  std::string_view (*date)() = nullptr;  // asked for each response's Date; null: it carries none
  comment_end comments = comment_end::blank_line;
};

// Of a request whose client left before anything was written to it: for the log, since no client reads it.
inline constexpr int client_left_status = 499;

// "HTTP/1.1 429 Too Many Requests\r\n"
std::string status_line(int status);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(std::chrono::sys_seconds now);

// A whole response's head, for a body of that length.
std::string whole_head(int status, std::string_view content_type, std::size_t body_bytes, const header_fields& fields,
                       const response_style& style);

// A whole response with a known body.
std::string whole_response(int status, std::string_view content_type, std::string_view body,
                           const header_fields& fields, const response_style& style);

inline constexpr std::string_view event_stream = "text/event-stream";

// The head of a body whose length is not known.
std::string stream_head(const header_fields& fields, const response_style& style,
                        std::string_view content_type = event_stream);

}  // namespace photofinish::gateway
