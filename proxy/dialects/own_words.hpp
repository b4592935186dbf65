// Removes secrets from text that the provider itself, and not its model, has written in an answer. [pure] Examples are
// reasons of a refusal, stop reasons and warnings. Such text may quote a key, as a provider's error messages may do.
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <boost/container/small_vector.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// A function that returns a text after removing its secrets.
using word_cleaner = std::function<std::string(std::string_view)>;

class own_words {
 public:
  // True if clean() must be called for the event. Few events contain text that the provider itself wrote.
  static bool may_be_in(const stream_event& event);

  // Returns `event` without secrets in the provider's own text. This object stores the changed texts until the next
  // call.
  stream_event clean(const stream_event& event, const word_cleaner& clean_text);

 private:
  void clean_deltas(stream_event& event, const word_cleaner& clean_text);
  void clean_json(stream_event& event, const word_cleaner& clean_text);

  std::vector<std::string> texts_;  // memory for all texts is reserved first, so that each text keeps its address
  boost::container::small_vector<delta, 2> deltas_;
  std::string json_;
  std::string_view piece_;
};

// Returns the JSON of an answer or event without secrets in the provider's own text. Returns nullopt if no change is
// needed. `json` must be valid.
std::optional<std::string> with_clean_words(std::string_view json, const word_cleaner& clean_text);

}  // namespace photofinish::proxy
