#include "proxy/dialects/bedrock/converse_stream.hpp"

#include "proxy/dialects/bedrock/bedrock_frames.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "proxy/json/json_scan.hpp"

#include <utility>

namespace photofinish::proxy {

answer_kind converse_stream::on_head(const response_head& head) { return kind_of_frames(head); }

result<converse_stream::relayed> converse_stream::on_event(const sse_event&, instant) {
  return fail(bad_stream("the answer is a stream of text events instead of binary frames"));
}

result<converse_stream::relayed> converse_stream::on_frame(const event_frame& frame, instant read_at) {
  if (is_over_) return relayed{};
  if (auto why = failure_of(frame)) return fail(*std::move(why));
  const std::string_view type = frame.text(":event-type");
  if (type.empty()) return relayed{};
  if (auto read = reader_.read(type, frame.payload); !read) return fail(std::move(read).error());
  is_over_ = reader_.has_stopped() && reader_.has_usage();
  return relay(read_at);
}

converse_stream::relayed converse_stream::relay(instant read_at) {
  events_[0] = reader_.said().event(wire_format::bedrock_converse, {}, read_at);
  pairs_.join(events_[0], reader_.halves(), is_over_);
  events_[1] = {.kind = event_kind::end, .read_at = read_at};
  return relayed(events_).first(is_over_ ? 2 : 1);
}

// Ends the answer. An answer without token usage is complete if the model has sent its stop reason.
result<converse_stream::relayed> converse_stream::on_body_end(std::string_view unfinished, instant read_at) {
  if (is_over_) return relayed{};
  if (!unfinished.empty() || !reader_.has_stopped()) return fail(bad_stream("the stream ended early"));
  is_over_ = true;
  events_[0] = {.kind = event_kind::end, .read_at = read_at};
  return relayed(events_).first(1);
}

result<void> converse_stream::on_whole(std::string body) {
  whole_ = std::move(body);
  whole_.reserve(whole_.size() + readable_behind);
  const auto output = is_whole_object(whole_) ? json_find(whole_, "output") : std::nullopt;
  const auto message = output ? json_find(*output, "message") : std::nullopt;
  const auto content = message ? json_find(*message, "content") : std::nullopt;
  if (content && json_is_array(*content)) {
    blocks_.emplace(*content);
    return {};
  }
  is_over_ = true;
  return error_in_answer(whole_);
}

result<converse_stream::relayed> converse_stream::next_of_whole(instant read_at) {
  if (is_over_) return relayed{};
  const auto block = blocks_->next_element();
  if (auto read = block ? reader_.read_block(*block) : reader_.read_end(whole_); !read)
    return fail(std::move(read).error());
  is_over_ = !block;
  return relay(read_at);
}

}  // namespace photofinish::proxy
