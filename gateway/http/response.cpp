#include "gateway/http/response.hpp"

#include <array>
#include <ctime>

namespace photofinish::gateway {
namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 426: return "Upgrade Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
  }
}

constexpr std::size_t usual_head_bytes = 512;
// The capacity that is reserved for header fields. Together with the terminating zero the string has 320 bytes, which
// is a size class of the allocator.
constexpr std::size_t usual_fields_bytes = 319;

// Appends one header field. This function is called about sixteen times for each answer, so the lengths of literals are
// computed at compile time.
void append_field(std::string& out, std::string_view name, std::string_view value) {
  using namespace std::string_view_literals;
  out.append(name).append(": "sv).append(value).append("\r\n"sv);
}

void append_common(std::string& out, const header_fields& fields, const response_style& style) {
  if (style.date) append_field(out, "date", style.date());
  out += fields.text();
  if (style.then == after_response::close) append_field(out, "connection", "close");
  else if (style.is_http_1_0) append_field(out, "connection", "keep-alive");
}

}  // namespace

comment_end comments_for(std::span<const proxy::header_field> request) {
  const bool is_go = proxy::equals_ignoring_case(proxy::find_field(request, "x-stainless-lang"), "go") ||
                     proxy::find_field(request, "user-agent").starts_with("OpenAI/Go");
  return is_go ? comment_end::line_end : comment_end::blank_line;
}

void header_fields::add(std::string_view name, std::string_view value) {
  // Reserves capacity again, because the copy of a string has no spare capacity.
  if (text_.capacity() < usual_fields_bytes) text_.reserve(usual_fields_bytes);
  append_field(text_, name, value);
}

std::string status_line(int status) {
  using namespace std::string_view_literals;
  std::string out;
  out.reserve(usual_head_bytes);
  if (status == 200) out.append("HTTP/1.1 200 OK\r\n"sv);  // 200 is the most frequent status
  else out.append("HTTP/1.1 ").append(std::to_string(status)).append(" ").append(reason(status)).append("\r\n");
  return out;
}

std::string http_date(std::chrono::sys_seconds now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text;
  const std::size_t size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text.data(), size};
}

std::string whole_head(int status, std::string_view content_type, std::size_t body_bytes, const header_fields& fields,
                       const response_style& style) {
  std::string out = status_line(status);  // status_line() has reserved enough capacity for the whole head
  if (!content_type.empty()) append_field(out, "content-type", content_type);
  if (status != 204) append_field(out, "content-length", std::to_string(body_bytes));
  append_common(out, fields, style);
  out += "\r\n";
  return out;
}

std::string whole_response(int status, std::string_view content_type, std::string_view body,
                           const header_fields& fields, const response_style& style) {
  std::string out = whole_head(status, content_type, body.size(), fields, style);
  if (!style.is_head_request) out += body;
  return out;
}

std::string stream_head(const header_fields& fields, const response_style& style, std::string_view content_type) {
  std::string out = status_line(200);
  append_field(out, "content-type", content_type);
  out += std::string_view("cache-control: no-cache\r\nx-accel-buffering: no\r\n");
  if (!style.is_http_1_0) append_field(out, "transfer-encoding", "chunked");
  append_common(out, fields, style);
  out += "\r\n";
  return out;
}

}  // namespace photofinish::gateway
