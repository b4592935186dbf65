#include "gateway/http/request_parser.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view head_end = "\r\n\r\n";

// True if a line ends in LF without CR. A client that sends such lines never sends CRLF CRLF, so its head would never
// end.
bool has_bare_line_feed(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('\n', from); at != std::string_view::npos; at = text.find('\n', at + 1))
    if (at == 0 || text[at - 1] != '\r') return true;
  return false;
}

}  // namespace

std::variant<request_head_parser::unfinished, request_head_parser::arrived, refusal> request_head_parser::look_at(
    std::string_view unread) {
  std::size_t skipped = 0;
  while (unread.substr(skipped).starts_with(line_end)) skipped += line_end.size();
  const std::string_view head = unread.substr(skipped);
  has_begun_ = !head.empty() && head != "\r";
  const std::size_t end = head.find(head_end, std::max(searched_, skipped) - skipped);
  const bool is_whole = end != std::string_view::npos;
  if (!is_whole && head.size() <= limits_.head.max_bytes &&
      !has_bare_line_feed(head, std::max(searched_, skipped) - skipped)) {
    searched_ = unread.size() - std::min(unread.size(), head_end.size() - 1);
    return unfinished{};
  }
  const std::size_t size = is_whole ? end + head_end.size() : head.size();
  auto guarded = guard_request(head.substr(0, size), limits_);
  if (auto* refused = std::get_if<refusal>(&guarded)) return std::move(*refused);
  return arrived{std::get<guarded_request>(std::move(guarded)), skipped + size};
}

request_body_parser::request_body_parser(const proxy::body_framing& framing, std::size_t max_bytes)
    : framing_(framing),
      max_bytes_(max_bytes),
      left_(framing.length),
      is_complete_(framing.kind != proxy::body_kind::chunked && framing.length == 0) {}

std::size_t request_body_parser::take(std::string_view unread, std::string& body) {
  if (is_complete_ || fault_ != body_fault::none) return 0;
  if (framing_.kind == proxy::body_kind::chunked) return take_chunks(unread, body);
  const std::size_t count = skip(unread);
  body += unread.substr(0, count);
  return count;
}

std::size_t request_body_parser::skip(std::string_view unread) {
  if (is_complete_) return 0;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, unread.size()));
  left_ -= count;
  is_complete_ = left_ == 0;
  return count;
}

std::size_t request_body_parser::take_chunks(std::string_view unread, std::string& body) {
  std::string_view rest = unread;
  while (fault_ == body_fault::none) {
    const std::string_view data = chunks_.next(rest);
    if (data.empty()) break;
    if (data.size() > max_bytes_ - body.size()) fault_ = body_fault::too_large;
    else body += data;
  }
  if (chunks_.is_broken()) fault_ = body_fault::malformed;
  is_complete_ = chunks_.is_complete();
  return unread.size() - rest.size();
}

}  // namespace photofinish::gateway
