// Describes a provider's prompt cache, as plain data. [pure]
// A prompt cache keeps the beginnings of earlier prompts, so that the next turn of a conversation starts sooner and
// costs less (docs/decisions/0084).
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::proxy {

// Says if a request must mark the part of its prompt that the cache keeps.
enum class prompt_marks { none, needed };

// Says when a provider reports how many tokens it found in its cache.
enum class cached_report {
  early,  // before the first token
  late,   // with the usage at the end of the answer
  never,
};

// The name of the field in requests by which a provider finds the machine that has a conversation's
// beginning. A name with a hyphen is a header, any other name is a member of the body. The name is empty if
// the provider has no such field.
struct prompt_hint_fields {
  std::string chat;       // for all APIs except Responses; only OpenAI's get a member of the body
  std::string responses;  // for OpenAI's API Responses

  bool operator==(const prompt_hint_fields&) const = default;
};

struct prompt_cache_traits {
  std::chrono::milliseconds ttl{300'000};  // the provider keeps a prefix for this time after its last use
  std::size_t minimum = 1024;              // the number of tokens in the shortest prefix that is kept
  std::size_t step = 128;                  // longer prefixes are kept in multiples of this number of tokens
  prompt_marks marks = prompt_marks::none;
  cached_report reported = cached_report::late;
  prompt_hint_fields hint;
  std::vector<std::string> hint_models;  // patterns of the models that accept a hint in the body; empty if all do
  bool adds_marks = false;               // true if photofinish marks the prompts of clients whose API has no marks

  bool operator==(const prompt_cache_traits&) const = default;
};

inline bool is_header_hint(const std::string& field) { return field.find('-') != std::string::npos; }

}  // namespace photofinish::proxy
