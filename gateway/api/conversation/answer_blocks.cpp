#include "gateway/api/conversation/answer_blocks.hpp"

#include "proxy/dialects/citations/citations.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

using proxy::delta;
using proxy::delta_kind;

namespace {

// The memory in bytes of a hash table entry. It includes the node, its share of the buckets, and the allocator's
// overhead, but not the characters of its string.
constexpr std::size_t id_bytes = sizeof(std::string) + 40;
constexpr std::size_t number_bytes = sizeof(std::int64_t) + 40;

}  // namespace

void answer_blocks::add(const delta& each, block_listener& to) {
  if (each.choice != 0) return;
  switch (each.kind) {
    case delta_kind::text:
    case delta_kind::transcript: return add_text(answer_block_kind::text, each.text, to);
    case delta_kind::refusal: return add_text(answer_block_kind::refusal, each.text, to);
    case delta_kind::reasoning: return add_text(answer_block_kind::reasoning, each.text, to);
    case delta_kind::signature:
    case delta_kind::opaque: return add_signature(each, to);
    case delta_kind::call:
    case delta_kind::call_arguments: return add_call(each, to);
    case delta_kind::citation: return add_citation(each, to);
    case delta_kind::logprobs:
      if (!logprobs_.empty()) keep(logprobs_, ",");
      return keep(logprobs_, each.text);
    case delta_kind::image: return add_image(each, to);
    case delta_kind::lost_part:  // lost_names reports the parts that the client's API cannot represent
    case delta_kind::media_type: return;
    case delta_kind::finish: return;  // does not close the block, because usage and other events may follow
  }
}

void answer_blocks::finish(bool is_cut, block_listener& to) {
  while (!blocks_.empty()) {
    pending& each = blocks_.front();
    each.block.is_last = blocks_.size() == 1;
    const bool is_call = each.block.kind == answer_block_kind::call;
    each.block.is_cut = is_cut && (!is_call || !each.arguments.is_whole());
    // Adds "{}" for a call without arguments. Some providers send no text for such a call, but clients parse the text
    // as JSON.
    if (is_call && !each.block.is_cut && !each.arguments.has_begun()) say(each, "{}", to);
    close(each, to);
    blocks_.pop_front();
  }
}

void answer_blocks::add_text(answer_block_kind kind, std::string_view text, block_listener& to) {
  if (text.empty()) return;
  // A signature belongs to the text before it, and further text begins a new block.
  const bool goes_on = blocks_.empty() || blocks_.back().block.signature.empty();
  pending& in = goes_on ? place_for(kind, to) : begin(kind, 0, to);
  if (!logprobs_.empty() && kind == answer_block_kind::text) {
    if (!in.block.logprobs.empty()) keep(in.block.logprobs, ",");
    in.block.logprobs += std::exchange(logprobs_, {});
  }
  say(in, text, to);
}

void answer_blocks::add_signature(const delta& each, block_listener& to) {
  // Opaque reasoning comes in one piece, so each of its deltas is a block of its own.
  const bool is_opaque = each.kind == delta_kind::opaque;
  pending& in = is_opaque ? begin(answer_block_kind::opaque, 0, to) : place_for(answer_block_kind::reasoning, to);
  keep(in.block.signature, each.text);
  if (!each.id.empty() && in.block.readable_by != each.id) {
    held_ -= in.block.readable_by.size();
    in.block.readable_by.clear();
    keep(in.block.readable_by, each.id);
  }
  if (in.block.item.empty()) keep(in.block.item, each.item);
  if (!in.is_open && &in == &blocks_.front()) open(in, to);
}

// Adds a citation to the last text, even if this text has ended.
// The citation's positions refer to the whole answer's text.
void answer_blocks::add_citation(const delta& each, block_listener& to) {
  const auto is_text = [](const pending& one) { return one.block.kind == answer_block_kind::text; };
  const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(), is_text);
  if (found == blocks_.rend() && has_text_) return void(has_lost_citations_ = true);
  pending& in = found == blocks_.rend() ? begin(answer_block_kind::text, 0, to) : *found;
  std::uint64_t before = closed_characters_;
  for (const pending& one : blocks_) {
    if (&one == &in) break;
    if (is_text(one)) before += proxy::characters_in(one.block.text);
  }
  const std::string citation = proxy::moved_citation(each.text, -static_cast<std::int64_t>(before));
  if (!in.block.citations.empty()) keep(in.block.citations, ",");
  keep(in.block.citations, citation);
  if (in.is_open) to.on_citation(in.block, citation);
}

void answer_blocks::add_image(const delta& each, block_listener& to) {
  pending& in = begin(answer_block_kind::image, 0, to);
  keep(in.block.name, each.id);
  say(in, each.text, to);
}

void answer_blocks::add_call(const delta& each, block_listener& to) {
  if (closed_calls_.contains(each.part)) return;  // ignores further arguments for a tool call that is already closed
  pending& call = place_for_call(each.part, to);
  if (each.kind == delta_kind::call) {
    if (call.block.name.empty()) keep(call.block.name, each.text);
    if (call.block.id.empty() && !call.is_open) keep(call.block.id, each.id);
    const bool is_known = !call.block.name.empty() && !call.block.id.empty();
    if (is_known && !call.is_open && &call == &blocks_.front()) open(call, to);
    return;
  }
  call.arguments.add(each.text);
  say(call, each.text, to);
  advance(to);
}

answer_blocks::pending& answer_blocks::place_for(answer_block_kind kind, block_listener& to) {
  if (!blocks_.empty() && blocks_.back().block.kind == kind && kind != answer_block_kind::call) return blocks_.back();
  return begin(kind, 0, to);
}

answer_blocks::pending& answer_blocks::place_for_call(std::int64_t part, block_listener& to) {
  for (pending& each : blocks_)
    if (each.block.kind == answer_block_kind::call && each.part == part) return each;
  return begin(answer_block_kind::call, part, to);
}

answer_blocks::pending& answer_blocks::begin(answer_block_kind kind, std::int64_t part, block_listener& to) {
  blocks_.emplace_back();
  blocks_.back().block.kind = kind;
  blocks_.back().part = part;
  held_ += sizeof(pending);
  has_calls_ |= kind == answer_block_kind::call;
  has_refusal_ |= kind == answer_block_kind::refusal;
  has_text_ |= kind == answer_block_kind::text;
  advance(to);
  return blocks_.back();
}

// Opens a tool call when its id is known, or at the latest when its first arguments arrive.
void answer_blocks::say(pending& in, std::string_view text, block_listener& to) {
  const bool is_current = &in == &blocks_.front();
  if (is_current && !in.is_open && (in.block.kind != answer_block_kind::call || !in.block.name.empty())) open(in, to);
  if (!in.is_open || texts_ == block_texts::kept) keep(in.block.text, text);
  if (in.is_open) to.on_text(in.block, text);
}

void answer_blocks::open(pending& each, block_listener& to) {
  answer_block& block = each.block;
  block.index = next_index_++;
  if (block.kind == answer_block_kind::call) {
    if (block.id.empty() || call_ids_.contains(block.id)) {
      held_ -= block.id.size();
      block.id.clear();
      keep(block.id, "call_" + answer_id_ + "_" + std::to_string(block.index));
    }
    if (call_ids_.insert(block.id).second) known_ += id_bytes + block.id.size();
  }
  each.is_open = true;
  to.on_open(block);
  if (!block.text.empty()) to.on_text(block, block.text);
  const std::string cited = "[" + block.citations + "]";
  for (proxy::json_walk walk(cited); const auto one = walk.next_element();) to.on_citation(block, *one);
  if (texts_ == block_texts::passed) {
    held_ -= block.text.size();
    block.text = {};
  }
}

void answer_blocks::close(pending& each, block_listener& to) {
  if (!each.is_open) open(each, to);
  to.on_close(each.block);
  if (each.block.kind == answer_block_kind::text) closed_characters_ += proxy::characters_in(each.block.text);
  const bool is_call = each.block.kind == answer_block_kind::call;
  if (is_call && closed_calls_.insert(each.part).second) known_ += number_bytes;
  held_ -= sizeof(pending) + kept_of(each.block);
}

std::size_t answer_blocks::kept_of(const answer_block& block) {
  return block.id.size() + block.name.size() + block.text.size() + block.signature.size() + block.readable_by.size() +
         block.item.size() + block.citations.size() + block.logprobs.size();
}

bool answer_blocks::may_close(const pending& each) {
  return each.block.kind != answer_block_kind::call || each.arguments.is_whole();
}

void answer_blocks::advance(block_listener& to) {
  while (blocks_.size() > 1 && may_close(blocks_.front())) {
    close(blocks_.front(), to);
    blocks_.pop_front();
    pending& next = blocks_.front();
    const bool is_known = !next.block.name.empty() && (!next.block.id.empty() || !next.block.text.empty());
    if (next.block.kind == answer_block_kind::call ? is_known : !next.block.text.empty()) open(next, to);
  }
}

void answer_blocks::keep(std::string& in, std::string_view text) {
  in += text;
  held_ += text.size();
}

}  // namespace photofinish::gateway
