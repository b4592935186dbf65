#include "proxy/dialects/responses/response_stream.hpp"

#include "proxy/dialects/repairs/unique_calls.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {

result<response_stream::relayed> response_stream::on_event(const sse_event& event, instant read_at) {
  if (is_over_) return relayed{};
  if (event.type == "error") return fail(error_from_event(without_space(event.data)));
  const std::string_view json = json_of(event);
  if (json.empty()) return relayed{};
  const std::string_view line = in_one_line(json, one_line_);
  const bool may_have_calls = !event.type.ends_with(".delta");
  const std::string_view data = may_have_calls ? with_unique_calls(line, answer_id_, with_ids_) : line;
  if (auto read = inspector_.inspect(data, event.type); !read) return fail(std::move(read).error());
  if (inspector_.facts().step == response_step::nothing) return relayed{};
  is_over_ = inspector_.facts().step == response_step::complete;
  json_ = data;
  return relay(read_at);
}

// Returns the last event that the inspector has read, with its JSON. If the stream is over, also returns the end event.
response_stream::relayed response_stream::relay(instant read_at) {
  events_[0] = inspector_.facts().event(wire_format::openai_responses, {&json_, 1}, read_at);
  pairs_.join(events_[0], inspector_.halves(), is_over_);
  events_[1] = {.kind = event_kind::end, .read_at = read_at};
  return std::span(events_).first(is_over_ ? 2 : 1);
}

result<response_stream::relayed> response_stream::on_body_end(std::string_view, instant) {
  if (is_over_) return relayed{};
  return fail(bad_stream("the stream ended early"));
}

result<void> response_stream::on_whole(std::string body) {
  std::string with_ids;
  with_unique_calls(body, answer_id_, with_ids);
  if (!with_ids.empty()) body = std::move(with_ids);
  body.reserve(body.size() + readable_behind);
  if (auto read = inspector_.inspect_whole(body); !read) {
    is_over_ = true;
    return std::move(read).error();
  }
  std::replace(body.begin(), body.end(), '\n', ' ');
  std::replace(body.begin(), body.end(), '\r', ' ');
  whole_ = std::make_unique<whole_response>(std::move(body), answer_id_, given_);
  inspector_.forget();
  if (!whole_->is_overfull()) return {};
  is_over_ = true;
  return says_too_much();
}

// Returns the next event of a non-streamed answer. The end of a complete answer counts as a token if no earlier event
// had content.
result<response_stream::relayed> response_stream::next_of_whole(instant read_at) {
  if (is_over_) return relayed{};
  json_ = whole_->next_event();
  is_over_ = whole_->is_over();
  if (auto read = inspector_.inspect(json_, {}); !read) return fail(std::move(read).error());
  has_token_ |= inspector_.facts().kind == event_kind::token;
  const relayed given = relay(read_at);
  if (is_over_ && !has_token_) events_[0].kind = event_kind::token;
  return given;
}

}  // namespace photofinish::proxy
