#include "gateway/api/conversation/reasoning_keeper.hpp"

#include "proxy/conversation/kept_reasoning.hpp"
#include "proxy/conversation/reasoning_details.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

using proxy::delta;
using proxy::delta_kind;

namespace {

// The maximum number of reasoning parts before one tool call. Real answers have one or two.
constexpr std::size_t most_parts = 32;
// The maximum number of tool calls in one answer whose reasoning is kept. A later request can restore the reasoning of
// the same number of calls.
constexpr std::size_t most_calls = 1000;
// The maximum length in bytes of a tool call's id and name together. The reasoning before a longer call is not kept.
constexpr std::size_t longest_call = 256;

// True if storing this delta would copy its text.
bool is_copied(const delta& each) {
  return each.kind == delta_kind::reasoning || each.kind == delta_kind::signature || each.kind == delta_kind::opaque;
}
bool is_said(const delta& each) {
  return each.kind == delta_kind::text || each.kind == delta_kind::transcript || each.kind == delta_kind::refusal;
}

}  // namespace

proxy::result<void> reasoning_keeper::add(const proxy::stream_event& event, outgoing& to) {
  for (const proxy::delta& each : event.deltas) note(each);
  return writer_->add(event, to);
}

void reasoning_keeper::end(outgoing& to) {
  blocks_.finish(false, *this);
  writer_->end(to);
}

void reasoning_keeper::note(const delta& each) {
  const bool is_other = each.kind == delta_kind::citation || each.kind == delta_kind::image ||
                        each.kind == delta_kind::logprobs;
  if (each.choice != 0 || is_other) return;
  const bool is_call = each.kind == delta_kind::call && !each.id.empty();
  if (has_given_up_ && (!is_call || calls_ >= most_calls)) return;
  has_given_up_ = false;
  if (each.kind == delta_kind::call && each.id.size() + each.text.size() > longest_call) return give_up();
  const std::size_t room = longest_ - std::min(longest_, kept_bytes());
  if (is_copied(each) && each.text.size() + each.item.size() > room) return give_up();
  delta taken = each;
  // If there is text that is not reasoning, keeps only one character of it, to show that there was text.
  if (is_said(each)) taken.text = each.text.substr(0, 1);
  blocks_.add(taken, *this);
  if (is_too_long_ || calls_ >= most_calls || kept_bytes() > longest_) give_up();
}

void reasoning_keeper::on_open(const answer_block& block) {
  if (block.kind == answer_block_kind::text || block.kind == answer_block_kind::refusal)
    for (part& each : parts_) each.is_apart = true;
  if (block.kind != answer_block_kind::call) return;
  ++calls_;
  if (!is_too_long_) keep_before(block);
  forget();
}

void reasoning_keeper::keep_before(const answer_block& block) {
  std::string list;
  std::size_t index = 0;
  const std::string key = proxy::reasoning_key(block.id, block.name);
  if (parts_.empty() || key.empty()) return;
  for (const part& each : parts_) {
    const bool is_opaque = each.kind == answer_block_kind::opaque;
    const auto kind = is_opaque ? proxy::block_kind::opaque : proxy::block_kind::reasoning;
    const std::string_view call = each.is_apart ? std::string_view{} : std::string_view(block.id);
    index = proxy::append_reasoning_detail(
        list, {kind, each.text, each.signature, each.readable_by, call, each.item}, index);
    if (list.size() > longest_) return;
  }
  keep_(key, "[" + list + "]");
}

void reasoning_keeper::on_text(const answer_block& block, std::string_view more) {
  if (block.kind != answer_block_kind::reasoning) return;
  text_ += more;
  held_ += more.size();
}

void reasoning_keeper::on_close(const answer_block& block) {
  if (block.kind != answer_block_kind::reasoning && block.kind != answer_block_kind::opaque) return;
  std::string text = std::exchange(text_, {});
  if (block.signature.empty() || parts_.size() >= most_parts) {
    is_too_long_ |= !block.signature.empty();
    held_ -= text.size();
    return;
  }
  held_ += block.signature.size() + block.item.size();
  parts_.push_back({block.kind, std::move(text), block.signature, block.readable_by, block.item, false});
}

void reasoning_keeper::forget() {
  parts_.clear();
  text_.clear();
  text_.shrink_to_fit();
  held_ = 0;
  is_too_long_ = false;
}

// Stops storing reasoning for this answer. From now on, tool calls without an id get new ids that are not sent to the
// client. No later request can refer to these calls.
void reasoning_keeper::give_up() {
  forget();
  blocks_ = answer_blocks(block_texts::passed, {});
  has_given_up_ = true;
}

}  // namespace photofinish::gateway
