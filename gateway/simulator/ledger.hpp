// The requests that a simulated provider received and its answers: the truth for comparisons in tests. Any thread may
// read it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway::simulator {

enum class sim_end {
  completed,      // the whole answer was written
  refused,        // an error status was written
  error_event,    // a simulated fault: an error inside the 200 was written
  reset,          // a simulated fault
  closed,         // a simulated fault: a FIN in the middle of the body
  client_closed,  // the client left first, with a FIN or a reset
  stopped,        // the simulator was stopped
};

struct sim_record {
  using instant = std::chrono::steady_clock::time_point;

  std::string request_id;  // the value of x-request-id
  std::string model;       // including its settings
  instant received_at;     // the request's last byte was read
  std::optional<instant> first_token_at;  // just before it was written; streamed answers only
  instant ended_at;
  sim_end ended = sim_end::completed;
  std::uint32_t tokens_sent = 0;  // in completed writes
  std::uint64_t prompt_tokens = 0;
  std::uint64_t cached_tokens = 0;  // of these, tokens read from the prompt cache
  std::string target;             // from the request line
  std::string authorization;
  std::vector<std::pair<std::string, std::string>> fields;  // the request's headers, as written
  std::string body;
};

class sim_ledger {
 public:
  // Keeps the newest `capacity` records; with 0 it keeps none.
  explicit sim_ledger(std::size_t capacity) : capacity_(capacity) {}

  // Call these on the simulator's own thread.
  std::uint64_t begin_request() { return requests_.fetch_add(1, std::memory_order_relaxed) + 1; }
  void add(sim_record record);
  bool keeps_records() const { return capacity_ > 0; }
  void connection_opened() { open_connections_.fetch_add(1, std::memory_order_relaxed); }
  void connection_closed() { open_connections_.fetch_sub(1, std::memory_order_relaxed); }

  // Any thread.
  std::vector<sim_record> records() const;  // of requests that have ended, the oldest first
  std::uint64_t requests() const { return requests_.load(std::memory_order_relaxed); }  // number of received requests
  std::size_t open_connections() const { return open_connections_.load(std::memory_order_relaxed); }

 private:
  const std::size_t capacity_;
  std::atomic<std::uint64_t> requests_{0};
  std::atomic<std::size_t> open_connections_{0};
  mutable std::mutex mutex_;
  std::deque<sim_record> records_;
};

}  // namespace photofinish::gateway::simulator
