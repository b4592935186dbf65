#include "proxy/dialects/gemini/gemini_stream.hpp"

#include "proxy/failures/error_shapes.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/ascii.hpp"

#include <utility>

namespace photofinish::proxy {

answer_kind gemini_stream::on_head(const response_head& head) {
  reader_.note_tier(parse_price_tier(ascii_lower(head.field("x-gemini-service-tier"))));
  return kind_by_type(head);
}

result<gemini_stream::relayed> gemini_stream::on_event(const sse_event& event, instant read_at) {
  if (is_over_) return relayed{};
  if (event.type == "error") return fail(error_from_event(without_space(event.data)));
  const std::string_view data = json_of(event);
  if (data.empty()) return relayed{};
  if (!is_json(data)) return fail(bad_stream("an event is not valid JSON"));
  return read(data, read_at);
}

result<gemini_stream::relayed> gemini_stream::read(std::string_view json, instant read_at) {
  if (auto taken = reader_.read(json); !taken) return fail(std::move(taken).error());
  if (!reader_.facts().is_chunk) return relayed{};
  events_[0] = reader_.facts().event(wire_format::gemini, {}, read_at);
  pairs_.join(events_[0], reader_.halves());
  return relayed(events_).first(1);
}

result<gemini_stream::relayed> gemini_stream::on_body_end(std::string_view unfinished_data, instant read_at) {
  if (is_over_) return relayed{};
  const bool is_cut = !without_space(unfinished_data).empty() && !reader_.is_complete();
  return is_cut ? fail(bad_stream("the stream ended early")) : complete(read_at);
}

result<gemini_stream::relayed> gemini_stream::complete(instant read_at) {
  if (!reader_.is_complete()) return fail(bad_stream("the stream ended early"));
  if (auto why = reader_.failure_if_all_is_lost()) return fail(*std::move(why));
  is_over_ = true;
  reader_.end();
  events_[0] = reader_.facts().event(wire_format::gemini, {}, read_at);
  pairs_.join(events_[0], reader_.halves(), true);
  events_[1] = {.kind = event_kind::end, .read_at = read_at};
  return relayed(events_);
}

result<void> gemini_stream::on_whole(std::string body) {
  whole_ = std::move(body);
  whole_.reserve(whole_.size() + readable_behind);
  const std::string_view text = without_space(whole_);
  const bool is_answer = is_json(text) && (json_is_array(text) || json_find(text, "candidates") ||
                                           json_find(text, "promptFeedback"));
  if (is_answer) {
    now_ = text;
    if (json_is_array(text)) chunks_.emplace(text);
    return {};
  }
  is_over_ = true;
  return error_in_answer(text);
}

result<gemini_stream::relayed> gemini_stream::next_of_whole(instant read_at) {
  if (is_over_) return relayed{};
  const auto next = chunks_ ? chunks_->next_element() : std::optional(std::exchange(now_, {}));
  if (!next || next->empty()) return complete(read_at);
  return read(*next, read_at);
}

}  // namespace photofinish::proxy
