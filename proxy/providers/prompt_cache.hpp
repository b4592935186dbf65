// Describes a provider's prompt cache. [pure] A prompt cache keeps the beginnings of earlier prompts, so that the next
// turn of a conversation starts sooner and costs less (docs/decisions/0084). Plain data.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::proxy {

// States whether a request must mark the part of its prompt that the cache should keep.
enum class prompt_marks { none, needed };

// States when a provider reports how many tokens it found in its cache.
enum class cached_report {
  early,  // the provider reports the number of cached tokens before the first token of the answer
  late,   // the provider reports the number of cached tokens with the usage at the end of the answer
  never,
};

// The names of the request field for a cache hint. A provider uses the hint to find the machine that has cached the
// beginning of a conversation. A name with a hyphen is a header, and any other name is a member of the body. A name is
// empty if the provider has no such field.
struct prompt_hint_fields {
  // The field for the cache hint in all APIs except the Responses API. In APIs of vendors other than OpenAI, the field
  // must be a header.
  std::string chat;
  std::string responses;  // the field for the cache hint in the Responses API

  bool operator==(const prompt_hint_fields&) const = default;
};

struct prompt_cache_traits {
  std::chrono::milliseconds ttl{300'000};  // the time for which the cache keeps a prefix after its last use
  std::size_t minimum = 1024;              // the minimum length of a cached prefix, in tokens
  // lengths of cached prefixes above the minimum are multiples of this number of tokens
  std::size_t step = 128;
  prompt_marks marks = prompt_marks::none;
  cached_report reported = cached_report::late;
  prompt_hint_fields hint;
  // patterns for the models that accept a hint in the body; empty if all models accept it
  std::vector<std::string> hint_models;
  // True if photofinish adds cache marks to requests of clients whose API has no cache marks.
  bool adds_marks = false;

  bool operator==(const prompt_cache_traits&) const = default;
};

inline bool is_header_hint(const std::string& field) { return field.find('-') != std::string::npos; }

}  // namespace photofinish::proxy
