// Passes traces from the workers to the collector.
#pragma once

#include "gateway/housekeeping/exports/span_exporter.hpp"
#include "gateway/housekeeping/stores/mailbox.hpp"
#include "metrics/exemplars.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {

class trace_keeping {
 public:
  trace_keeping(boost::asio::io_context& loop, std::size_t workers, std::string version)
      : letters_(loop, workers, [this] { drain(); }), exporter_(loop, std::move(version)) {}

  // Call this on the thread of the given worker, with the spans of a request that has ended.
  void note(std::size_t worker, std::unique_ptr<race_trace> trace) {
    if (!letters_.put(worker, std::move(trace))) dropped_.fetch_add(trace->spans.size(), std::memory_order_relaxed);
  }

  // The functions below are called on the housekeeper's thread.
  void adopt(const tracing_settings& settings) {  // Applies new settings. Call this before the waiting traces are read.
    exporter_.configure(settings);
    if (!settings.is_on()) exemplars_ = {};
  }
  void drain() {
    letters_.take([this](std::unique_ptr<race_trace> trace) { add(*trace); });
  }
  void tick() {
    drain();
    exporter_.send();
  }
  metrics::span_facts counts() const {
    metrics::span_facts all = exporter_.counts();
    all.dropped += dropped_.load(std::memory_order_relaxed);
    return all;
  }
  // Returns exemplars for the metrics. Exemplars are the ids of traces that were sent.
  metrics::exemplars& exemplars() { return exemplars_; }
  boost::asio::awaitable<void> stop() {
    drain();
    return exporter_.stop();
  }

 private:
  void add(const race_trace& trace) {
    if (exporter_.add(trace)) exemplars_.note(to_hex(trace.id), std::chrono::system_clock::now(), trace.observed);
  }

  mailbox<std::unique_ptr<race_trace>, 1024, 256> letters_;
  std::atomic<std::uint64_t> dropped_ = 0;  // the number of spans that were dropped because a worker's queue was full
  span_exporter exporter_;
  metrics::exemplars exemplars_;
};

}  // namespace photofinish::gateway
