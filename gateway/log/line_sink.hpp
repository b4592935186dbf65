// Sends log lines to a descriptor. A separate thread writes the lines together, after they were collected in memory.
// Each line costs its worker one copy; waking a thread for each line would cost more than the rest of the request.
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
  // The largest number of bytes that wait for a blocked descriptor. Further lines are dropped and counted.
  static constexpr std::size_t max_waiting_bytes = 4u << 20;

  // `batching` is the longest time that a line waits for other lines. Warnings and errors do not wait. `ending` is the
  // longest time that the destructor waits for a blocked descriptor. After this time the remaining lines are lost,
  // because a full pipe must not keep the process alive.
  explicit line_sink(int descriptor, std::chrono::milliseconds batching = std::chrono::milliseconds(50),
                     std::chrono::milliseconds ending = std::chrono::seconds(2));
  line_sink(const line_sink&) = delete;
  line_sink& operator=(const line_sink&) = delete;
  ~line_sink() override;  // writes the remaining lines

 protected:
  // The lock belongs to the queue and not to base_sink, because the writing thread may outlive this object.
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override;  // starts to write the lines immediately, and returns without a wait

 private:
  struct queue;
  const std::shared_ptr<queue> queue_;  // lines that wait; shared with the writing thread
  const std::chrono::milliseconds ending_;
  leavable_thread writer_;
};

}  // namespace photofinish::gateway
