// Finds the facts of a chunk without parsing if it equals the previous chunk except for its text, as most chunks do.
// [pure] chunk_inspector.hpp uses this class. It inspects doubtful chunks in full, which finds the same facts.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/json/json_pattern.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct chunk_facts;

// Values that change between the chunks of a stream, from left to right. Only the text is a fact.
struct changing_values {
  json_pattern::found_values values;
  std::size_t count = 0;
  std::optional<std::size_t> text;  // index of the text in `values`
};

class chunk_pattern {
 public:
  explicit chunk_pattern(const chunk_form& form = chat_form) : form_(&form) {}

  // Learns a chunk. `facts` must come from a full inspection of `chunk`, which must be valid JSON. If the chunk is
  // learnt, the facts' strings except the text are copied, and the copies live until the next call.
  void learn(std::string_view chunk, chunk_facts& facts);
  // Learns a chunk in which the places of the text and of other changing strings and numbers are known.
  void learn(std::string_view chunk, chunk_facts& facts, const changing_values& known);
  void forget() { same_.forget(); }

  // True if `chunk`, which may be invalid, is valid and equals the learnt chunk except for its text. `facts` must be
  // the facts of the learnt chunk, or of a later chunk to which this pattern applied. They become the facts of `chunk`.
  // The new text in them lives as long as `chunk`, or until the next call.
  bool applies(std::string_view chunk, chunk_facts& facts);

 private:
  bool may_learn(const chunk_facts& facts);
  bool find_strings(std::string_view chunk, chunk_facts& facts);
  void keep_strings(chunk_facts& facts);

  json_pattern same_;
  std::size_t text_at_ = 0;  // index of the text among the changing strings; the other strings are not facts
  std::string unescaped_;
  const chunk_form* form_;
  int unlearnt_ = 1;            // number of chunks to skip before learning, because the first chunk has the role
  bool is_padded_ = false;      // true if strings next to the text also change
  int learnt_in_vain_ = 0;      // number of times in a row that a learnt pattern did not fit
};

}  // namespace photofinish::proxy
