// Most chunks of a stream equal the previous chunk except for the text. Their facts are known without parsing. [pure]
// Used by chunk_inspector.hpp. Doubtful chunks are left to its full inspection, which finds the same facts.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/json/json_pattern.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct chunk_facts;

// Spans of a chunk, from left to right. Only the text is a fact.
struct changing_values {
  json_pattern::found_values values;
  std::size_t count = 0;
  std::optional<std::size_t> text;  // index of the text
};

class chunk_pattern {
 public:
  explicit chunk_pattern(const chunk_form& form = chat_form) : form_(&form) {}

  // `facts` come from a full inspection of `chunk`, which is valid JSON. If the chunk is learnt, their strings except
  // the text are copied, and the copies live until the next call.
  void learn(std::string_view chunk, chunk_facts& facts);
  // Does the same if the places of the text and of other changing strings and numbers are known.
  void learn(std::string_view chunk, chunk_facts& facts, const changing_values& known);
  void forget() { same_.forget(); }

  // Returns true if `chunk`, which may be invalid, is valid and equals the learnt chunk except for its text. `facts`
  // must be those of the learnt chunk, or of a later chunk to which this pattern applied. They become the facts of
  // `chunk`. The new text in them lives as long as `chunk`, or until the next call.
  bool applies(std::string_view chunk, chunk_facts& facts);

 private:
  bool may_learn(const chunk_facts& facts);
  bool find_strings(std::string_view chunk, chunk_facts& facts);
  void keep_strings(chunk_facts& facts);

  json_pattern same_;
  std::size_t text_at_ = 0;  // which changing string is the text; the other strings are not facts
  std::string unescaped_;
  const chunk_form* form_;
  int unlearnt_ = 1;            // chunks to skip before learning: the first has the role
  bool is_padded_ = false;      // strings next to the text change as well
  int learnt_in_vain_ = 0;      // number of times in a row that a learnt pattern did not fit
};

}  // namespace photofinish::proxy
