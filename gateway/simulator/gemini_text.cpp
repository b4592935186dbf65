#include "gateway/simulator/gemini_text.hpp"

#include "gateway/simulator/answer_text.hpp"
#include "proxy/json/json_text.hpp"

#include <chrono>

namespace photofinish::gateway::simulator {
namespace {

using proxy::json_quote;

constexpr std::string_view gemini_event_end = "\r\n\r\n";  // the end of an event, as Google writes it

enum class part_kind { said, thought };

std::string text_part(std::string_view text, part_kind kind = part_kind::said) {
  return R"({"text":)" + json_quote(text) + (kind == part_kind::thought ? R"(,"thought":true})" : "}");
}

std::string_view status_word(int status) {
  switch (status) {
    case 400: return "INVALID_ARGUMENT";
    case 401: return "UNAUTHENTICATED";
    case 403: return "PERMISSION_DENIED";
    case 404: return "NOT_FOUND";
    case 429: return "RESOURCE_EXHAUSTED";
    case 503: return "UNAVAILABLE";
    case 504: return "DEADLINE_EXCEEDED";
    default: return status < 500 ? "FAILED_PRECONDITION" : "INTERNAL";
  }
}

}  // namespace

gemini_text::gemini_text(const sim_answer_terms& terms)
    : sim_answer(terms), tail_(tail_of(answer_part::before_end)) {}

std::string gemini_text::tail_of(answer_part part) const {
  const prompt_usage prompt = prompt_at(part, cache_report::early);
  std::string tail;
  const std::uint64_t all = request_.prompt_tokens + schedule_.reasoning_tokens + schedule_.output_tokens;
  if (usage_ != usage_mode::never) {
    tail = R"(,"usageMetadata":{"promptTokenCount":)" + std::to_string(request_.prompt_tokens) +
            R"(,"candidatesTokenCount":)" + std::to_string(schedule_.output_tokens);
    if (prompt.read > 0) tail += R"(,"cachedContentTokenCount":)" + std::to_string(prompt.read);
    if (schedule_.reasoning_tokens > 0)
      tail += R"(,"thoughtsTokenCount":)" + std::to_string(schedule_.reasoning_tokens);
    tail += R"(,"totalTokenCount":)" + std::to_string(all) + "}";
  }
  return tail + R"(,"modelVersion":)" + model_json_ + R"(,"responseId":)" + json_quote(request_id_) + "}";
}

std::string gemini_text::answer_json(std::string_view parts, std::string_view finish) const {
  std::string json = R"({"candidates":[{"content":{"parts":[)";
  json.append(parts).append(R"(],"role":"model"})");
  if (!finish.empty()) json.append(R"(,"finishReason":")").append(finish).append("\"");
  return json.append(R"(,"index":0}])").append(finish.empty() ? tail_ : tail_of(answer_part::end));
}

std::string gemini_text::call_json() const {
  return R"({"functionCall":{"name":)" + json_quote(request_.tool_name) + R"(,"args":)" +
         schedule_.text_of(step_kind::arguments) + R"(},"thoughtSignature":)" + json_quote(said_signature) + "}";
}

// Returns the last part of the answer. If the answer has a signature but no function call, the last part is an empty
// text with this signature.
std::string gemini_text::last_part() const {
  const bool is_signed = schedule_.reasoning_tokens > 0 && schedule_.text_of(step_kind::arguments).empty();
  return is_signed ? R"({"text":"","thoughtSignature":)" + json_quote(said_signature) + "}" : text_part({});
}

std::string_view gemini_text::finish_word() const {
  return schedule_.finish_reason == "length" ? "MAX_TOKENS" : "STOP";
}

void gemini_text::append_chunk_of(std::string& out, std::string_view parts, std::string_view finish) const {
  append_chunk(out, {"data: ", answer_json(parts, finish), gemini_event_end});
}

void gemini_text::append_step(std::string& out, const sim_step& step) {
  const std::string_view text = schedule_.text_of(step);
  switch (step.kind) {
    case step_kind::reasoning: return append_chunk_of(out, text_part(text, part_kind::thought));
    case step_kind::content: return append_chunk_of(out, text_part(text));
    case step_kind::arguments:
      call_tokens_ += step.tokens;
      if (call_tokens_ == schedule_.output_tokens) append_chunk_of(out, call_json());
      return;
    case step_kind::finish: return append_chunk_of(out, last_part(), finish_word());
    case step_kind::error_event:
      return append_chunk(out, {"data: ", gemini_error_json(simulated_failure(500)), gemini_event_end});
    case step_kind::role:
    case step_kind::tool_name:
    case step_kind::usage:  // the step `usage` sends nothing, because each chunk already contains the usage
    case step_kind::done:
    case step_kind::refuse:
    case step_kind::silence:
    case step_kind::reset:
    case step_kind::close: return;
  }
}

void gemini_text::append_completion(std::string& out) const {
  std::string parts;
  const auto add = [&parts](const std::string& part) { parts.append(parts.empty() ? "" : ",").append(part); };
  if (schedule_.reasoning_tokens > 0) add(text_part(schedule_.text_of(step_kind::reasoning), part_kind::thought));
  if (!schedule_.text_of(step_kind::arguments).empty()) add(call_json());
  else add(text_part(schedule_.text_of(step_kind::content)));
  append_json_response(out, 200, request_id_, {}, answer_json(parts, finish_word()), after_);
}

std::string gemini_error_json(const proxy::failure& why) {
  std::string json = R"({"error":{"code":)" + std::to_string(why.status) + R"(,"message":)" + json_quote(why.detail);
  json.append(R"(,"status":")").append(status_word(why.status)).append("\"");
  if (why.retry_after) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*why.retry_after);
    json += R"(,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":")" +
            std::to_string(seconds.count()) + R"(s"}])";
  }
  return json + "}}";
}

}  // namespace photofinish::gateway::simulator
