// Counts the tokens of a growing text. It stores only the end of the text, whose tokens may still change. Adding text
// is cheap. If counting a text would take long, the text is returned, so that another thread can count it. [pure]
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
  // The maximum size of the stored text in bytes. A longer piece is counted in parts, and each part adds one or two
  // tokens to the result.
  static constexpr std::size_t max_tail = 16u << 10;

  // Adds text, which must consist of whole UTF-8 characters. Usually returns an empty string. If counting would take
  // too long on this thread, returns the text that another thread should count with count_tokens(). The caller then
  // adds the result to tokens(). If more than 64 KiB of text are stored, the text is returned without being split into
  // pieces. If more than 256 KiB are stored and there is no space between letters near the end, the text is counted in
  // parts.
  [[nodiscard]] std::string add(std::string_view text);

  // Ends the text, so that another text may begin. Like add(), this function may return text that another thread should
  // count.
  [[nodiscard]] std::string end();

  // Returns the number of tokens counted so far, without the tokens of tail() and without the tokens of text that the
  // caller must count.
  std::uint64_t tokens() const { return tokens_; }
  std::string_view tail() const { return tail_; }

 private:
  std::string give_away(std::size_t bytes);

  std::uint64_t tokens_ = 0;
  std::string tail_;
  // The stored text is not split into pieces again before it has reached this size. Otherwise a long piece would be
  // examined again after each letter.
  std::size_t look_again_at_ = 0;
};

}  // namespace photofinish::proxy
