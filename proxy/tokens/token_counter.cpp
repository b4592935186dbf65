#include "proxy/tokens/token_counter.hpp"

#include "proxy/json/character_set.hpp"
#include "proxy/tokens/byte_pairs.hpp"
#include "proxy/tokens/splitter.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::size_t short_tail = 64;   // a text of at most this many bytes is split into pieces after each addition
constexpr std::size_t kept_room = 4096;  // capacity that is kept after a long text was stored

// The maximum size of one space character in bytes. A part that is removed from the text is counted separately, so it
// must be split into the same pieces as within the whole text. Several spaces in front of a punctuation mark are an
// exception: the last space is a piece of its own, but without the punctuation mark all of them are one piece.
// Therefore a removed part must not end with the last of several spaces.
constexpr std::size_t longest_space = 3;

// A text of more than this size is split into pieces on another thread. Splitting one megabyte takes ten milliseconds,
// and other requests wait for this thread.
constexpr std::size_t long_text = 64u << 10;
// To find a space at which a text can be cut, this number of bytes at the end of the text is searched.
constexpr std::size_t cut_window = 4096;
// A text of this size is cut at its end if it contains no space at which it can be cut.
constexpr std::size_t long_without_space = 256u << 10;

// Returns the position of the last space between two letters, or npos if there is no such space near the end. The text
// may be cut before this space, because no piece of the text contains a letter and the space after it.
std::size_t last_word(std::string_view text) {
  const std::size_t least = text.size() - std::min(text.size(), cut_window);
  for (std::size_t at = text.size() - 2; at > least; --at)
    if (text[at] == ' ' && is_letter(text[at - 1]) && is_letter(text[at + 1])) return at;
  return text.size() > long_without_space ? text.size() : std::string_view::npos;
}

}  // namespace

std::string token_counter::add(std::string_view text) {
  tail_ += text;
  if (tail_.size() < look_again_at_) return {};
  if (tail_.size() > long_text) {
    if (const std::size_t cut = last_word(tail_); cut != std::string::npos) return give_away(cut);
  }
  const std::string_view all = tail_;
  std::size_t at = 0, last = 0, much_from = std::string_view::npos;
  while (at < all.size()) {
    const text_piece piece = first_piece(all.substr(at));
    if (!piece.is_settled) break;
    if (piece.size > max_piece_at_once || at + piece.size > max_bytes_at_once) much_from = std::min(much_from, at);
    if (much_from == std::string_view::npos) tokens_ += count_piece(all.substr(at, piece.size));
    last = at;
    at += piece.size;
  }
  if (much_from < at && at - last <= longest_space) at = last;
  if (all.size() - at > max_tail) {
    much_from = std::min(much_from, at);
    at = all.size();
  }
  std::string much;
  if (much_from < at) much = all.substr(much_from, at - much_from);
  tail_.erase(0, at);
  if (tail_.capacity() > kept_room && tail_.size() < kept_room / 2) tail_.shrink_to_fit();
  look_again_at_ = tail_.size() > short_tail ? 2 * tail_.size() : 0;
  return much;
}

std::string token_counter::give_away(std::size_t bytes) {
  std::string rest = tail_.substr(bytes);
  tail_.resize(bytes);
  look_again_at_ = 0;
  return std::exchange(tail_, std::move(rest));
}

std::string token_counter::end() {
  std::string rest = std::exchange(tail_, {});
  look_again_at_ = 0;
  if (rest.size() > max_piece_at_once) return rest;
  tokens_ += count_tokens(rest);
  return {};
}

}  // namespace photofinish::proxy
