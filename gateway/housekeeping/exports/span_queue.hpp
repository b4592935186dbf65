// A queue of encoded traces that wait to be sent. Its size is limited: if there is no room for a trace, the trace is
// dropped and counted. [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// The traces of one post to the collector.
struct span_batch {
  std::vector<std::string> traces;  // the encoded traces, each a result of otlp_spans()
  std::uint64_t spans = 0;
};

class span_queue {
 public:
  // The maximum size of all waiting traces, which is enough for about 8,000 spans.
  static constexpr std::size_t most_bytes = 8u << 20;
  // The maximum size of one post. Collectors accept 20 MiB by default.
  static constexpr std::size_t most_batch_bytes = 1u << 20;
  // The maximum number of spans in one post, the same as in OpenTelemetry's SDKs.
  static constexpr std::uint64_t most_batch_spans = 512;

  // Returns false if the queue has no room for the trace. The queue then drops this newest trace, because older traces
  // show how a problem began.
  bool put(std::string trace, std::uint64_t spans) {
    if (bytes_ + trace.size() > most_bytes) return false;
    bytes_ += trace.size();
    spans_ += spans;
    waiting_.push_back({std::move(trace), spans});
    return true;
  }

  // Removes the oldest traces from the queue and returns them, as many as one post may contain. Returns at least one
  // trace unless the queue is empty.
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
