// Counts the tokens of a growing text, and stores only the part that more text may still change. [pure] Adding text is
// cheap. Text that takes long to count is returned, so that another thread can count it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class token_counter {
 public:
  static constexpr std::size_t max_bytes_at_once = 1024;
  static constexpr std::size_t max_piece_at_once = 256;
  // A piece longer than this is counted in parts, which adds one or two tokens for each part.
  static constexpr std::size_t max_tail = 16u << 10;

  // Adds whole UTF-8 characters. Usually returns an empty string. Otherwise it returns text that is too long to count
  // here, and the caller adds the result of count_tokens() for it to tokens(). More than 64 KiB are returned without a
  // search. If they exceed 256 KiB and have no space between letters near their end, they are counted in parts.
  [[nodiscard]] std::string add(std::string_view text);

  // Ends the text, so that another text may begin. Returns text as add() does.
  [[nodiscard]] std::string end();

  // Returns the number of tokens that were counted here so far, without the tail.
  std::uint64_t tokens() const { return tokens_; }
  std::string_view tail() const { return tail_; }

 private:
  std::string give_away(std::size_t bytes);

  std::uint64_t tokens_ = 0;
  std::string tail_;
  // The size of the tail at which the counter searches it again, so that a long piece is not searched for each letter.
  std::size_t look_again_at_ = 0;
};

}  // namespace photofinish::proxy
