// The chunks of a stream -> the one answer that a client with `stream: false` waits for. [pure]
// Joins raw JSON text: whatever a provider adds to its chunks is in the answer, spelled as it came.
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
  // Into a chat.completion.
  explicit answer_collector(std::size_t max_bytes = max_answer_bytes);
  // Into what the rules, which last for ever, make of them.
  explicit answer_collector(const merge_rules& rules, std::size_t max_bytes = max_answer_bytes);

  // One chunk: valid JSON, and already put right (one id, one role and one finish for each
  // choice, distinct tool-call indexes). Fails when the answer outgrows its limit; then nothing more may
  // come.
  proxy::result<void> add(std::string_view chunk_json);
  proxy::result<void> add(std::span<const std::string_view> pieces);  // of one chunk

  // What it holds so far, about.
  std::size_t held_bytes() const { return max_bytes_ - budget_.left(); }

  // Puts the answer into a batch. In chat `content` is null where the model said nothing but called tools.
  void finish(outgoing& to) &&;

 private:
  std::size_t max_bytes_;
  merge_budget budget_;
  merged_object answer_;
  merge_shortcut shortcut_;
  std::string joined_;
};

}  // namespace photofinish::gateway
