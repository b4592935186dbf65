#include "proxy/dialects/passthrough/text_answer.hpp"

#include "proxy/dialects/passthrough/answer_members.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/json_scan.hpp"

#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view any_text = "text/";

bool is_text(std::string_view type) {
  if (equals_ignoring_case(type, "application/x-subrip")) return true;
  if (equals_ignoring_case(type, "text/html") || equals_ignoring_case(type, "text/event-stream")) return false;
  return equals_ignoring_case(type.substr(0, any_text.size()), any_text);
}

// Some send their errors as text.
bool is_error(std::string_view body) {
  json_scan scan;
  return body.size() <= max_error_bytes && scan.see(body) && scan.is_complete() && reports_error(scan.members(body));
}

failure no_stream() { return bad_stream("the provider streams an answer that has no stream"); }

}  // namespace

answer_kind text_answer::on_head(const response_head& head) {
  const std::string_view whole_type = head.field("content-type");
  if (head.status != 200 || !is_text(media_type(head)) || whole_type.size() > longest_type) return answer_kind::refusal;
  media_type_ = whole_type;
  return answer_kind::whole;
}

result<void> text_answer::on_whole(std::string body) {
  if (is_error(body)) return read_error({.status = 200, .content_type = "application/json", .body = body}, {});
  body_ = std::move(body);
  return {};
}

result<dialect_stream::relayed> text_answer::next_of_whole(instant read_at) {
  const delta type{.kind = delta_kind::media_type, .text = media_type_};
  const event_kind kind = body_.empty() ? event_kind::progress : event_kind::token;
  const stream_event said{.kind = kind, .spoken = format_, .deltas = {&type, 1}, .read_at = read_at};
  kept_.emplace(said, std::exchange(body_, {}));
  events_[0] = kept_->view();
  events_[1] = {.kind = event_kind::end, .read_at = read_at};
  return relayed(events_);
}

result<dialect_stream::relayed> text_answer::on_event(const sse_event&, instant) { return no_stream(); }

result<dialect_stream::relayed> text_answer::on_body_end(std::string_view, instant) { return no_stream(); }

}  // namespace photofinish::proxy
