// Reads a chunk without parsing it if the chunk differs from the previous one only in its text, as most chunks do.
// chunk_inspector.hpp uses this class, and inspects all other chunks completely. Both methods give the same results.
// [pure]
#pragma once

#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/json/json_pattern.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct chunk_facts;

// The values that change between the chunks of one stream, in the order of the JSON. Only the text is used. All other
// changing values are padding.
struct changing_values {
  json_pattern::found_values values;
  std::size_t count = 0;
  std::optional<std::size_t> text;  // the index of the chunk's text in the list of changing values
};

class chunk_pattern {
 public:
  explicit chunk_pattern(const chunk_form& form = chat_form) : form_(&form) {}

  // Learns a chunk. `facts` is the result of a full inspection of `chunk`, which must be valid JSON. If the chunk is
  // learnt, it is copied. All strings in `facts` except the text then refer to the copy, which is valid until the next
  // call.
  void learn(std::string_view chunk, chunk_facts& facts);
  // Learns a chunk if the positions of its text and of all other changing values are known.
  void learn(std::string_view chunk, chunk_facts& facts, const changing_values& known);
  void forget() { same_.forget(); }

  // Returns true if `chunk`, which may be any text, is valid JSON and equals the learnt chunk except for its text.
  // `facts` must describe the learnt chunk, or a later chunk for which this function returned true. If the function
  // returns true, it updates `facts` for `chunk`. The text in `facts` is valid until `chunk` is freed or this function
  // is called again.
  bool applies(std::string_view chunk, chunk_facts& facts);

 private:
  bool may_learn(const chunk_facts& facts);
  bool find_strings(std::string_view chunk, chunk_facts& facts);
  void keep_strings(chunk_facts& facts);

  json_pattern same_;
  std::size_t text_at_ = 0;  // the index of the text among the changing strings; all other changing strings are padding
  std::string unescaped_;
  const chunk_form* form_;
  // the number of chunks to skip before learning; at first 1, because the first chunk contains the role
  int unlearnt_ = 1;
  bool is_padded_ = false;      // true if strings other than the text also change
  int learnt_in_vain_ = 0;      // how often in a row a learnt chunk did not match the next chunk
};

}  // namespace photofinish::proxy
