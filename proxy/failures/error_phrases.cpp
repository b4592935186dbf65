#include "proxy/failures/error_phrases.hpp"

#include "proxy/words/ascii.hpp"

#include <algorithm>
#include <span>

namespace photofinish::proxy {
namespace {

// Phrases with which providers report that a prompt does not fit into the model's context. A `*` stands for any text.
constexpr std::string_view context_phrases[] = {
    "maximum context length",      // this phrase is used by OpenAI, DeepSeek, OpenRouter, vLLM, Mistral and SGLang
    "exceeds the context window",  // OpenAI's Responses
    "context length exceeded",
    "prompt is too long",                             // Anthropic, Fireworks
    "exceed context limit",                           // Anthropic's error for the sum of input length and `max_tokens`
    "input token count*exceeds the maximum",          // Gemini
    "maximum prompt length is",                       // xAI
    "reduce the length of the messages",              // Groq, Cerebras
    "exceeded model token limit",                     // Moonshot
    "context window exceeds limit",                   // MiniMax
    "greater than the context length",                // LM Studio
    "loaded with context length of only",             // LM Studio
    "longer than the model's context length",         // Together, SGLang
    "exceeds the maximum allowed length",             // SGLang
    "exceeds the maximum allowed input length",       // Poolside
    "tokens + `max_new_tokens` must be <=",           // Together, TGI
    "`inputs` must have less than",                   // TGI
    "prompt exceeds max length",                      // Zhipu
    "prompt too long",                                // Zhipu, Ollama
    "input length exceeds the context length",        // Ollama
    "input is too long for requested model",          // Bedrock
    "number of input tokens exceeds maximum length",  // Bedrock's Nova
    "too many input tokens",                          // Bedrock's Titan
    "exceeds the available context size",             // llama.cpp
    "longer than the maximum model length",           // vLLM
    "model's context length is only",                 // vLLM
    "tokens in the prompt cannot exceed",             // Cohere
    "range of input length",                          // DashScope
    "exceeded this model context window limit",       // Cloudflare
    "prompt token count*exceeds the limit of",        // GitHub Copilot
    "context window exceeded",                        // LiteLLM
};

constexpr std::string_view quota_phrases[] = {
    "credit balance",           "insufficient balance",        "insufficient credit",    "insufficient funds",
    "insufficient quota",       "exceeded your current quota", "not enough credits",     "out of credits",
    "doesn't have any credits", "used all available credits",  "monthly spending limit", "payment required",
    "billing hard limit",
};

struct recorded_refusal {
  int status;
  std::string_view beginning;
};

// Anthropic sends 400 if the credit is used up. xAI sends 403 with "Your newly created team doesn't have any credits
// yet" or "Your team … has either used all available credits or reached its monthly spending limit".
constexpr recorded_refusal spent_credits[] = {
    {400, "your credit balance is too low"},
    {403, "your newly created team doesn't have any credits"},
    {403, "your team *used all available credits"},
};

// Google sends "API key not valid. Please pass a valid API key." and "API key expired. Please renew the API key."; xAI
// sends "Incorrect API key provided: xa***12."
constexpr std::string_view refused_keys[] = {"api key not valid", "api key expired", "incorrect api key provided",
                                             "invalid api key"};

// Returns the position of the phrase in the text, or npos.
std::size_t find_phrase(std::string_view text, std::string_view phrase) {
  const std::size_t gap = phrase.find('*');
  const std::size_t first = text.find(phrase.substr(0, gap));
  if (gap == std::string_view::npos || first == std::string_view::npos) return first;
  return text.find(phrase.substr(gap + 1), first + gap) == std::string_view::npos ? std::string_view::npos : first;
}

bool holds_phrase(std::string_view text, std::span<const std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [text](std::string_view phrase) {
    return find_phrase(text, phrase) != std::string_view::npos;
  });
}

bool is_word(char byte) {
  const char lower = static_cast<char>(byte | 0x20);
  return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || (byte & 0x80) != 0;
}

// A quotation mark opens a quotation if the character before it is not part of a word. It closes a quotation if the
// character after it is not part of a word. An apostrophe within a word does neither.
bool is_opening(std::string_view text, std::size_t place) {
  return (text[place] == '\'' || text[place] == '"') && (place == 0 || !is_word(text[place - 1]));
}

std::size_t end_of_quotation(std::string_view text, std::size_t opening) {
  for (std::size_t place = opening + 1; place < text.size(); ++place)
    if (text[place] == text[opening] && (place + 1 == text.size() || !is_word(text[place + 1]))) return place;
  return std::string_view::npos;
}

}  // namespace

std::string unquoted_words(std::string_view message) {
  const std::string words = ascii_lower(message);
  std::string rest;
  for (std::size_t place = 0; place < words.size(); ++place) {
    const std::size_t end = is_opening(words, place) ? end_of_quotation(words, place) : std::string_view::npos;
    if (end == std::string_view::npos) rest.push_back(words[place]);
    else place = end;
  }
  return rest;
}

bool says_context_is_full(std::string_view message) {
  return holds_phrase(unquoted_words(message), context_phrases);
}

bool says_quota_is_gone(std::string_view message) { return holds_phrase(unquoted_words(message), quota_phrases); }

bool begins_with_spent_credit(std::string_view message, int status) {
  return std::any_of(std::begin(spent_credits), std::end(spent_credits), [&](const recorded_refusal& each) {
    return each.status == status && find_phrase(message, each.beginning) == 0;
  });
}

bool begins_with_refused_key(std::string_view message) {
  return std::any_of(std::begin(refused_keys), std::end(refused_keys),
                     [message](std::string_view each) { return message.starts_with(each); });
}

}  // namespace photofinish::proxy
