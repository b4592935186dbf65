#include "proxy/dialects/repairs/finish_words.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace photofinish::proxy {
namespace {

// The finish reasons that the gateway knows, in lower case, including names that OpenAI does not use. Inference engines
// and servers that translate from other APIs send such names.
constexpr auto known_words = std::to_array<finish_word>({
    {"stop", finish_reason::stop},
    {"eos", finish_reason::stop},          // Together
    {"eos_token", finish_reason::stop},    // TGI
    {"end", finish_reason::stop},
    {"end_turn", finish_reason::stop},     // Anthropic, Bedrock
    {"stop_sequence", finish_reason::stop},
    {"stop_token", finish_reason::stop},
    {"pause_turn", finish_reason::length},  // the provider paused the turn, so the answer is incomplete
    {"complete", finish_reason::stop},     // Cohere
    {"completed", finish_reason::stop},
    {"done", finish_reason::stop},
    {"finished", finish_reason::stop},
    // some servers send this reason in capital letters
    {"tool_calls", finish_reason::tool_calls},
    {"function_call", finish_reason::function_call},
    {"content_filter", finish_reason::content_filter},
    {"tool_use", finish_reason::tool_calls},
    {"tool_call", finish_reason::tool_calls},
    // A finish reason of Google's API; all finish reasons are compared without regard to case.
    {"safety", finish_reason::content_filter},
    {"recitation", finish_reason::content_filter},
    {"language", finish_reason::content_filter},
    {"blocklist", finish_reason::content_filter},
    {"prohibited_content", finish_reason::content_filter},
    {"spii", finish_reason::content_filter},
    {"model_armor", finish_reason::content_filter},
    {"image_safety", finish_reason::content_filter},
    {"refusal", finish_reason::content_filter},
    {"sensitive", finish_reason::content_filter},  // Zhipu
    {"content_filtered", finish_reason::content_filter},
    {"guardrail_intervened", finish_reason::content_filter},
});

// Finish reasons that mean a failed answer, from DeepSeek, SGLang, vLLM, Google, Bedrock and Cohere.
constexpr std::array<std::string_view, 15> failed_words{
    "error",
    "network_error",
    "insufficient_system_resource",
    "abort",
    "aborted",
    "cancelled",
    "error_toxic",
    "error_limit",
    "malformed_function_call",
    "malformed_response",
    "unexpected_tool_call",
    "too_many_tool_calls",
    "missing_thought_signature",
    "malformed_model_output",
    "malformed_tool_use",
};

// The maximum length of a finish reason, in bytes. No known server sends a longer finish reason.
constexpr std::size_t longest_finish = 64;

std::string lower_finish(std::string_view word) { return ascii_lower(word.substr(0, longest_finish)); }

const finish_word* find_word(std::span<const finish_word> words, std::string_view word) {
  const auto known = std::find_if(words.begin(), words.end(), [word](const auto& each) { return each.word == word; });
  return known == words.end() ? nullptr : &*known;
}

}  // namespace

delta finish_delta(std::span<const finish_word> own, std::string_view word) {
  const finish_word* const known = find_word(own, word);
  const finish_reason reason = known == nullptr ? foreign_finish(word) : known->means;
  return {.kind = delta_kind::finish, .reason = reason, .is_foreign = known == nullptr, .text = word};
}

bool is_failed_finish(std::string_view word) {
  return !word.empty() && contains(failed_words, lower_finish(word));
}

failure failed_finish(std::string_view word) {
  const std::string code = clean_text(word, longest_finish);
  return {.detail = "the provider ended its answer with the reason " + code, .code = code};
}

finish_reason foreign_finish(std::string_view word) {
  const finish_word* const known = find_word(known_words, lower_finish(word));
  return known == nullptr ? finish_reason::length : known->means;
}

}  // namespace photofinish::proxy
