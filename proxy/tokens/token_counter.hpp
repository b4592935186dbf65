// Counts the tokens of a text that grows, and keeps of it only what more text may still change. [pure]
// Adding is cheap: what is much to count at once is given back, for another thread to count.
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
  // A piece that grows beyond it is counted in parts: a token or two too many for each of them.
  static constexpr std::size_t max_tail = 16u << 10;

  // Whole characters of UTF-8. Gives back, mostly empty, what was too much: text whose count_tokens() is to be added
  // to tokens(). More than 64 KiB are given back without being looked through; where they hold no space between
  // letters near their end, and are more than 256 KiB, in parts as above.
  [[nodiscard]] std::string add(std::string_view text);

  // The text is over, and another one may begin. Gives back as add() does.
  [[nodiscard]] std::string end();

  // Counted here so far, without the tail.
  std::uint64_t tokens() const { return tokens_; }
  std::string_view tail() const { return tail_; }

 private:
  std::string give_away(std::size_t bytes);

  std::uint64_t tokens_ = 0;
  std::string tail_;
  std::size_t look_again_at_ = 0;  // bytes of tail: a long piece is not looked through again for each letter
};

}  // namespace photofinish::proxy
