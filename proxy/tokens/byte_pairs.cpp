#include "proxy/tokens/byte_pairs.hpp"

#include "proxy/tokens/splitter.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <queue>

namespace photofinish::proxy {
namespace {

using position = std::uint32_t;

// If a piece has at most this many bytes, a linear search for the pair with the lowest rank is faster than a heap.
constexpr std::size_t short_piece = 128;

// Merges the bytes of a short piece. Stores where each part begins, and which rank each part would have if it were
// merged with the next part.
class short_merge {
 public:
  explicit short_merge(std::string_view piece) : piece_(piece), count_(piece.size()) {
    for (std::size_t at = 0; at <= count_; ++at) parts_[at].begin = static_cast<position>(at);
    for (std::size_t at = 0; at < count_; ++at) rank_pair(at);
    while (merge_lowest()) {}
  }

  std::size_t count() const { return count_; }
  std::string_view part(std::size_t index) const { return span(index, index + 1); }

 private:
  struct part_begin {
    position begin;
    token_rank pair;
  };

  std::string_view span(std::size_t from, std::size_t to) const {
    return piece_.substr(parts_[from].begin, parts_[to].begin - parts_[from].begin);
  }

  void rank_pair(std::size_t index) {
    parts_[index].pair = index + 2 <= count_ ? find_token(span(index, index + 2)) : no_token;
  }

  bool merge_lowest() {
    std::size_t lowest = 0;
    for (std::size_t index = 1; index < count_; ++index)
      if (parts_[index].pair < parts_[lowest].pair) lowest = index;
    if (parts_[lowest].pair == no_token) return false;
    std::copy(parts_.begin() + static_cast<std::ptrdiff_t>(lowest) + 2,
              parts_.begin() + static_cast<std::ptrdiff_t>(count_) + 1,
              parts_.begin() + static_cast<std::ptrdiff_t>(lowest) + 1);
    --count_;
    rank_pair(lowest);
    if (lowest > 0) rank_pair(lowest - 1);
    return true;
  }

  std::string_view piece_;
  std::size_t count_;
  std::array<part_begin, short_piece + 1> parts_;
};

// Merges the bytes of a long piece. The parts are in a linked list, and the pairs are in a heap. If a part of a pair
// changes, the old pair stays in the heap. The pair is skipped later, because its rank no longer matches.
class long_merge {
 public:
  explicit long_merge(std::string_view piece) : piece_(piece), parts_(piece.size() + 1), count_(piece.size()) {
    for (std::size_t at = 0; at < parts_.size(); ++at) {
      parts_[at].previous = static_cast<position>(at) - 1;
      parts_[at].next = static_cast<position>(at) + 1;
    }
    for (std::size_t at = 0; at + 1 < piece.size(); ++at) rank_pair(static_cast<position>(at));
    while (!pairs_.empty()) merge_lowest();
  }

  std::size_t count() const { return count_; }

  std::vector<std::string_view> parts() const {
    std::vector<std::string_view> all;
    for (std::size_t at = 0; at < piece_.size(); at = parts_[at].next) all.push_back(from_to(at, parts_[at].next));
    return all;
  }

 private:
  struct list_part {
    position previous;  // the index of the previous part; the largest possible number if there is none
    position next;
    token_rank pair = no_token;
  };

  std::string_view from_to(std::size_t from, std::size_t to) const { return piece_.substr(from, to - from); }

  void rank_pair(position at) {
    const position next = parts_[at].next;
    parts_[at].pair = next < piece_.size() ? find_token(from_to(at, parts_[next].next)) : no_token;
    if (parts_[at].pair != no_token) pairs_.push(std::uint64_t{parts_[at].pair} << 32 | at);
  }

  void merge_lowest() {
    const auto at = static_cast<position>(pairs_.top());
    const auto rank = static_cast<token_rank>(pairs_.top() >> 32);
    pairs_.pop();
    if (parts_[at].pair != rank) return;
    const position merged = parts_[at].next;
    parts_[merged].pair = no_token;
    parts_[at].next = parts_[merged].next;
    parts_[parts_[at].next].previous = at;
    --count_;
    rank_pair(at);
    if (at > 0) rank_pair(parts_[at].previous);
  }

  std::string_view piece_;
  std::vector<list_part> parts_;
  // Each element contains a pair's rank in the upper 32 bits and the position of the pair in the lower 32 bits.
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> pairs_;
  std::size_t count_;
};

std::vector<std::string_view> parts_of(std::string_view piece) {
  if (find_token(piece) != no_token) return {piece};
  if (piece.size() > short_piece) return long_merge(piece).parts();
  std::vector<std::string_view> parts;
  const short_merge merged(piece);
  for (std::size_t index = 0; index < merged.count(); ++index) parts.push_back(merged.part(index));
  return parts;
}

// Splits a text into pieces, which are roughly words. Each search for the end of a word reads at most `longest` bytes,
// and a longer word is cut into parts of this size. Splitting a very long word therefore takes linear time.
template <class Each>
void each_piece(std::string_view text, std::size_t longest, const Each& each) {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, first_piece(text.substr(0, longest)).size);
    each(piece);
    text.remove_prefix(piece.size());
  }
}

}  // namespace

std::size_t count_piece(std::string_view piece) {
  if (find_token(piece) != no_token) return 1;
  if (piece.size() <= short_piece) return short_merge(piece).count();
  return long_merge(piece).count();
}

std::size_t count_tokens(std::string_view text, std::size_t longest_piece) {
  std::size_t count = 0;
  each_piece(text, longest_piece, [&count](std::string_view piece) { count += count_piece(piece); });
  return count;
}

std::vector<token_rank> encode_tokens(std::string_view text) {
  std::vector<token_rank> tokens;
  each_piece(text, whole_pieces, [&tokens](std::string_view piece) {
    for (const std::string_view part : parts_of(piece)) tokens.push_back(find_token(part));
  });
  return tokens;
}

}  // namespace photofinish::proxy
