#include "proxy/json/keyed_stream.hpp"

#include <algorithm>

namespace photofinish::proxy {

void keyed_stream::add(std::string_view bytes) {
  size_ += bytes.size();
  if (held_ > 0) {
    const std::size_t taken = std::min(word_bytes - held_, bytes.size());
    rest_ |= little_endian_word(bytes.substr(0, taken)) << (8 * held_);
    held_ += taken;
    bytes.remove_prefix(taken);
    if (held_ < word_bytes) return;
    state_.add(rest_);
  }
  auto state = state_;  // a local copy of the state, so that the compiler can keep the state in registers
  const char* at = bytes.data();
  for (const char* const last = at + bytes.size() / word_bytes * word_bytes; at != last; at += word_bytes)
    state.add(little_endian_word({at, word_bytes}));
  bytes.remove_prefix(static_cast<std::size_t>(at - bytes.data()));
  state_ = state;
  rest_ = little_endian_word(bytes);
  held_ = bytes.size();
}

wide_hash keyed_stream::end_part() {
  state_.add(size_ << 56 | rest_);
  rest_ = 0;
  held_ = 0;
  auto last = state_;
  const auto [low, high] = last.finish_wide();
  return {low, high};
}

}  // namespace photofinish::proxy
