// How a provider's prompt cache works, as plain data. [pure]
// A prompt cache keeps the beginnings of prompts that were read, so that the next turn of a conversation starts sooner
// and costs less (docs/decisions/0084).
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::proxy {

// Whether a request must mark the part of its prompt that is to be kept.
enum class prompt_marks { none, needed };

// When a provider reports the number of tokens that it found in its cache.
enum class cached_report {
  early,  // before the first token
  late,   // with the usage at the end of the answer
  never,
};

// The field of a request by which a provider finds the machine that has a conversation's beginning. A name with a
// hyphen is a header, another name is a member of the body. Empty: the provider reads none.
struct prompt_hint_fields {
  std::string chat;       // also of APIs that are neither OpenAI's chat nor Responses, where only a header is sent
  std::string responses;  // of OpenAI's Responses

  bool operator==(const prompt_hint_fields&) const = default;
};

struct prompt_cache_traits {
  std::chrono::milliseconds ttl{300'000};  // a prefix is kept so long after the last request that used it
  std::size_t minimum = 1024;              // tokens of the shortest prefix that is kept
  std::size_t step = 128;                  // longer prefixes are kept in multiples of so many tokens
  prompt_marks marks = prompt_marks::none;
  cached_report reported = cached_report::late;
  prompt_hint_fields hint;
  std::vector<std::string> hint_models;  // patterns of the models that take a hint in the body; empty: all do
  bool adds_marks = false;  // marks the prompts of clients whose API has no marks

  bool operator==(const prompt_cache_traits&) const = default;
};

inline bool is_header_hint(const std::string& field) { return field.find('-') != std::string::npos; }

}  // namespace photofinish::proxy
