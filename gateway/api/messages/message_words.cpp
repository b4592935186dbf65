#include "gateway/api/messages/message_words.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/failures/token_excess.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

// The error message for requests with a `thread`, a conversation that the provider keeps for the tool runners of SDKs.
// After this error, SDKs send the whole conversation in each request.
constexpr std::string_view without_threads =
    R"(,"details":{"error_code":"thread_unsupported_request","unsupported":["thread"]})";

// The words with which Anthropic's API reports a prompt that is too long. The API has no error code for this case, so
// agents search error messages for these words, and then shorten the conversation.
constexpr std::string_view prompt_too_long = "prompt is too long";

bool is_context_full(const api_error& error) { return error.code == "context_length_exceeded"; }

// Returns the error's message for the client. If the prompt is too long, the message starts with Anthropic's words, and
// then quotes the provider's message.
std::string message_of(const api_error& error) {
  if (!is_context_full(error) || error.message.find(prompt_too_long) != std::string::npos) return error.message;
  const std::string beginning = std::string(prompt_too_long) + ": ";
  const auto excess = proxy::find_token_excess(error.message);
  if (!excess) return beginning + error.message;
  return beginning + std::to_string(excess->used) + " tokens > " + std::to_string(excess->most) + " maximum (" +
         error.message + ")";
}

std::string_view type_of_status(int status) {
  switch (status) {
    case 401: return "authentication_error";
    case 402: return "billing_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 413: return "request_too_large";
    case 429: return "rate_limit_error";
    case 503: return "overloaded_error";
    case 504: return "timeout_error";
    case 529: return "overloaded_error";
    default: return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

// True if a provider refused the gateway's key after the answer had begun. The error then has the status 502, and its
// type names the refusal.
bool is_refused_key(const api_error& error) {
  return error.type == "authentication_error" || error.type == "permission_error";
}

std::string_view type_of(const api_error& error) {
  if (is_context_full(error)) return "invalid_request_error";
  return error.status == 502 && is_refused_key(error) ? std::string_view(error.type) : type_of_status(error.status);
}

}  // namespace

std::string_view stop_word(proxy::finish_reason reason, const answer_blocks& said, bool has_broken_call) {
  switch (reason) {
    case proxy::finish_reason::length: return "max_tokens";
    case proxy::finish_reason::content_filter: return "refusal";
    case proxy::finish_reason::stop:
    case proxy::finish_reason::tool_calls:
    case proxy::finish_reason::function_call: break;
  }
  if (said.has_calls()) return has_broken_call ? "max_tokens" : "tool_use";
  return said.has_refusal() ? "refusal" : "end_turn";
}

std::string usage_json(const proxy::token_usage& usage) {
  const auto cached = std::min(usage.cached_input_tokens, usage.input_tokens);
  const auto written = std::min(usage.written_input_tokens, usage.input_tokens - cached);
  return R"({"input_tokens":)" + std::to_string(usage.input_tokens - cached - written) +
         R"(,"cache_creation_input_tokens":)" + std::to_string(written) + R"(,"cache_read_input_tokens":)" +
         std::to_string(cached) +
         R"(,"output_tokens":)" + std::to_string(usage.output_tokens) + "}";
}

api_error no_such_thread() {
  return {.status = 404,
          .message = "no message with this id is stored for this caller: a thread can continue only at the target "
                     "where it began, and only with the same key",
          .code = "thread_not_found",
          .details = R"({"error_code":"thread_not_found"})"};
}

std::string message_error_json(const api_error& error) {
  std::string json = R"({"type":"error","error":{"type":")";
  json.append(type_of(error)).append(R"(","message":)");
  json.append(proxy::json_quote(proxy::valid_utf8(message_of(error))));
  if (error.param == "thread") json += without_threads;
  else if (error.details.starts_with('{')) json.append(R"(,"details":)").append(proxy::valid_utf8(error.details));
  return json.append("}}");
}

}  // namespace photofinish::gateway
