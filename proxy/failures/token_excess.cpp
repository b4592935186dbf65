#include "proxy/failures/token_excess.hpp"

#include "proxy/failures/error_phrases.hpp"

#include <charconv>
#include <string>
#include <system_error>

namespace photofinish::proxy {
namespace {

// Sentences of providers about a prompt that is too long. `#` stands for the number of tokens that were sent, `$` for
// the number that the model accepts, and `*` for any text.
constexpr std::string_view excess_sentences[] = {
    "input token count (#) exceeds the maximum number of tokens allowed ($)",        // Gemini
    "maximum prompt length is $ but the request contains # tokens",                  // xAI
    "maximum context length is $ tokens. however, your messages resulted in # ",     // OpenAI
    "maximum context length is $ tokens. however, you requested # tokens",           // DeepSeek, vLLM
    "maximum context length is $ tokens. however, you requested about # tokens",     // OpenRouter
    "maximum context length is $ tokens. however, your request has # input tokens",  // vLLM
    "maximum context length of $ tokens. you requested a total of # tokens",         // SGLang
    "the input (# tokens) is longer than the model's context length ($ tokens)",     // SGLang, Together
    "input length (# tokens) exceeds the maximum allowed length ($ tokens)",         // SGLang
    "input length # exceeds the maximum allowed input length $",                     // Poolside
    "exceeded model token limit: $ (requested: #)",                                  // Moonshot
    "prompt contains # tokens*too large for model with $ maximum context length",    // Mistral
    "request (# tokens) exceeds the available context size ($ tokens)",              // llama.cpp
    "prompt token count of # exceeds the limit of $",                                // GitHub Copilot
    "tokens in the prompt cannot exceed $ - received #",                             // Cohere
    "prompt (length #) is longer than the maximum model length of $",                // vLLM
};

// Reads a number at the beginning of the text and removes it.
bool take_count(std::string_view& text, std::uint64_t& count) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// True if `text` begins with `sentence`. A placeholder in the sentence matches a number or any text. Stores the numbers
// in `into`.
bool reads_sentence(std::string_view text, std::string_view sentence, token_excess& into) {
  bool is_gap = false;
  while (!sentence.empty()) {
    const char mark = sentence.front();
    if (mark == '#' || mark == '$') {
      if (!take_count(text, mark == '#' ? into.used : into.most)) return false;
      sentence.remove_prefix(1);
    } else if (mark == '*') {
      is_gap = true;
      sentence.remove_prefix(1);
    } else {
      const std::string_view words = sentence.substr(0, sentence.find_first_of("#$*"));
      const std::size_t place = is_gap ? text.find(words) : text.starts_with(words) ? 0 : std::string_view::npos;
      if (place == std::string_view::npos) return false;
      text.remove_prefix(place + words.size());
      sentence.remove_prefix(words.size());
      is_gap = false;
    }
  }
  return true;
}

}  // namespace

std::optional<token_excess> find_token_excess(std::string_view message) {
  const std::string words = unquoted_words(message);
  for (const std::string_view sentence : excess_sentences) {
    const std::size_t place = words.find(sentence.substr(0, sentence.find_first_of("#$*")));
    if (place == std::string::npos) continue;
    token_excess found;
    if (reads_sentence(std::string_view(words).substr(place), sentence, found) && found.used > found.most) return found;
  }
  return std::nullopt;
}

}  // namespace photofinish::proxy
