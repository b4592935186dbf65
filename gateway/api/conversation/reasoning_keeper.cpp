#include "gateway/api/conversation/reasoning_keeper.hpp"

#include "proxy/conversation/kept_reasoning.hpp"
#include "proxy/conversation/reasoning_details.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

// Before one call. Answers have one or two.
constexpr std::size_t most_parts = 32;

}  // namespace

proxy::result<void> reasoning_keeper::add(const proxy::stream_event& event, outgoing& to) {
  for (const proxy::delta& each : event.deltas) blocks_.add(each, *this);
  return writer_->add(event, to);
}

void reasoning_keeper::end(outgoing& to) {
  blocks_.finish(false, *this);
  writer_->end(to);
}

void reasoning_keeper::on_open(const answer_block& block) {
  if (block.kind == answer_block_kind::text || block.kind == answer_block_kind::refusal)
    for (part& each : parts_) each.is_apart = true;
  if (block.kind != answer_block_kind::call) return;
  std::string list;
  std::size_t index = 0;
  const std::string key = proxy::reasoning_key(block.id, block.name);
  const auto has_signature = [](const part& each) { return !each.signature.empty(); };
  const bool is_signed = std::any_of(parts_.begin(), parts_.end(), has_signature);
  if (is_signed && !key.empty()) {
    for (const part& each : parts_) {
      const bool is_opaque = each.kind == answer_block_kind::opaque;
      const auto kind = is_opaque ? proxy::block_kind::opaque : proxy::block_kind::reasoning;
      const std::string_view call = each.is_apart ? std::string_view{} : std::string_view(block.id);
      if (has_signature(each))
        index = proxy::append_reasoning_detail(list, {kind, each.text, each.signature, each.readable_by, call}, index);
    }
    keep_(key, "[" + list + "]");
  }
  forget();
}

void reasoning_keeper::on_text(const answer_block& block, std::string_view more) {
  if (block.kind != answer_block_kind::reasoning) return;
  text_ += more;
  held_ += more.size();
}

void reasoning_keeper::on_close(const answer_block& block) {
  if (block.kind != answer_block_kind::reasoning && block.kind != answer_block_kind::opaque) return;
  held_ += block.signature.size();
  if (parts_.size() < most_parts)
    parts_.push_back({block.kind, std::exchange(text_, {}), block.signature, block.readable_by, false});
  text_.clear();
}

void reasoning_keeper::forget() {
  parts_.clear();
  text_.clear();
  held_ = 0;
}

}  // namespace photofinish::gateway
