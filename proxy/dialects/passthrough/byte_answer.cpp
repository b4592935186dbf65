#include "proxy/dialects/passthrough/byte_answer.hpp"

#include "proxy/http/http_head.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

constexpr std::string_view audio = "audio/";

// What speech is sent as. PCM has no type of its own, and may begin with any byte: what is in it is not looked at.
bool is_sound(std::string_view type) {
  const auto is_it = [type](std::string_view each) { return equals_ignoring_case(type, each); };
  constexpr std::array<std::string_view, 3> others{"application/octet-stream", "binary/octet-stream",
                                                   "application/ogg"};
  return equals_ignoring_case(type.substr(0, audio.size()), audio) || std::any_of(others.begin(), others.end(), is_it);
}

failure no_sound() { return bad_stream("the provider sent JSON in place of sound"); }

}  // namespace

answer_kind byte_answer::on_head(const response_head& head) {
  const std::string_view whole_type = head.field("content-type");
  if (head.status != 200 || !is_sound(media_type(head)) || whole_type.size() > longest_type)
    return answer_kind::refusal;
  media_type_ = whole_type;
  return answer_kind::bytes;
}

result<dialect_stream::relayed> byte_answer::on_bytes(std::string_view bytes, instant read_at) {
  piece_ = bytes;
  event_[0] = {.kind = event_kind::token, .spoken = format_, .json = {&piece_, 1}, .read_at = read_at};
  if (!has_begun_) {
    type_[0] = {.kind = delta_kind::media_type, .text = media_type_};
    event_[0].deltas = type_;
  }
  has_begun_ = true;
  return relayed(event_);
}

result<dialect_stream::relayed> byte_answer::on_body_end(std::string_view, instant read_at) {
  if (!has_begun_) return bad_stream("the answer has no bytes");
  event_[0] = {.kind = event_kind::end, .read_at = read_at};
  return relayed(event_);
}

result<dialect_stream::relayed> byte_answer::on_event(const sse_event&, instant) {
  return bad_stream("the provider sent events in place of sound");
}

result<void> byte_answer::on_whole(std::string) { return no_sound(); }

result<dialect_stream::relayed> byte_answer::next_of_whole(instant) { return no_sound(); }

}  // namespace photofinish::proxy
