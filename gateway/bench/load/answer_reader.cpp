#include "gateway/bench/load/answer_reader.hpp"

#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/json/json_text.hpp"

#include <simdjson.h>

#include <utility>

namespace photofinish::gateway::bench {
namespace {

constexpr std::size_t max_whole_bytes = 64u << 20;

void append_string(std::string_view object, std::string_view key, std::string& text) {
  const auto value = proxy::json_find(object, key);
  if (value && proxy::json_is_string(*value)) text += proxy::json_unescape(proxy::json_raw_string(*value));
}

// Appends all text that the model generated in one message, so that a tokenizer can count the text.
void append_said(std::string_view said, std::string& text) {
  const bool has_both = proxy::json_find(said, "reasoning_content").has_value();
  append_string(said, has_both ? "reasoning_content" : "reasoning", text);
  append_string(said, "content", text);
  append_string(said, "refusal", text);
  const auto calls = proxy::json_find(said, "tool_calls");
  if (!calls || !proxy::json_is_array(*calls)) return;
  proxy::json_walk walk(*calls);
  while (const auto call = walk.next_element())
    if (const auto function = proxy::json_find(*call, "function")) append_string(*function, "arguments", text);
}

void append_messages(std::string_view answer, std::string& text) {
  const auto choices = proxy::json_find(answer, "choices");
  if (!choices || !proxy::json_is_array(*choices)) return;
  proxy::json_walk walk(*choices);
  while (const auto choice = walk.next_element())
    if (const auto said = proxy::json_find(*choice, "message")) append_said(*said, text);
}

bool is_counted(proxy::delta_kind kind) {
  return kind == proxy::delta_kind::text || kind == proxy::delta_kind::reasoning ||
         kind == proxy::delta_kind::refusal || kind == proxy::delta_kind::call_arguments;
}

}  // namespace

answer_reader::answer_reader(answer_mode mode, const proxy::provider& from, const token_counter& count,
                             request_record& record)
    : mode_(mode), count_(count), record_(record), parser_(from.limits.max_event_bytes) {
  proxy::stream_settings settings;
  settings.usage = proxy::usage_chunk::wanted;
  stream_ = proxy::find_dialect(from.dialect)->open_stream(std::move(settings));
}

void answer_reader::feed(std::string_view bytes, proxy::instant read_at) {
  if (is_over_) return;
  if (mode_ == answer_mode::whole) {
    whole_ += bytes;
    if (whole_.size() > max_whole_bytes) fail(proxy::bad_stream("the answer is larger than 64 MiB"), read_at);
    return;
  }
  parser_.feed(bytes);
  take_events(read_at);
}

void answer_reader::end(proxy::instant read_at) {
  if (is_over_) return;
  if (mode_ == answer_mode::whole) return read_whole(read_at);
  auto said = stream_->on_body_end(parser_.unfinished_data(), read_at);
  if (!said) return fail(std::move(said).error(), read_at);
  take(*said);
  if (!is_over_) fail(proxy::bad_stream("the stream ended early"), read_at);
}

void answer_reader::take_events(proxy::instant read_at) {
  while (!is_over_) {
    const auto event = parser_.next();
    if (!event) break;
    auto said = stream_->on_event(*event, read_at);
    if (!said) return fail(std::move(said).error(), read_at);
    take(*said);
  }
  if (parser_.is_oversized()) fail(proxy::bad_stream("an event of the stream is too large"), read_at);
}

void answer_reader::take(std::span<const proxy::stream_event> said) {
  for (const proxy::stream_event& event : said) {
    const std::uint64_t bytes_before = record_.seen.text_bytes;
    proxy::add_to(record_.seen, event);
    if (event.kind == proxy::event_kind::end) return close(event.read_at);
    if (event.kind != proxy::event_kind::progress) note_token(event, record_.seen.text_bytes - bytes_before);
  }
}

void answer_reader::note_token(const proxy::stream_event& event, std::uint64_t text_bytes) {
  record_.chunks_at.push_back(event.read_at);
  // The size of a text fits into 32 bits, because events are limited to far less than 4 GiB.
  record_.chunk_bytes.push_back(static_cast<std::uint32_t>(text_bytes));
  if (record_.chunks_at.size() == 2) record_.second_chunk_at = event.read_at;
  if (event.kind == proxy::event_kind::token && !record_.first_visible_at) record_.first_visible_at = event.read_at;
  if (!count_) return;
  for (const proxy::delta& each : event.deltas)
    if (is_counted(each.kind)) text_ += each.text;
}

void answer_reader::read_whole(proxy::instant read_at) {
  whole_.reserve(whole_.size() + simdjson::SIMDJSON_PADDING);
  proxy::chunk_inspector inspector;
  if (auto read = inspector.inspect(whole_); !read)
    return fail(proxy::bad_stream("the answer is not a JSON object"), read_at);
  if (inspector.facts().is_error) return fail(proxy::error_from_event(whole_), read_at);
  if (inspector.facts().choices.empty()) return fail(proxy::bad_stream("the answer has no choices"), read_at);
  record_.seen.usage = inspector.facts().usage;
  if (count_) append_messages(whole_, text_);
  close(read_at);
}

void answer_reader::fail(proxy::failure why, proxy::instant at) {
  is_over_ = true;
  record_.error = std::move(why);
  record_.ended_at = at;
}

void answer_reader::close(proxy::instant at) {
  is_over_ = true;
  record_.ended_at = record_.seen.last_token_at.value_or(at);
  if (count_ && !record_.seen.usage) record_.counted_tokens = count_(text_);
}

}  // namespace photofinish::gateway::bench
