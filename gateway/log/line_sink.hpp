// Writes log lines to a file descriptor. Lines are collected in memory, and a separate thread writes several lines at a
// time. For the worker, a line costs only one copy. Waking a thread for each line would cost more than all other work
// for the request.
#pragma once

#include "gateway/threads/leavable_thread.hpp"

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <cstddef>
#include <memory>

namespace photofinish::gateway {

class line_sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  // The maximum number of bytes that may wait while the descriptor is blocked. Further lines are dropped and counted.
  static constexpr std::size_t max_waiting_bytes = 4u << 20;

  // `batching` is the longest time for which a line waits, so that several lines are written together. Warnings and
  // errors do not wait. `ending` is the longest time for which the destructor waits for a blocked descriptor. After
  // that the remaining lines are lost, because a full pipe must not keep the process alive.
  explicit line_sink(int descriptor, std::chrono::milliseconds batching = std::chrono::milliseconds(50),
                     std::chrono::milliseconds ending = std::chrono::seconds(2));
  line_sink(const line_sink&) = delete;
  line_sink& operator=(const line_sink&) = delete;
  ~line_sink() override;  // the destructor writes the remaining lines

 protected:
  // The queue has its own lock instead of base_sink's lock, because the writing thread may outlive this object.
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override;  // starts to write the lines immediately, and does not wait for the end

 private:
  struct queue;
  const std::shared_ptr<queue> queue_;  // lines that are not written yet; shared with the writing thread
  const std::chrono::milliseconds ending_;
  leavable_thread writer_;
};

}  // namespace photofinish::gateway
