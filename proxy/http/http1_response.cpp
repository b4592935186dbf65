#include "proxy/http/http1_response.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

constexpr std::string_view head_end = "\r\n\r\n";
constexpr std::size_t json_padding = 64;
constexpr std::size_t usual_spans = 8;  // usual number of body spans in one read
constexpr int max_interim = 1000;       // this limit allows one informational response per second for 16 minutes

}  // namespace

result<void> http1_response::feed(std::string_view bytes) {
  spans_.clear();
  next_span_ = 0;
  if (!head_) return take_head(bytes);
  // Frees the buffer of copied bytes, because the rest of the body may take minutes to arrive.
  if (!carried_.empty()) carried_.clear(), carried_.shrink_to_fit();
  return take_body(bytes);
}

void http1_response::forget_taken() {
  if (!head_ || has_span() || carried_.empty()) return;
  carried_.clear();
  carried_.shrink_to_fit();
}

// Collects bytes until the head is complete. Heads are rare, so all bytes of a head are copied into one buffer. If the
// same read also returned bytes of the body, they are also copied into this buffer and parsed there.
result<void> http1_response::take_head(std::string_view bytes) {
  std::size_t searched = carried_.size() - std::min<std::size_t>(carried_.size(), head_end.size() - 1);
  carried_.reserve(carried_.size() + bytes.size() + json_padding);
  carried_ += bytes;
  std::size_t begin = 0;  // position of the next head, after any informational heads
  for (std::size_t end; (end = carried_.find(head_end, searched)) != std::string::npos; begin = searched = end) {
    end += head_end.size();
    if (auto read = read_head(std::string_view(carried_).substr(begin, end - begin)); !read) return read;
    if (head_) return take_body(std::string_view(carried_).substr(end));
    if (++interim_ > max_interim)
      return bad_stream("more than " + std::to_string(max_interim) + " informational responses came before the answer");
  }
  carried_.erase(0, begin);
  if (carried_.size() > head_limits{}.max_bytes) return bad_stream("the response's head is too large");
  return {};
}

// Reads one head. If the head belongs to an informational response, leaves head_ empty.
result<void> http1_response::read_head(std::string_view block) {
  const head_view view = scan_head(block);
  if (!view) return bad_stream("the response's head contains " + std::string(to_string(view.fault)));
  const status_line line = read_status_line(view.start_line);
  if (line.status == 0) return bad_stream("the response is not HTTP/1.1");
  if (line.status == 101) return bad_stream("the provider switched protocols although the request did not ask for a "
                                            "switch");
  if (line.status < 200) return {};
  framing_ = response_framing(view.fields, line);
  if (!framing_) return bad_stream("the response has " + std::string(to_string(framing_.fault)));
  left_ = framing_.length;
  is_complete_ = framing_.kind == body_kind::none || (framing_.kind == body_kind::length && left_ == 0);
  keeps_alive_ = framing_.kind != body_kind::until_close && keeps_alive(view.fields, line.version);
  spans_.reserve(usual_spans);
  head_.emplace();
  head_->status = line.status;
  head_->fields.reserve(view.fields.size());
  for (const auto& [name, value] : view.fields) make_lower_case(head_->fields.emplace_back(name, value).first);
  return {};
}

result<void> http1_response::take_body(std::string_view bytes) {
  while (!bytes.empty() && !is_complete_) {
    const std::string_view span = take_span(bytes);
    if (!span.empty()) spans_.push_back(span);
    if (chunks_.is_broken()) return bad_stream("the response's chunks are malformed");
  }
  has_bytes_behind_ |= !bytes.empty();
  return {};
}

std::string_view http1_response::take_span(std::string_view& bytes) {
  if (framing_.kind == body_kind::chunked) {
    const std::string_view span = chunks_.next(bytes);
    is_complete_ = chunks_.is_complete();
    return span;
  }
  if (framing_.kind == body_kind::until_close) return std::exchange(bytes, {});
  const std::string_view span =
      bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  bytes.remove_prefix(span.size());
  left_ -= span.size();
  is_complete_ = left_ == 0;
  return span;
}

result<void> http1_response::feed_end(ending how) {
  spans_.clear();
  next_span_ = 0;
  if (!head_) return bad_stream("the connection ended before a response");
  if (is_complete_) return {};
  if (framing_.kind != body_kind::until_close || how == ending::abrupt)
    return bad_stream("the connection ended in the middle of the response");
  is_complete_ = true;
  return {};
}

std::size_t http1_response::keep_unread() {
  if (!has_span() || !carried_.empty()) return carried_.size();
  std::size_t size = 0;
  for (std::size_t span = next_span_; span < spans_.size(); ++span) size += spans_[span].size();
  carried_.reserve(size + json_padding);
  for (std::size_t span = next_span_; span < spans_.size(); ++span) carried_ += spans_[span];
  spans_.assign(1, carried_);
  next_span_ = 0;
  return size;
}

std::optional<std::string_view> http1_response::next_span() {
  if (next_span_ == spans_.size()) return std::nullopt;
  return spans_[next_span_++];
}

}  // namespace photofinish::proxy
