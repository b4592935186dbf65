#include "proxy/failures/error_words.hpp"

#include "proxy/failures/error_phrases.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

namespace photofinish::proxy {
namespace {

struct known_word {
  std::string_view text;
  failure_kind kind;
  int status;
};

// Codes and types, in lower case, that mean that money or quota is used up. Waiting or retrying does not help.
constexpr std::string_view quota_words[] = {
    "insufficient_quota",         "insufficient_balance",         "insufficient_credits",
    "insufficient_funds",         "insufficient_user_quota",      "billing_error",
    "billing_hard_limit_reached", "billing_not_active",           "payment_required",
    "payment_method_required",    "exceeded_current_quota_error", "credits_exhausted",
    "servicequotaexceededexception",
};

// Parts of codes and types with which providers ask the client to send fewer requests.
constexpr std::string_view rate_words[] = {"rate_limit", "ratelimit", "too_many_requests", "resource_exhausted",
                                           "throttlingexception"};

// Error codes in lower case that say no more than the HTTP status. The error's sentence is more informative than such a
// code.
constexpr std::string_view vague_codes[] = {"bad_request", "bad_request_error", "badrequesterror", "invalid-argument",
                                            "invalid_argument", "invalid_parameter_error", "invalid_request",
                                            "invalid_request_error", "invalidparameter", "validationexception"};

// Zhipu's number for a prompt that is too long. The accompanying sentence may be in Chinese.
constexpr std::string_view zhipus_full_context = "1261";

// Codes and types, in lower case, with the kind of failure and the status that they imply. They are used if an error
// has no status, as in a stream that began with status 200.
constexpr known_word type_words[] = {
    {"overloaded_error", failure_kind::server_error, 529},
    {"overloaded", failure_kind::server_error, 529},
    {"engine_overloaded_error", failure_kind::server_error, 503},
    {"service_unavailable", failure_kind::server_error, 503},
    {"unavailable", failure_kind::server_error, 503},
    {"authentication_error", failure_kind::auth, 401},
    {"invalid_api_key", failure_kind::auth, 401},
    {"unauthenticated", failure_kind::auth, 401},
    {"unauthorized", failure_kind::auth, 401},
    {"permission_error", failure_kind::auth, 403},
    {"permission_denied", failure_kind::auth, 403},
    {"forbidden", failure_kind::auth, 403},
    {"context_length_exceeded", failure_kind::bad_request, 400},
    {zhipus_full_context, failure_kind::bad_request, 400},
    {"exceed_context_size_error", failure_kind::bad_request, 400},
    {"model_not_found", failure_kind::bad_request, 404},
    {"not_found_error", failure_kind::bad_request, 404},
    {"not_found", failure_kind::bad_request, 404},
    {"request_too_large", failure_kind::bad_request, 413},
    {"content_filter", failure_kind::bad_request, 400},
    {"invalid_encrypted_content", failure_kind::bad_request, 400},
    {"invalid_request_error", failure_kind::bad_request, 400},
    {"invalid_request", failure_kind::bad_request, 400},
    {"invalid_argument", failure_kind::bad_request, 400},
    {"badrequesterror", failure_kind::bad_request, 400},
    {"timeout_error", failure_kind::server_error, 504},
    {"deadline_exceeded", failure_kind::server_error, 504},
    {"api_error", failure_kind::server_error, 500},
    {"server_error", failure_kind::server_error, 500},
    {"internal_server_error", failure_kind::server_error, 500},
    {"internal_error", failure_kind::server_error, 500},
    {"internal", failure_kind::server_error, 500},
    {"internalserverexception", failure_kind::server_error, 500},
    {"serviceunavailableexception", failure_kind::server_error, 503},
    {"modelstreamerrorexception", failure_kind::server_error, 424},
    {"modelerrorexception", failure_kind::server_error, 424},
    {"modeltimeoutexception", failure_kind::server_error, 408},
    {"modelnotreadyexception", failure_kind::server_error, 503},
    {"validationexception", failure_kind::bad_request, 400},
    {"resourcenotfoundexception", failure_kind::bad_request, 404},
    {"accessdeniedexception", failure_kind::auth, 403},
    {"expiredtokenexception", failure_kind::auth, 403},
    {"unrecognizedclientexception", failure_kind::auth, 403},
};

// Parts of sentences in error texts. They are used only if an error has no status, no code and no type.
constexpr known_word prose_words[] = {
    {"overloaded", failure_kind::server_error, 503},
    {"rate limit", failure_kind::rate_limited, 429},
    {"too many requests", failure_kind::rate_limited, 429},
    {"unauthorized", failure_kind::auth, 401},
};

bool holds_part(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [text](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// The fields of error_words, converted to lower case.
struct lowered {
  int status;
  std::string code;
  std::string type;
  std::string message;
  std::string param;
};

bool is_number(std::string_view code) {
  return !code.empty() && code.find_first_not_of("0123456789") == std::string_view::npos;
}

// True if only the message describes the failure: the code is missing or meaningless, and the answer names no
// parameter.
bool is_told_by_prose(const lowered& said) {
  const bool is_code_vague = said.code.empty() || is_number(said.code) || contains(vague_codes, said.code);
  return is_code_vague && said.param.empty();
}

// True if the content of the request may be the reason for this status.
bool is_callers_status(int status) { return status == 400 || status == 404 || status == 413 || status == 422; }

std::optional<error_meaning> find_word(std::string_view word) {
  for (const known_word& known : type_words)
    if (known.text == word) return error_meaning{known.kind, known.status};
  return std::nullopt;
}

std::optional<failure_scope> quota_scope(const lowered& said) {
  if (said.status == 402 || contains(quota_words, said.code) || contains(quota_words, said.type))
    return failure_scope::target;
  if (said.type == "resource_exhausted" || !is_told_by_prose(said))
    return std::nullopt;  // Google's sentences about limits per minute also mention quota and billing
  if (begins_with_spent_credit(said.message, said.status)) return failure_scope::target;
  const bool has_meaning = said.status == 0 && find_word(said.type);
  const bool may_mean_it = said.status == 0 || said.status == 403 || said.status == 429;
  if (has_meaning || !may_mean_it || !says_quota_is_gone(said.message)) return std::nullopt;
  // Status 429 always means that a limit was exceeded, whatever the text says.
  return said.status == 429 ? failure_scope::target : failure_scope::caller;
}

bool is_rate_limit(const lowered& said) {
  return said.status == 429 || holds_part(said.code, rate_words) || holds_part(said.type, rate_words);
}

failure_kind kind_of_status(const lowered& said) {
  switch (said.status) {
    case 401:
    case 403: return failure_kind::auth;
    case 408:  // the server waited too long, had an internal conflict, or assumes that the client has left
    case 409:
    case 424:  // AWS sends this status if the model failed
    case 425:
    case 498:  // Groq sends this status if the flex tier has no capacity left
    case 499: return failure_kind::server_error;
    default: break;
  }
  if (said.status >= 500) return failure_kind::server_error;
  // Google and xAI reject a wrong key with 400.
  const bool is_key_refused =
      said.status == 400 && (said.code == "invalid_api_key" || said.code == "api_key_invalid" ||
                             (is_told_by_prose(said) && begins_with_refused_key(said.message)));
  return is_key_refused ? failure_kind::auth : failure_kind::bad_request;
}

error_meaning meaning_without_status(const lowered& said) {
  if (const auto meaning = find_word(said.code)) return *meaning;
  if (const auto meaning = find_word(said.type)) return *meaning;
  if (begins_with_refused_key(said.message)) return {failure_kind::auth, 401};
  for (const known_word& known : prose_words)
    if (said.message.find(known.text) != std::string::npos)
      return {known.kind, known.status, {}, failure_scope::caller};
  if (says_context_is_full(said.message)) return {failure_kind::bad_request, 400};
  return {};
}

// Matches "The model `x` does not exist" and "model 'x' not found".
bool is_model_missing(const lowered& said) {
  return said.status == 404 && said.message.find("model") != std::string::npos &&
         (said.message.find("not found") != std::string::npos ||
          said.message.find("not exist") != std::string::npos);
}

// True if the prompt is too long for the model's context. The gateway then reports an error code that makes agents
// shorten the conversation. This also applies if the provider names the parameter that is too long, such as `messages`.
bool is_context_full(const lowered& said) {
  if (said.type == "exceed_context_size_error" || said.code == zhipus_full_context) return true;
  lowered unnamed = said;
  for (const std::string_view part : {"messages", "contents", "prompt", "input", "max_"})
    if (said.param.starts_with(part)) unnamed.param.clear();
  return said.status != 404 && is_told_by_prose(unnamed) && says_context_is_full(said.message);
}

std::string_view well_known_code(const lowered& said) {
  if (is_context_full(said)) return "context_length_exceeded";
  const bool has_word = !said.code.empty() && !is_number(said.code);
  return !has_word && is_model_missing(said) ? "model_not_found" : std::string_view{};
}

}  // namespace

error_meaning meaning_of(const error_words& words) {
  const lowered said{words.status, ascii_lower(words.code), ascii_lower(words.type), ascii_lower(words.message),
                     ascii_lower(words.param)};
  const int limit_status = said.status != 0 ? said.status : 429;
  if (const auto scope = quota_scope(said)) return {failure_kind::quota, limit_status, {}, *scope};
  if (is_rate_limit(said)) {
    // A single request that exceeds the whole limit per minute is always rejected. The answer does not show whether
    // other requests would also be rejected.
    const bool is_callers = is_callers_status(said.status);
    return {failure_kind::rate_limited, limit_status, {}, is_callers ? failure_scope::caller : failure_scope::target};
  }
  error_meaning meaning = meaning_without_status(said);
  if (said.status != 0) meaning = {kind_of_status(said), said.status};
  if (meaning.kind == failure_kind::bad_request) meaning.code = well_known_code(said);
  return meaning;
}

}  // namespace photofinish::proxy
