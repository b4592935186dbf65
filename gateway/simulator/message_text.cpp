#include "gateway/simulator/message_text.hpp"

#include "gateway/simulator/answer_text.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::gateway::simulator {
namespace {

using proxy::json_quote;

std::string_view error_type(int status) {
  switch (status) {
    case 401: return "authentication_error";
    case 402: return "billing_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 413: return "request_too_large";
    case 429: return "rate_limit_error";
    case 504: return "timeout_error";
    case 529: return "overloaded_error";
    default: return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

}  // namespace

void message_text::append_step(std::string& out, const sim_step& step) {
  const std::string_view text = schedule_.text_of(step);
  switch (step.kind) {
    case step_kind::role:
      append_event(out, "message_start", R"(,"message":)" + head_json() +
                                             R"("content":[],"stop_reason":null,"stop_sequence":null,"usage":)" +
                                             usage_json(1, answer_part::before_end) + "}");
      return append_event(out, "ping", {});
    case step_kind::reasoning:
      return append_delta(out, step.kind, R"({"type":"thinking","thinking":"","signature":""})",
                          R"(thinking_delta","thinking")", text);
    case step_kind::content:
      return append_delta(out, step.kind, R"({"type":"text","text":""})", R"(text_delta","text")", text);
    case step_kind::tool_name: return append_delta(out, step_kind::arguments, call_json("{}"), {}, {});
    case step_kind::arguments: return append_delta(out, step.kind, {}, R"(input_json_delta","partial_json")", text);
    case step_kind::finish:
      close_block(out);
      return append_event(out, "message_delta", R"(,"delta":{"stop_reason":")" + stop_reason_of(schedule_) +
                                                    R"(","stop_sequence":null},"usage":)" +
                                                    usage_json(output_tokens(), answer_part::end));
    case step_kind::usage: return;
    case step_kind::done: return append_event(out, "message_stop", {});
    case step_kind::error_event: return append_error_event(out);
    case step_kind::refuse:
    case step_kind::silence:
    case step_kind::reset:
    case step_kind::close: return;
  }
}

void message_text::append_event(std::string& out, std::string_view type, std::string_view members) const {
  append_chunk(out, {"event: ", type, "\ndata: {\"type\":\"", type, "\"", members, "}\n\n"});
}

void message_text::append_error_event(std::string& out) const {
  append_chunk(out, {"event: error\ndata: ", message_error_json(simulated_failure(500)), "\n\n"});
}

// Appends a delta event. If the content block is not open yet, first appends the event that opens it. `begun` is the
// content block in that event.
void message_text::append_delta(std::string& out, step_kind block, std::string_view begun, std::string_view kind,
                                std::string_view text) {
  const auto at = [this] { return R"(,"index":)" + std::to_string(index_); };
  if (open_ != block) {
    close_block(out);
    open_ = block;
    append_event(out, "content_block_start", at() + R"(,"content_block":)" + std::string(begun));
  }
  if (kind.empty()) return;
  append_event(out, "content_block_delta",
               at() + R"(,"delta":{"type":")" + std::string(kind) + ":" + json_quote(text) + "}");
}

void message_text::close_block(std::string& out) {
  if (open_ == step_kind::role) return;
  const std::string at = R"(,"index":)" + std::to_string(index_);
  if (open_ == step_kind::reasoning)
    append_event(out, "content_block_delta",
                 at + R"(,"delta":{"type":"signature_delta","signature":)" + json_quote(said_signature) + "}");
  append_event(out, "content_block_stop", at);
  ++index_;
  open_ = step_kind::role;
}

std::string message_text::head_json() const {
  return R"({"id":"msg_)" + request_id_ + R"(","type":"message","role":"assistant","model":)" + model_json_ + ",";
}

std::string message_text::call_json(std::string_view input) const {
  return R"({"type":"tool_use","id":"toolu_)" + request_id_ + R"(","name":)" + json_quote(request_.tool_name) +
         R"(,"input":)" + std::string(input) + "}";
}

std::string message_text::usage_json(std::uint64_t output, answer_part part) const {
  if (usage_ == usage_mode::never) return R"({"input_tokens":0,"output_tokens":0})";
  const prompt_usage prompt = prompt_at(part, cache_report::early);
  std::string json = R"({"input_tokens":)" + std::to_string(prompt.uncached) + R"(,"cache_creation_input_tokens":)" +
                     std::to_string(prompt.written) + R"(,"cache_read_input_tokens":)" + std::to_string(prompt.read);
  if (prompt.has_cache)
    json += R"(,"cache_creation":{"ephemeral_5m_input_tokens":)" + std::to_string(prompt.written - prompt.written_1h) +
            R"(,"ephemeral_1h_input_tokens":)" + std::to_string(prompt.written_1h) + "}";
  return json + R"(,"output_tokens":)" + std::to_string(output) + "}";
}

std::string stop_reason_of(const sim_schedule& schedule) {
  if (schedule.finish_reason == "length") return "max_tokens";
  return schedule.finish_reason == "tool_calls" ? "tool_use" : "end_turn";
}

void message_text::append_completion(std::string& out) const {
  std::string content;
  if (schedule_.reasoning_tokens > 0)
    content = R"({"type":"thinking","thinking":)" + json_quote(schedule_.text_of(step_kind::reasoning)) +
              R"(,"signature":)" + json_quote(said_signature) + "}";
  const std::string arguments = schedule_.text_of(step_kind::arguments);
  const std::string text = schedule_.text_of(step_kind::content);
  if (!content.empty() && !(arguments.empty() && text.empty())) content += ",";
  if (!arguments.empty()) content += call_json(arguments);
  else if (!text.empty()) content += R"({"type":"text","text":)" + json_quote(text) + "}";
  const std::string json = head_json() + R"("content":[)" + content + R"(],"stop_reason":")" +
                           stop_reason_of(schedule_) + R"(","stop_sequence":null,"usage":)" +
                           usage_json(output_tokens(), answer_part::end) + "}";
  append_json_response(out, 200, request_id_, {}, json, after_);
}

std::string message_error_json(const proxy::failure& why) {
  return R"({"type":"error","error":{"type":")" + std::string(error_type(why.status)) + R"(","message":)" +
         json_quote(why.detail) + "}}";
}

}  // namespace photofinish::gateway::simulator
