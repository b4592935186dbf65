// Log lines on their way to a descriptor: batched in memory, written together by a thread of their own. A line costs
// its worker a copy; waking a thread for each would cost more than the rest of the request.
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
  // Bytes that may wait for a descriptor which takes none; further lines are dropped, and counted.
  static constexpr std::size_t max_waiting_bytes = 4u << 20;

  // `batching`: how long a line may wait for others. A warning, or worse, does not wait.
  // `ending`: how long the end waits for a descriptor that takes nothing. Its lines are then lost: a full pipe must not
  // keep the process alive.
  explicit line_sink(int descriptor, std::chrono::milliseconds batching = std::chrono::milliseconds(50),
                     std::chrono::milliseconds ending = std::chrono::seconds(2));
  line_sink(const line_sink&) = delete;
  line_sink& operator=(const line_sink&) = delete;
  ~line_sink() override;  // writes the batch

 protected:
  // The lock is the queue's own, not base_sink's: the writing thread may outlive this object.
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override;  // does not wait for the writing

 private:
  struct queue;
  const std::shared_ptr<queue> queue_;  // shared with the writer
  const std::chrono::milliseconds ending_;
  leavable_thread writer_;
};

}  // namespace photofinish::gateway
