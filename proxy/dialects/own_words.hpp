// The words of an answer that are its provider's own and not its model's: why it refused, why it stopped, what it warns
// of. Like its errors they may quote a key. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <boost/container/small_vector.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Returns a text without the secrets in it.
using word_cleaner = std::function<std::string(std::string_view)>;

class own_words {
 public:
  // Whether to ask clean(): few events of an answer hold such words.
  static bool may_be_in(const stream_event& event);

  // Returns `event` with such words cleaned. What was changed lives in this object until the next call.
  stream_event clean(const stream_event& event, const word_cleaner& clean_text);

 private:
  void clean_deltas(stream_event& event, const word_cleaner& clean_text);
  void clean_json(stream_event& event, const word_cleaner& clean_text);

  std::vector<std::string> texts_;  // has room for all of an event before deltas refer to them
  boost::container::small_vector<delta, 2> deltas_;
  std::string json_;
  std::string_view piece_;
};

// Returns an answer's or an event's JSON with such words cleaned; nothing if none of them had to be. `json` is valid.
std::optional<std::string> with_clean_words(std::string_view json, const word_cleaner& clean_text);

}  // namespace photofinish::proxy
