// Merges the chunks of a stream into the single answer that a client with `stream: false` gets. [pure] The collector
// joins raw JSON text, so the answer has all members that a provider adds to its chunks, in their original spelling.
#pragma once

#include "gateway/api/chat/merge_shortcut.hpp"
#include "gateway/api/chat/json_merge.hpp"
#include "proxy/failures/result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

constexpr std::size_t max_answer_bytes = 64u << 20;

class answer_collector {
 public:
  // Creates a collector that merges chunks into a chat.completion.
  explicit answer_collector(std::size_t max_bytes = max_answer_bytes);
  // Creates a collector that merges chunks by the given rules. The rules must live as long as the program.
  explicit answer_collector(const merge_rules& rules, std::size_t max_bytes = max_answer_bytes);

  // Adds one chunk of valid, normalized JSON. A normalized chunk has one id, one role, one finish reason per choice,
  // and distinct tool-call indexes. Fails if the merged answer exceeds its size limit. After a failure, the caller must
  // not add more chunks.
  proxy::result<void> add(std::string_view chunk_json);
  // Adds one chunk whose JSON is split into several pieces.
  proxy::result<void> add(std::span<const std::string_view> pieces);

  // The approximate number of bytes that the collector keeps.
  std::size_t held_bytes() const { return max_bytes_ - budget_.left(); }

  // Writes the merged answer. In chat answers, `content` is null if the model only called tools.
  void finish(outgoing& to) &&;

 private:
  std::size_t max_bytes_;
  merge_budget budget_;
  merged_object answer_;
  merge_shortcut shortcut_;
  std::string joined_;
};

}  // namespace photofinish::gateway
