#include "gateway/relay/recorded_source.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/loop/next_turn.hpp"

namespace photofinish::gateway {

namespace {

proxy::failure cannot_go_on(const char* why) {
  return {.kind = proxy::failure_kind::cancelled, .origin = proxy::failure_origin::gateway, .detail = why};
}

// True for the chunk that contains the usage. OpenAI's clients get this chunk if they request it. No other chunk then
// contains usage.
bool is_usage_chunk(const proxy::stream_event& event) {
  const bool has_chunks =
      event.spoken == proxy::wire_format::openai_chat || event.spoken == proxy::wire_format::openai_completions;
  if (!has_chunks || event.kind != proxy::event_kind::progress || !event.deltas.empty() || event.json.size() != 1)
    return false;
  const auto usage = proxy::json_find(event.json[0], "usage");
  return usage && proxy::json_is_object(*usage);
}

void take_usage_out(proxy::stream_event& event, usage_shown usage) {
  if (usage == usage_shown::no && is_usage_chunk(event)) event.json = {};
}

}  // namespace

void recorded_source::client_left() {
  has_left_ = true;
  from_.wake();
}

std::optional<proxy::result<proxy::stream_event>> recorded_source::poll() {
  if (taken_ >= most_a_turn) return std::nullopt;
  recorded_answer::stage at = recorded_answer::stage::begun;
  if (!from_.has_next()) at = from_.look();
  if (auto event = from_.next()) {
    taken_ += 1;
    for (const std::string_view piece : event->json) taken_ += piece.size();
    for (const proxy::delta& each : event->deltas) taken_ += each.text.size();
    take_usage_out(*event, usage_);
    return proxy::result<proxy::stream_event>(*event);
  }
  if (at == recorded_answer::stage::failed || at == recorded_answer::stage::abandoned)
    return proxy::result<proxy::stream_event>(cannot_go_on("the shared answer was cut off"));
  return std::nullopt;
}

boost::asio::awaitable<void> recorded_source::readable() {
  if (taken_ < most_a_turn) return from_.changed();
  taken_ = 0;
  return proxy::next_turn(loop_);
}

std::optional<proxy::result<proxy::stream_event>> recorded_source::read() {
  taken_ = 0;
  if (has_left_) return proxy::result<proxy::stream_event>(cannot_go_on("the client has disconnected"));
  return poll();
}

std::optional<proxy::result<proxy::stream_event>> recording_source::noted(
    std::optional<proxy::result<proxy::stream_event>> event) {
  if (!event) return event;
  is_over_ = !*event || (*event)->kind == proxy::event_kind::end;
  if (*event) seen_(**event), take_usage_out(**event, usage_);
  else failed_ = event->error();
  return event;
}

}  // namespace photofinish::gateway
