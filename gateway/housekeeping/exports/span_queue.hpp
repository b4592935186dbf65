// Encoded traces that wait to be sent, within bounds: what finds no room is dropped and counted. [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// Of one post.
struct span_batch {
  std::vector<std::string> traces;  // otlp_spans() of each
  std::uint64_t spans = 0;
};

class span_queue {
 public:
  static constexpr std::size_t most_bytes = 8u << 20;         // that wait: about 8,000 spans
  static constexpr std::size_t most_batch_bytes = 1u << 20;   // of one post: collectors take 20 MiB by default
  static constexpr std::uint64_t most_batch_spans = 512;      // as OpenTelemetry's SDKs send

  // False: there is no room. The newest is what goes: what came before tells how it began.
  bool put(std::string trace, std::uint64_t spans) {
    if (bytes_ + trace.size() > most_bytes) return false;
    bytes_ += trace.size();
    spans_ += spans;
    waiting_.push_back({std::move(trace), spans});
    return true;
  }

  // The oldest, as many as one post holds; at least one, where one waits.
  span_batch take() {
    span_batch made;
    for (std::size_t bytes = 0; !waiting_.empty(); waiting_.pop_front()) {
      entry& next = waiting_.front();
      const bool is_over = bytes + next.trace.size() > most_batch_bytes || made.spans + next.spans > most_batch_spans;
      if (!made.traces.empty() && is_over) break;
      bytes += next.trace.size(), bytes_ -= next.trace.size();
      made.spans += next.spans, spans_ -= next.spans;
      made.traces.push_back(std::move(next.trace));
    }
    return made;
  }

  bool empty() const { return waiting_.empty(); }
  std::uint64_t spans() const { return spans_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct entry {
    std::string trace;
    std::uint64_t spans = 0;
  };
  std::deque<entry> waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t spans_ = 0;
};

}  // namespace photofinish::gateway
