#include "proxy/dialects/repairs/split_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace photofinish::proxy {
namespace {

// The character U+FFFD, which replaces an incomplete surrogate pair.
constexpr std::string_view half_as_text = "\xEF\xBF\xBD";

// The maximum number of texts that may end in half a character at the same time. Each call of each choice has its own
// text. If there are more such texts, their half characters become U+FFFD.
constexpr std::size_t most_kept = 64;

bool is_of_calls(delta_kind kind) { return kind == delta_kind::call || kind == delta_kind::call_arguments; }

void append_pair(std::string& to, unsigned high, unsigned low) {
  const unsigned code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  for (const unsigned byte : {0xF0 | (code >> 18), 0x80 | ((code >> 12) & 0x3F), 0x80 | ((code >> 6) & 0x3F),
                              0x80 | (code & 0x3F)})
    to.push_back(static_cast<char>(byte));
}

}  // namespace

void split_pairs::rewrite(stream_event& event, const edge_halves& halves, bool is_last) {
  deltas_.clear();
  texts_.clear();
  for (const delta& each : event.deltas) {
    give_up_before(each);
    add(each, is_text_piece(each.kind) ? halves.of(each.text) : text_halves{});
  }
  if (is_last) {
    for (const kept_half& each : kept_) give_up(each);
    kept_.clear();
  }
  event.deltas = deltas_;
}

void split_pairs::add(const delta& each, text_halves its) {
  std::string_view text = each.text;
  const unsigned kept = text.empty() ? 0 : take_kept(each);
  if (its.high_last != 0 && kept_.size() < most_kept && text.ends_with(half_as_text)) {
    text.remove_suffix(half_as_text.size());
    kept_.push_back({each.kind, each.choice, each.part, its.high_last});
  }
  delta& added = deltas_.emplace_back(each);
  if (kept != 0) {
    std::string& whole = texts_.emplace_back();
    const bool is_pair = its.low_first != 0 && text.starts_with(half_as_text);
    if (is_pair) append_pair(whole, kept, its.low_first), text.remove_prefix(half_as_text.size());
    else whole += half_as_text;
    text = whole += text;
  }
  added.text = text;
  if (text.empty() && !each.text.empty()) deltas_.pop_back();
}

// Replaces stored half characters with U+FFFD if the texts that they belong to have ended. A text ends if the delta
// `next` is of another kind. However, deltas of another call, citations and encrypted texts do not end a text.
void split_pairs::give_up_before(const delta& next) {
  if (next.kind == delta_kind::citation || next.kind == delta_kind::opaque) return;
  const auto is_over = [&next](const kept_half& each) {
    const bool is_another_call = is_of_calls(each.kind) && is_of_calls(next.kind) && each.part != next.part;
    return each.choice == next.choice && each.kind != next.kind && !is_another_call;
  };
  for (const kept_half& each : kept_)
    if (is_over(each)) give_up(each);
  std::erase_if(kept_, is_over);
}

void split_pairs::give_up(const kept_half& half) {
  deltas_.push_back({.kind = half.kind, .choice = half.choice, .part = half.part, .text = half_as_text});
}

// If the delta `next` continues a text that ended with the first half of a character, returns this stored half.
// Otherwise returns zero.
unsigned split_pairs::take_kept(const delta& next) {
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&next](const kept_half& each) {
    return each.kind == next.kind && each.choice == next.choice && each.part == next.part;
  });
  if (found == kept_.end()) return 0;
  const unsigned unit = found->unit;
  kept_.erase(found);
  return unit;
}

}  // namespace photofinish::proxy
