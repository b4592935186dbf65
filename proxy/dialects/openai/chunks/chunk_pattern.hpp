// Most chunks of a stream are the one before with another text: what they are is known without parsing them. [pure]
// For chunk_inspector.hpp. What is in doubt is left to its full look, which finds the same facts.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/json/json_pattern.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct chunk_facts;

// Spans of a chunk, from left to right. None of them is a fact, except the text.
struct changing_values {
  json_pattern::found_values values;
  std::size_t count = 0;
  std::optional<std::size_t> text;  // which of them is the text
};

class chunk_pattern {
 public:
  explicit chunk_pattern(const chunk_form& form = chat_form) : form_(&form) {}

  // `facts` are what a full look at `chunk`, valid JSON, has just found. If that one is learnt, their strings, but for
  // the text, move to where they stay until the next call.
  void learn(std::string_view chunk, chunk_facts& facts);
  // The same if the places of the text and of other strings and numbers that may change are known.
  void learn(std::string_view chunk, chunk_facts& facts, const changing_values& known);
  void forget() { same_.forget(); }

  // Whether `chunk`, of which nothing is known, is valid and the one learnt last with another text in it. Then `facts`,
  // which still are that one's or of a later one to which this applied, become its own; the new text in them lives as
  // long as `chunk`, or until the next call.
  bool applies(std::string_view chunk, chunk_facts& facts);

 private:
  bool may_learn(const chunk_facts& facts);
  bool find_strings(std::string_view chunk, chunk_facts& facts);
  void keep_strings(chunk_facts& facts);

  json_pattern same_;
  std::size_t text_at_ = 0;  // which of its strings is the text; what the others say is no fact
  std::string unescaped_;
  const chunk_form* form_;
  int unlearnt_ = 1;            // chunks yet: the first has the role
  bool is_padded_ = false;      // strings beside the text change too
  int learnt_in_vain_ = 0;      // in a row
};

}  // namespace photofinish::proxy
