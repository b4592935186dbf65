// Reads a chunk without parsing if only its text differs from the text of the previous chunk, which is the usual case.
// [pure] chunk_inspector.hpp uses this class, and inspects all other chunks in full. Both ways give the same results.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/json/json_pattern.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct chunk_facts;

// The values that change between the chunks of one stream, in the order of the JSON. Only the text is used, and the
// other values are padding.
struct changing_values {
  json_pattern::found_values values;
  std::size_t count = 0;
  std::optional<std::size_t> text;  // index of the text in `values`
};

class chunk_pattern {
 public:
  explicit chunk_pattern(const chunk_form& form = chat_form) : form_(&form) {}

  // Learns a chunk. `facts` is the result of a full inspection of `chunk`, which must be valid JSON. If the chunk is
  // learnt, all strings in `facts` except the text become views of copies, which live until the next call.
  void learn(std::string_view chunk, chunk_facts& facts);
  // Learns a chunk in which the positions of the text and of the other changing values are known.
  void learn(std::string_view chunk, chunk_facts& facts, const changing_values& known);
  void forget() { same_.forget(); }

  // Returns true if `chunk`, which may be any text, is valid JSON and equals the learnt chunk except for its text.
  // `facts` must describe the learnt chunk, or a later chunk for which this function returned true. On success `facts`
  // describes `chunk`. The new text in `facts` is valid as long as `chunk`, or until the next call.
  bool applies(std::string_view chunk, chunk_facts& facts);

 private:
  bool may_learn(const chunk_facts& facts);
  bool find_strings(std::string_view chunk, chunk_facts& facts);
  void keep_strings(chunk_facts& facts);

  json_pattern same_;
  std::size_t text_at_ = 0;  // index of the text among the changing strings; the others are padding
  std::string unescaped_;
  const chunk_form* form_;
  int unlearnt_ = 1;            // chunks to skip before learning; the first is skipped because it has the role
  bool is_padded_ = false;      // true if strings besides the text change
  int learnt_in_vain_ = 0;      // number of consecutive learnt chunks that the next chunk did not match
};

}  // namespace photofinish::proxy
