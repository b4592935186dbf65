#include "gateway/api/conversation/opaque_recorder.hpp"

namespace photofinish::gateway {
namespace {

// The maximum number of recorded reasoning parts. Real answers have at most a few dozen parts. Without a maximum, a
// hostile provider could push all other entries out of the store.
constexpr std::size_t most_pieces = 1000;

}  // namespace

// Reads the event before the writer gets it, because the writer may move the event's text.
proxy::result<void> opaque_recorder::add(const proxy::stream_event& event, outgoing& to) {
  using enum proxy::delta_kind;
  for (const proxy::delta& each : event.deltas)
    if (each.kind == signature || each.kind == opaque) take(each.text);
  proxy::result<void> added = writer_->add(event, to);
  if (added && when_ == given::by_event && !ids_.empty()) note_all();
  return added;
}

void opaque_recorder::end(outgoing& to) {
  writer_->end(to);
  note_all();
}

void opaque_recorder::take(std::string_view opaque) {
  if (opaque.empty() || count_ >= most_pieces) return;
  ++count_;
  ids_.push_back(into_.id_of(opaque));
}

void opaque_recorder::note_all() {
  for (const std::uint64_t id : ids_) into_.note(id);
  ids_.clear();
}

}  // namespace photofinish::gateway
