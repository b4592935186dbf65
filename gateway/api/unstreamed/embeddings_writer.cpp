#include "gateway/api/unstreamed/embeddings_writer.hpp"

#include <utility>

namespace photofinish::gateway {

proxy::result<void> embeddings_writer::add(const proxy::stream_event& event, outgoing& to) {
  auto added = whole_writer::add(event, to);
  is_other_ = wanted_ && proxy::encoding_at_first_sight(json_) != wanted_;
  return added;
}

bool embeddings_writer::is_long() const { return is_other_ && json_.size() > proxy::most_converted_in_a_turn; }

proxy::result<void> embeddings_writer::make_ready() {
  if (!is_other_) return {};
  auto converted = proxy::encoded_as(json_, *wanted_);
  if (!converted) return std::move(converted).error();
  json_ = std::move(*converted);
  return {};
}

std::size_t embeddings_writer::held_bytes() const {
  return json_.size() + (is_other_ ? proxy::most_encoded_bytes(json_.size()) : 0);
}

}  // namespace photofinish::gateway
