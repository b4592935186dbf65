#include "gateway/simulator/bedrock_text.hpp"

#include "gateway/simulator/answer_text.hpp"
#include "proxy/aws/crc32.hpp"
#include "proxy/json/base64.hpp"
#include "proxy/json/json_text.hpp"

#include <chrono>
#include <initializer_list>
#include <utility>

namespace photofinish::gateway::simulator {
namespace {

using proxy::json_quote;

constexpr std::string_view frames_type = "application/vnd.amazon.eventstream";

void append_big_endian(std::string& out, std::uint64_t number, int bytes) {
  for (int at = bytes - 1; at >= 0; --at) out += static_cast<char>((number >> (8 * at)) & 0xFF);
}

using header_texts = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Appends a binary frame as one HTTP chunk. The file proxy/aws/event_frames.hpp describes the lengths and checksums in
// a frame.
void append_frame(std::string& out, header_texts texts, std::string_view payload) {
  constexpr char text_type = 7;
  constexpr std::size_t around = 16;  // the total size of a frame's two length fields and two checksums
  std::string headers;
  for (const auto& [name, value] : texts) {
    append_big_endian(headers, name.size(), 1);
    headers.append(name).append(1, text_type);
    append_big_endian(headers, value.size(), 2);
    headers.append(value);
  }
  std::string frame;
  append_big_endian(frame, headers.size() + payload.size() + around, 4);
  append_big_endian(frame, headers.size(), 4);
  append_big_endian(frame, proxy::crc32_of(frame), 4);
  frame.append(headers).append(payload);
  append_big_endian(frame, proxy::crc32_of(frame), 4);
  append_chunk(out, {frame});
}

void append_event_frame(std::string& out, std::string_view type, std::string_view json) {
  append_frame(out, {{":event-type", type}, {":content-type", "application/json"}, {":message-type", "event"}}, json);
}

std::string message_of(const proxy::failure& why) { return R"({"message":)" + json_quote(why.detail) + "}"; }

void append_exception_frame(std::string& out) {
  append_frame(out,
               {{":exception-type", "internalServerException"},
                {":content-type", "application/json"},
                {":message-type", "exception"}},
               message_of(simulated_failure(500)));
}

std::string_view exception_of(int status) {
  switch (status) {
    case 401:
    case 403: return "AccessDeniedException";
    case 404: return "ResourceNotFoundException";
    case 408: return "ModelTimeoutException";
    case 424: return "ModelErrorException";
    case 429: return "ThrottlingException";
    case 503: return "ServiceUnavailableException";
    default: return status < 500 ? "ValidationException" : "InternalServerException";
  }
}

std::string thought_delta(std::string_view member, std::string_view text) {
  return R"({"reasoningContent":{")" + std::string(member) + "\":" + json_quote(text) + "}}";
}

}  // namespace

std::string_view converse_text::stream_type() const { return frames_type; }

void converse_text::append_step(std::string& out, const sim_step& step) {
  const std::string_view text = schedule_.text_of(step);
  switch (step.kind) {
    case step_kind::role: return append_event_frame(out, "messageStart", R"({"role":"assistant","p":"abcd"})");
    case step_kind::reasoning: return append_delta(out, step.kind, thought_delta("text", text));
    case step_kind::content: return append_delta(out, step.kind, R"({"text":)" + json_quote(text) + "}");
    case step_kind::tool_name:
      close_block(out);
      open_ = step_kind::arguments;
      return append_in_block(out, "contentBlockStart", R"("start":{"toolUse":{"toolUseId":)" + json_quote(call_id()) +
                                                           R"(,"name":)" + json_quote(request_.tool_name) + "}}");
    case step_kind::arguments:
      return append_delta(out, step.kind, R"({"toolUse":{"input":)" + json_quote(text) + "}}");
    case step_kind::finish:
      close_block(out);
      return append_event_frame(out, "messageStop", R"({"stopReason":")" + stop_reason_of(schedule_) + R"("})");
    case step_kind::usage: return;
    case step_kind::done: return append_event_frame(out, "metadata", "{" + metadata_members() + R"(,"p":"ab"})");
    case step_kind::error_event: return append_exception_frame(out);
    case step_kind::refuse:
    case step_kind::silence:
    case step_kind::reset:
    case step_kind::close: return;
  }
}

// Appends a delta event. A tool call needs a start event before its first delta. Text and reasoning need no start
// event.
void converse_text::append_delta(std::string& out, step_kind block, std::string_view delta) {
  if (open_ != block) {
    close_block(out);
    open_ = block;
  }
  append_in_block(out, "contentBlockDelta", R"("delta":)" + std::string(delta));
}

void converse_text::append_in_block(std::string& out, std::string_view type, std::string_view members) const {
  std::string json = R"({"contentBlockIndex":)" + std::to_string(index_);
  if (!members.empty()) json.append(",").append(members);
  append_event_frame(out, type, json.append(R"(,"p":"abc"})"));
}

void converse_text::close_block(std::string& out) {
  if (open_ == step_kind::role) return;
  if (open_ == step_kind::reasoning)
    append_in_block(out, "contentBlockDelta", R"("delta":)" + thought_delta("signature", said_signature));
  append_in_block(out, "contentBlockStop", {});
  ++index_;
  open_ = step_kind::role;
}

std::string converse_text::metadata_members() const {
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(schedule_.steps.back().at);
  std::string json = R"("metrics":{"latencyMs":)" + std::to_string(took.count()) + "}";
  if (usage_ == usage_mode::never) return json;
  const prompt_usage prompt = prompt_at(answer_part::end, cache_report::late);
  json += R"(,"usage":{"inputTokens":)" + std::to_string(prompt.uncached) + R"(,"outputTokens":)" +
          std::to_string(output_tokens()) + R"(,"totalTokens":)" +
          std::to_string(request_.prompt_tokens + output_tokens());
  if (prompt.has_cache)
    json += R"(,"cacheReadInputTokens":)" + std::to_string(prompt.read) + R"(,"cacheWriteInputTokens":)" +
            std::to_string(prompt.written);
  return json + "}";
}

void converse_text::append_completion(std::string& out) const {
  std::string content;
  const auto add = [&content](const std::string& block) { content.append(content.empty() ? "" : ",").append(block); };
  if (schedule_.reasoning_tokens > 0)
    add(R"({"reasoningContent":{"reasoningText":{"text":)" + json_quote(schedule_.text_of(step_kind::reasoning)) +
        R"(,"signature":)" + json_quote(said_signature) + "}}}");
  const std::string arguments = schedule_.text_of(step_kind::arguments), text = schedule_.text_of(step_kind::content);
  if (!arguments.empty())
    add(R"({"toolUse":{"toolUseId":)" + json_quote(call_id()) + R"(,"name":)" + json_quote(request_.tool_name) +
        R"(,"input":)" + arguments + "}}");
  else if (!text.empty()) add(R"({"text":)" + json_quote(text) + "}");
  const std::string json = R"({"output":{"message":{"role":"assistant","content":[)" + content +
                           R"(]}},"stopReason":")" + stop_reason_of(schedule_) + "\"," + metadata_members() + "}";
  append_json_response(out, 200, request_id_, {}, json, after_);
}

std::string_view invoked_text::stream_type() const { return frames_type; }

void invoked_text::append_event(std::string& out, std::string_view type, std::string_view members) const {
  std::string json = R"({"type":")" + std::string(type) + "\"";
  json.append(members).append("}");
  append_event_frame(out, "chunk",
                     R"({"bytes":")" + proxy::base64_encoded(json, proxy::base64_padding::wanted) + R"(","p":"abc"})");
}

void invoked_text::append_error_event(std::string& out) const { append_exception_frame(out); }

void append_bedrock_error(std::string& out, const proxy::failure& why, std::string_view request_id,
                          after_answer after) {
  std::string name = "x-amzn-errortype: " + std::string(exception_of(why.status)) + "\r\n";
  append_error_response(out, why, message_of(why), request_id, after, std::move(name));
}

}  // namespace photofinish::gateway::simulator
