// Traces on their way from the workers to the collector: a ring of each worker, emptied on the housekeeper's thread.
#pragma once

#include "gateway/housekeeping/kept/ring.hpp"
#include "gateway/housekeeping/exports/span_exporter.hpp"
#include "metrics/exemplars.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class trace_keeping {
 public:
  trace_keeping(boost::asio::io_context& loop, std::size_t workers, std::string version)
      : exporter_(loop, std::move(version)) {
    for (std::size_t index = 0; index < workers; ++index) rings_.push_back(std::make_unique<trace_ring>());
  }

  // Worker `index` alone. True: the ring fills faster than it is emptied, drain() should come at once.
  bool note(std::size_t worker, std::unique_ptr<race_trace> trace) {
    trace_ring& own = *rings_[worker];
    const std::uint64_t spans = trace->spans.size();
    if (!own.push(std::move(trace))) dropped_.fetch_add(spans, std::memory_order_relaxed);
    return own.size() >= urgent_fill;
  }

  // The housekeeper's thread.
  void adopt(const tracing_settings& settings) {  // before what waits is looked at
    exporter_.configure(settings);
    if (!settings.is_on()) exemplars_ = {};
  }
  void drain() {
    for (auto& each : rings_)
      while (const auto trace = each->pop()) add(**trace);
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
  // Of those that are sent.
  metrics::exemplars& exemplars() { return exemplars_; }
  boost::asio::awaitable<void> stop() {
    drain();
    return exporter_.stop();
  }

 private:
  static constexpr std::size_t capacity = 1024, urgent_fill = 256;
  using trace_ring = ring<std::unique_ptr<race_trace>, capacity>;

  void add(const race_trace& trace) {
    if (exporter_.add(trace)) exemplars_.note(to_hex(trace.id), std::chrono::system_clock::now(), trace.observed);
  }

  std::vector<std::unique_ptr<trace_ring>> rings_;
  std::atomic<std::uint64_t> dropped_ = 0;  // found no room in a ring
  span_exporter exporter_;
  metrics::exemplars exemplars_;
};

}  // namespace photofinish::gateway
