// Log lines on their way to a descriptor: gathered in memory, written together by a thread of their own. A line costs
// its worker a copy; waking a thread for each would cost more than the rest of the request.
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace photofinish::gateway {

class line_sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // Bytes that may wait for a descriptor which takes none; further lines are dropped, and counted.
  static constexpr std::size_t max_waiting_bytes = 4u << 20;

  // `gathering`: how long a line may wait for others. A warning, or worse, does not wait.
  explicit line_sink(int descriptor, std::chrono::milliseconds gathering = std::chrono::milliseconds(50));
  line_sink(const line_sink&) = delete;
  line_sink& operator=(const line_sink&) = delete;
  ~line_sink() override;  // writes what is gathered

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override;  // does not wait for the writing

 private:
  void run();
  void write_all(const std::string& lines) const;

  // All guarded by base_sink's mutex_.
  std::string gathered_;
  std::size_t dropped_ = 0;
  bool is_urgent_ = false;
  bool is_ending_ = false;

  const int descriptor_;
  const std::chrono::milliseconds gathering_;
  std::condition_variable changed_;
  std::thread writer_;
};

}  // namespace photofinish::gateway
