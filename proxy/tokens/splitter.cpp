#include "proxy/tokens/splitter.hpp"

#include "proxy/tokens/char_class.hpp"

#include <cstdint>

// The alternatives of the pattern. The first alternative that matches wins, and each matches as much as possible:
//   [^\r\n\p{L}\p{N}]? [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]* [\p{Ll}\p{Lm}\p{Lo}\p{M}]+ (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//   [^\r\n\p{L}\p{N}]? [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+ [\p{Ll}\p{Lm}\p{Lo}\p{M}]* (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//   \p{N}{1,3}
//    ?[^\s\p{L}\p{N}]+[\r\n/]*
//   \s*[\r\n]+
//   \s+(?!\S)
//   \s+
namespace photofinish::proxy {
namespace {

using namespace char_class;

struct character {
  std::uint8_t is = is_end;  // class bits as defined in char_class.hpp
  std::size_t bytes = 0;
};

class reader {
 public:
  explicit reader(std::string_view text) : text_(text), first_(first_classes()) {}

  // Returns the character at `at`. The result is preliminary if `at` is at the end of the text or the character is
  // incomplete: more text may change it.
  character look(std::size_t at) {
    if (at >= text_.size()) return has_met_end_ = true, character{};
    const std::uint8_t byte = byte_at(at);
    return byte < 0x80 ? character{first_[byte], 1} : decode(at, byte);
  }

  bool has_met_end() const { return has_met_end_; }
  char ascii(std::size_t at) {
    if (at < text_.size()) return text_[at];
    has_met_end_ = true;
    return '\0';
  }

 private:
  std::uint8_t byte_at(std::size_t at) const { return static_cast<std::uint8_t>(text_[at]); }

  character decode(std::size_t at, std::uint8_t lead) {
    constexpr character broken{is_sign, 1};
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return broken;
    char32_t code = lead & (0x7Fu >> size);
    for (std::size_t next = 1; next < size; ++next) {
      if (at + next == text_.size()) return has_met_end_ = true, character{is_sign, next};
      const std::uint8_t byte = byte_at(at + next);
      if ((byte & 0xC0) != 0x80) return broken;
      code = code << 6 | (byte & 0x3Fu);
    }
    const bool is_overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    if (is_overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return broken;
    return {class_of(code), size};
  }

  std::string_view text_;
  const std::uint8_t* first_;
  bool has_met_end_ = false;
};

constexpr std::size_t none = 0;

// If a contraction such as 's or 'll begins at `at`, returns its end, otherwise `at`. U+017F also counts as an s,
// because the pattern ignores case.
std::size_t contraction_end(reader& text, std::size_t at) {
  if (text.ascii(at) != '\'') return at;
  const auto lower = [&text](std::size_t where) { return static_cast<char>(text.ascii(where) | 0x20); };
  switch (lower(at + 1)) {
    case 's': case 't': case 'm': case 'd': return at + 2;
    case 'r': case 'v': return lower(at + 2) == 'e' ? at + 3 : at;
    case 'l': return lower(at + 2) == 'l' ? at + 3 : at;
  }
  const bool is_long_s = text.ascii(at + 1) == '\xC5' && text.ascii(at + 2) == '\xBF';
  return is_long_s ? at + 3 : at;
}

// Returns the end of the word that begins at `at`, or `none` if there is no word. This implements the first two
// alternatives of the pattern, without the optional character at their beginning. The first alternative requires a
// small letter, and a letter without case counts as small. If no small letter follows a run of capitals, the word ends
// at the last letter of the run that has no case.
std::size_t word_end(reader& text, std::size_t at) {
  std::size_t last_caseless = none;
  const std::size_t begin = at;
  character next = text.look(at);
  for (; next.is & heads_word; next = text.look(at)) {
    at += next.bytes;
    if (next.is & ends_word) last_caseless = at;
  }
  if (next.is & ends_word) {
    for (; next.is & ends_word; next = text.look(at)) at += next.bytes;
  } else if (last_caseless != none) {
    at = last_caseless;
  }
  return at == begin ? none : contraction_end(text, at);
}

// True if the first alternative of the pattern matches a word at `at`.
bool has_small_letter(reader& text, std::size_t at) {
  character next = text.look(at);
  for (; (next.is & heads_word) && !(next.is & ends_word); next = text.look(at)) at += next.bytes;
  return next.is & ends_word;
}

std::size_t number_end(reader& text) {
  std::size_t at = 0;
  for (int digits = 0; digits < 3; ++digits) {
    const character next = text.look(at);
    if (!(next.is & is_number)) break;
    at += next.bytes;
  }
  return at;
}

std::size_t signs_end(reader& text, std::size_t at) {
  for (character next = text.look(at); next.is & is_sign; next = text.look(at)) at += next.bytes;
  while (text.ascii(at) == '/' || text.ascii(at) == '\r' || text.ascii(at) == '\n') ++at;
  return at;
}

// Returns the end of a piece of white space. If the white space contains newlines, the piece ends after the last
// newline. Otherwise the piece ends before the last space, because that space belongs to the text that follows. If no
// text follows, the whole white space is one piece.
std::size_t space_end(reader& text) {
  std::size_t at = 0, last = 0, behind_newline = none;
  character next = text.look(0);
  for (; next.is & (is_space | is_newline); next = text.look(at)) {
    last = at;
    at += next.bytes;
    if (next.is & is_newline) behind_newline = at;
  }
  if (behind_newline != none) return behind_newline;
  return (next.is & is_end) || last == 0 ? at : last;
}

std::size_t piece_end(reader& text) {
  const character first = text.look(0);
  if (first.is & is_number) return number_end(text);
  const bool is_letter = (first.is & (heads_word | ends_word)) && !(first.is & is_sign);
  if (is_letter) return word_end(text, 0);
  // A combining mark directly before a word belongs to that word, as other signs do. In any other place, a combining
  // mark begins a word of its own.
  if (first.is & (heads_word | ends_word)) {
    return has_small_letter(text, first.bytes) ? word_end(text, first.bytes) : contraction_end(text, first.bytes);
  }
  if (!(first.is & is_newline))
    if (const std::size_t end = word_end(text, first.bytes); end != none) return end;
  if (first.is & is_sign) return signs_end(text, 0);
  if (text.ascii(0) == ' ' && (text.look(1).is & is_sign)) return signs_end(text, 1);
  return space_end(text);
}

}  // namespace

text_piece first_piece(std::string_view text) {
  reader from(text);
  const std::size_t size = piece_end(from);
  return {size, !from.has_met_end()};
}

}  // namespace photofinish::proxy
