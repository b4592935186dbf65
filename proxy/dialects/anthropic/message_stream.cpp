#include "proxy/dialects/anthropic/message_stream.hpp"

#include "proxy/failures/error_shapes.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view last_event = R"({"type":"message_stop"})";

bool has_text(std::string_view object, std::string_view key) {
  const auto value = json_find(object, key);
  return value && json_is_string(*value) && !json_raw_string(*value).empty();
}

// True if the block is a call of one of the client's tools or of a server tool.
bool has_input(std::string_view block) {
  const auto type = json_find(block, "type");
  return type == R"("tool_use")" || type == R"("server_tool_use")" || type == R"("mcp_tool_use")";
}

bool is_compaction(std::string_view block) { return json_find(block, "type") == R"("compaction")"; }

}  // namespace

result<message_stream::relayed> message_stream::on_event(const sse_event& event, instant read_at) {
  if (is_over_) return relayed{};
  if (event.type == "error") return fail(error_from_event(without_space(event.data)));
  const std::string_view json = json_of(event);
  if (json.empty()) return relayed{};
  return take(in_one_line(json, text_), event.type, read_at);
}

result<message_stream::relayed> message_stream::take(std::string_view json, std::string_view name, instant read_at) {
  if (auto read = inspector_.inspect(json, name); !read) return fail(std::move(read).error());
  if (inspector_.facts().step == message_step::nothing) return relayed{};
  is_over_ = inspector_.facts().step == message_step::complete;
  return relay(json, read_at);
}

message_stream::relayed message_stream::relay(std::string_view json, instant read_at) {
  piece_ = json;
  events_[0] = inspector_.facts().event(wire_format::anthropic_messages, {&piece_, 1}, read_at);
  pairs_.join(events_[0], inspector_.halves(), is_over_);
  events_[1] = {.kind = event_kind::end, .read_at = read_at};
  return std::span(events_).first(is_over_ ? 2u : 1u);
}

// Ends the answer. An answer without an end event is complete if the provider has sent the stop reason.
result<message_stream::relayed> message_stream::on_body_end(std::string_view unfinished_data, instant read_at) {
  if (is_over_) return relayed{};
  const std::string_view last = without_space(unfinished_data);
  std::size_t count = 0;
  if (is_whole_object(last)) {
    text_.reserve(last.size() + readable_behind);
    text_ = last;
    auto said = take(text_, {}, read_at);
    if (!said || is_over_) return said;
    count = said->size() > 0 ? 1 : 0;
  }
  if (!inspector_.has_stopped()) return fail(bad_stream("the stream ended early"));
  is_over_ = true;
  static constexpr std::string_view piece = last_event;
  events_[count] = {.spoken = wire_format::anthropic_messages, .json = {&piece, 1}, .read_at = read_at};
  events_[count].name = "message_stop";
  events_[count + 1] = {.kind = event_kind::end, .read_at = read_at};
  return relayed(events_).first(count + 2);
}

// Whole

result<void> message_stream::on_whole(std::string body) {
  std::replace(body.begin(), body.end(), '\n', ' ');
  std::replace(body.begin(), body.end(), '\r', ' ');
  const bool is_valid = is_whole_object(body);
  const auto content = is_valid ? json_find(body, "content") : std::nullopt;
  const auto error = is_valid ? json_find(body, "error") : std::nullopt;
  if (!content || !json_is_array(*content) || (error && json_is_object(*error))) {
    is_over_ = true;
    return error_in_answer(body);
  }
  whole_ = std::move(body);
  return {};
}

result<message_stream::relayed> message_stream::next_of_whole(instant read_at) {
  while (!is_over_) {
    text_.clear();
    if (!write_next_of_whole()) continue;
    text_.reserve(text_.size() + readable_behind);
    return take(text_, {}, read_at);
  }
  return relayed{};
}

// Creates the next stream event of an answer that arrived as a complete message, and stores the event in text_. Returns
// false if the current step creates no event.
bool message_stream::write_next_of_whole() {
  switch (step_) {
    case whole_step::start: {
      json_edits edits(whole_);
      const std::string_view content = *json_find(whole_, "content");
      edits.replace(content, "[]");
      for (const char* key : {"stop_reason", "stop_sequence", "stop_details"})
        if (const auto value = json_find(whole_, key)) edits.replace(*value, "null");
      text_ = R"({"type":"message_start","message":)" + edits.text() + "}";
      blocks_.emplace(content);
      step_ = whole_step::block_start;
      return true;
    }
    case whole_step::block_start: {
      const auto next = blocks_->next_element();
      step_ = next ? whole_step::block_delta : whole_step::stop;
      if (next) block_ = *next, write_block_start();
      return next.has_value();
    }
    case whole_step::block_delta:
      step_ = whole_step::block_citation;
      citations_.emplace(json_find(block_, "citations").value_or(""), '[');
      if (has_input(block_)) return write_input_delta();
      if (is_compaction(block_)) return write_compaction_delta();
      return write_block_delta("text", "text_delta") || write_block_delta("thinking", "thinking_delta");
    case whole_step::block_citation: {
      const auto next = citations_->next_element();
      if (!next) step_ = whole_step::block_signature;
      else begin_delta("citations_delta"), text_.append(R"(,"citation":)").append(*next).append("}}");
      return next.has_value();
    }
    case whole_step::block_signature:
      step_ = whole_step::block_stop;
      return write_block_delta("signature", "signature_delta");
    case whole_step::block_stop:
      step_ = whole_step::block_start;
      text_ = R"({"type":"content_block_stop","index":)" + std::to_string(index_++) + "}";
      return true;
    case whole_step::stop:
      step_ = whole_step::end;
      write_message_delta();
      return true;
    case whole_step::end: break;
  }
  text_ = last_event;
  return true;
}

void message_stream::write_message_delta() {
  text_ = R"({"type":"message_delta","delta":{"stop_reason":)";
  text_.append(json_find(whole_, "stop_reason").value_or(R"("end_turn")")).append(R"(,"stop_sequence":)");
  text_.append(json_find(whole_, "stop_sequence").value_or("null"));
  for (const std::string_view key : {"stop_details", "container"})
    if (const auto value = json_find(whole_, key)) text_.append(",\"").append(key).append("\":").append(*value);
  text_.append(R"(},"usage":)").append(json_find(whole_, "usage").value_or(R"({"output_tokens":0})"));
  if (const auto edited = json_find(whole_, "context_management"))
    text_.append(R"(,"context_management":)").append(*edited);
  text_ += "}";
}

// Writes the start of a block without its text, arguments and citations, which later events contain.
void message_stream::write_block_start() {
  json_edits edits(block_);
  for (const char* key : {"text", "thinking", "signature"})
    if (has_text(block_, key)) edits.replace(*json_find(block_, key), R"("")");
  if (const auto input = json_find(block_, "input"); input && has_input(block_)) edits.replace(*input, "{}");
  if (const auto list = json_find(block_, "citations"); list && json_is_array(*list)) edits.replace(*list, "[]");
  if (const auto content = json_find(block_, "content"); content && is_compaction(block_))
    edits.replace(*content, "null");
  text_ = R"({"type":"content_block_start","index":)" + std::to_string(index_) + R"(,"content_block":)" +
          edits.text() + "}";
}

void message_stream::begin_delta(std::string_view type) {
  text_ = R"({"type":"content_block_delta","index":)" + std::to_string(index_) + R"(,"delta":{"type":")";
  text_.append(type).append("\"");
}

bool message_stream::write_block_delta(std::string_view key, std::string_view type) {
  if (!has_text(block_, key)) return false;
  begin_delta(type);
  text_.append(",\"").append(key).append("\":").append(*json_find(block_, key)).append("}}");
  return true;
}

bool message_stream::write_input_delta() {
  const auto input = json_find(block_, "input");
  if (!input) return false;
  begin_delta("input_json_delta");
  text_.append(R"(,"partial_json":)").append(json_is_string(*input) ? std::string(*input) : json_quote(*input));
  text_ += "}}";
  return true;
}

bool message_stream::write_compaction_delta() {
  const auto content = json_find(block_, "content");
  if (!content) return false;
  begin_delta("compaction_delta");
  text_.append(R"(,"content":)").append(*content);
  if (const auto encrypted = json_find(block_, "encrypted_content"))
    text_.append(R"(,"encrypted_content":)").append(*encrypted);
  text_ += "}}";
  return true;
}

}  // namespace photofinish::proxy
