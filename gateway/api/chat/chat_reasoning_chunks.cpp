#include "gateway/api/chat/chat_reasoning_chunks.hpp"

#include "proxy/conversation/reasoning_details.hpp"

#include <utility>

namespace photofinish::gateway {

using proxy::delta;
using proxy::delta_kind;

void chat_reasoning_chunks::note(const delta& each) {
  if (each.kind == delta_kind::reasoning) {
    choices_[each.choice].text += each.text;
    held_ += each.text.size();
    return;
  }
  if (each.kind != delta_kind::signature && each.kind != delta_kind::opaque) return;
  choice_state& of = choices_[each.choice];
  if (!goes_on(of, each)) {
    write(of, {});
    of.waits = part{each.kind, {}, {}, {}, std::string(each.item)};
    held_ += each.item.size();
    if (each.kind == delta_kind::signature) of.waits->text = std::exchange(of.text, {});
  }
  of.waits->signature += each.text;
  if (!each.id.empty()) of.waits->readable_by = each.id;
  held_ += each.text.size();
}

std::string chat_reasoning_chunks::before(const delta& each) {
  google_signature_.clear();
  const auto found = choices_.find(each.choice);
  if (found == choices_.end()) return {};
  choice_state& of = found->second;
  // Writes the previous part of the reasoning as soon as a new part starts. Otherwise an answer that contains only
  // reasoning would be buffered until its end.
  if (goes_on(of, each)) return {};
  const bool is_call = each.kind == delta_kind::call && !each.id.empty();
  if (is_call && of.waits && of.waits->readable_by == "gemini") google_signature_ = of.waits->signature;
  write(of, is_call ? each.id : std::string_view{});
  return take_list(of);
}

// True if the delta continues the last part of the reasoning. A signature may arrive in pieces, but opaque reasoning
// arrives in one piece.
bool chat_reasoning_chunks::goes_on(const choice_state& of, const delta& each) {
  return of.waits && each.kind == delta_kind::signature && of.waits->kind == delta_kind::signature && of.text.empty();
}

std::optional<chat_reasoning_chunks::waiting> chat_reasoning_chunks::rest() {
  std::optional<waiting> next;
  while (!next && !choices_.empty()) {
    auto& [choice, of] = *choices_.begin();
    write(of, {});
    if (!of.list.empty()) next = waiting{choice, take_list(of)};
    held_ -= of.text.size();
    choices_.erase(choices_.begin());
  }
  return next;
}

void chat_reasoning_chunks::write(choice_state& of, std::string_view call_id) {
  if (!of.waits) return;
  const part its = *std::exchange(of.waits, std::nullopt);
  held_ -= its.text.size() + its.signature.size() + its.item.size() + of.list.size();
  const auto kind = its.kind == delta_kind::opaque ? proxy::block_kind::opaque : proxy::block_kind::reasoning;
  of.index = proxy::append_reasoning_detail(
      of.list, {kind, its.text, its.signature, its.readable_by, call_id, its.item}, of.index);
  held_ += of.list.size();
}

std::string chat_reasoning_chunks::take_list(choice_state& of) {
  if (of.list.empty()) return {};
  held_ -= of.list.size();
  return R"("reasoning_details":[)" + std::exchange(of.list, {}) + "]";
}

}  // namespace photofinish::gateway
