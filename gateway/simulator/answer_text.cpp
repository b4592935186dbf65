#include "gateway/simulator/answer_text.hpp"

#include "proxy/json/json_text.hpp"

#include <array>
#include <charconv>
#include <initializer_list>

namespace photofinish::gateway::simulator {
namespace {

using proxy::json_quote;

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 402: return "Payment Required";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 413: return "Content Too Large";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 500: return "Internal Server Error";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    case 529: return "Overloaded";
    default: return "Simulated";
  }
}

void append_head(std::string& out, int status, std::string_view request_id, after_answer after) {
  out.append("HTTP/1.1 ").append(std::to_string(status)).append(" ").append(reason_phrase(status));
  out.append("\r\nx-request-id: ").append(request_id).append("\r\nrequest-id: ").append(request_id);
  if (after == after_answer::close) out.append("\r\nconnection: close");
  out.append("\r\n");
}

std::string quoted_or_null(std::string_view text) { return text.empty() ? "null" : json_quote(text); }

}  // namespace

answer_text::answer_text(const sim_answer_terms& terms) : sim_answer(terms) {
  chunk_begin_ = "data: {\"id\":\"chatcmpl-" + request_id_ +
                 "\",\"object\":\"chat.completion.chunk\",\"created\":" + std::to_string(created_) +
                 ",\"model\":" + model_json_ + ",\"system_fingerprint\":\"fp_sim\",";
  choices_at_ = chunk_begin_.size();
  chunk_begin_ += "\"choices\":[{\"index\":0,\"delta\":{";
  // If a usage chunk ends the stream, OpenAI writes `"usage": null` into every other chunk.
  const bool reports_usage = request_.params.include_usage && usage_ != usage_mode::never;
  const std::string end = std::string(reports_usage ? "}],\"usage\":null}" : "}]}") + "\n\n";
  chunk_end_ = "},\"logprobs\":null,\"finish_reason\":null" + end;
  finish_end_ = "},\"logprobs\":null,\"finish_reason\":\"" + std::string(schedule_.finish_reason) + "\"" + end;
}

void append_chunk(std::string& out, std::initializer_list<std::string_view> pieces) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16).ptr;
  out.append(digits.data(), end).append("\r\n");
  for (const std::string_view piece : pieces) out.append(piece);
  out.append("\r\n");
}

void append_last_chunk(std::string& out) { out.append("0\r\n\r\n"); }

void append_stream_head(std::string& out, std::string_view request_id, std::string_view content_type,
                        after_answer after) {
  append_head(out, 200, request_id, after);
  out.append("content-type: ").append(content_type).append("\r\n");
  out.append(
      "cache-control: no-cache\r\n"
      "transfer-encoding: chunked\r\n\r\n");
}

void answer_text::append_delta(std::string& out, std::string_view begin, std::string_view text,
                               std::string_view end) const {
  append_chunk(out, {chunk_begin_, begin, text, end, chunk_end_});
}

void answer_text::append_step(std::string& out, const sim_step& step) {
  // Text that the simulator makes up needs no JSON escapes. The arguments of a tool call do need them, because they are
  // JSON inside a JSON string.
  const std::string_view text = schedule_.text_of(step);
  switch (step.kind) {
    case step_kind::role: return append_role(out);
    case step_kind::reasoning: return append_delta(out, R"("reasoning_content":")", text, R"(")");
    case step_kind::content: return append_delta(out, R"("content":")", text, R"(")");
    case step_kind::tool_name:
      return append_delta(out,
                          R"("tool_calls":[{"index":0,"id":"call_)" + request_id_ +
                              R"(","type":"function","function":{"name":)",
                          json_quote(request_.tool_name), R"(,"arguments":""}}])");
    case step_kind::arguments:
      return append_delta(out, R"("tool_calls":[{"index":0,"function":{"arguments":)", json_quote(text),
                          R"(}}])");
    case step_kind::finish: return append_chunk(out, {chunk_begin_, finish_end_});
    case step_kind::usage: {
      const std::string_view begin(chunk_begin_.data(), choices_at_);
      return append_chunk(out, {begin, "\"choices\":[],\"usage\":", usage_json(answer_part::end), "}\n\n"});
    }
    case step_kind::done: return append_chunk(out, {"data: [DONE]\n\n"});
    case step_kind::error_event:
      return append_chunk(out, {"data: ", error_json(simulated_failure(500)), "\n\n"});
    case step_kind::refuse:
    case step_kind::silence:
    case step_kind::reset:
    case step_kind::close: return;
  }
}

// Returns how long each phase of the answer took, as JSON in the format of Groq's usage.
std::string answer_text::times_json() const {
  if (!schedule_.queue_share) return {};
  const double seconds = std::chrono::duration<double>(schedule_.ttft).count();
  const double waited = seconds * *schedule_.queue_share;
  return ",\"queue_time\":" + std::to_string(waited) + ",\"prompt_time\":" + std::to_string(seconds - waited);
}

// Appends the first chunk of a stream. In some providers' formats, each chunk contains the usage, even the first one.
void answer_text::append_role(std::string& out) const {
  constexpr std::string_view role = R"("role":"assistant","content":"","refusal":null)";
  const bool reports_usage = usage_ == usage_mode::always ||
                             (usage_ == usage_mode::asked && request_.params.include_usage);
  if (!reports_usage || !prompt_at(answer_part::before_end, cache_report::late).has_cache)
    return append_delta(out, role, {}, {});
  append_chunk(out, {chunk_begin_, role, R"(},"logprobs":null,"finish_reason":null}],"usage":)",
                     usage_json(answer_part::before_end), "}\n\n"});
}

std::string answer_text::usage_json(answer_part part) const {
  const prompt_usage prompt = prompt_at(part, cache_report::late);
  const std::uint64_t output = part == answer_part::end ? output_tokens() : 0;
  std::string cached;
  if (prompt.has_cache) {
    cached = R"(,"prompt_tokens_details":{"cached_tokens":)" + std::to_string(prompt.read);
    if (prompt.written > 0) cached += R"(,"cache_write_tokens":)" + std::to_string(prompt.written);
    cached += "}";
  }
  return "{\"prompt_tokens\":" + std::to_string(request_.prompt_tokens) +
         ",\"completion_tokens\":" + std::to_string(output) +
         ",\"total_tokens\":" + std::to_string(request_.prompt_tokens + output) + cached +
         ",\"completion_tokens_details\":{\"reasoning_tokens\":" +
         std::to_string(schedule_.reasoning_tokens) + "}" + times_json() + "}";
}

std::string answer_text::message_json() const {
  const std::string arguments = schedule_.text_of(step_kind::arguments);
  std::string json = R"({"role":"assistant","content":)";
  json += arguments.empty() ? json_quote(schedule_.text_of(step_kind::content)) : "null";
  json += R"(,"refusal":null)";
  if (schedule_.reasoning_tokens > 0)
    json += R"(,"reasoning_content":)" + json_quote(schedule_.text_of(step_kind::reasoning));
  if (!arguments.empty())
    json += R"(,"tool_calls":[{"id":"call_)" + request_id_ + R"(","type":"function","function":{"name":)" +
            json_quote(request_.tool_name) + R"(,"arguments":)" + json_quote(arguments) + "}}]";
  return json + "}";
}

void answer_text::append_completion(std::string& out) const {
  std::string json = "{\"id\":\"chatcmpl-" + request_id_ +
                     "\",\"object\":\"chat.completion\",\"created\":" + std::to_string(created_) +
                     ",\"model\":" + model_json_ +
                     ",\"system_fingerprint\":\"fp_sim\",\"choices\":[{\"index\":0,\"message\":" +
                     message_json() + ",\"logprobs\":null,\"finish_reason\":\"" +
                     std::string(schedule_.finish_reason) + "\"}]";
  if (usage_ != usage_mode::never) json += ",\"usage\":" + usage_json(answer_part::end);
  json += "}";
  append_json_response(out, 200, request_id_, {}, json, after_);
}

void append_json_response(std::string& out, int status, std::string_view request_id, std::string_view fields,
                          std::string_view json, after_answer after) {
  append_head(out, status, request_id, after);
  out.append(fields);
  out.append("content-type: application/json\r\ncontent-length: ");
  out.append(std::to_string(json.size())).append("\r\n\r\n").append(json);
}

std::string error_json(const proxy::failure& why) {
  return "{\"error\":{\"message\":" + json_quote(why.detail) + ",\"type\":" + quoted_or_null(why.type) +
         ",\"param\":" + quoted_or_null(why.param) + ",\"code\":" + quoted_or_null(why.code) + "}}";
}

void append_error_response(std::string& out, const proxy::failure& why, std::string_view json,
                           std::string_view request_id, after_answer after, std::string fields) {
  if (why.retry_after) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*why.retry_after);
    fields += "retry-after: " + std::to_string(seconds.count()) +
              "\r\nretry-after-ms: " + std::to_string(why.retry_after->count()) + "\r\n";
  }
  append_json_response(out, why.status, request_id, fields, json, after);
}

proxy::failure simulated_failure(int status, std::optional<microseconds> retry_after) {
  proxy::failure why;
  if (retry_after) why.retry_after = std::chrono::ceil<std::chrono::milliseconds>(*retry_after);
  why.status = status;
  why.detail = "simulated: " + std::to_string(status) + " " + std::string(reason_phrase(status));
  why.type = status < 500 ? "invalid_request_error" : "server_error";
  if (status == 401) why.code = "invalid_api_key";
  if (status == 402) why.type = why.code = "insufficient_quota";
  if (status == 404) why.code = "model_not_found";
  if (status == 429) why.type = "requests", why.code = "rate_limit_exceeded";
  return why;
}

std::string models_json(std::string_view model) {
  return "{\"object\":\"list\",\"data\":[{\"id\":" + json_quote(model) +
         ",\"object\":\"model\",\"created\":0,\"owned_by\":\"photofinish\"}]}";
}

}  // namespace photofinish::gateway::simulator
