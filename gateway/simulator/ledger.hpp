// Records the requests that a simulated provider has received, and its answers. Tests compare the gateway's figures
// with these records. Any thread may read the records.
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
  completed,      // the simulator wrote the whole answer
  refused,        // the simulator wrote an error status
  error_event,    // the simulator sent an error in a response with status 200, as a simulated fault
  reset,          // a simulated fault
  closed,         // the simulator closed the connection in the middle of the body, as a simulated fault
  client_closed,  // the client disconnected first, with a FIN or a reset
  stopped,        // the simulator was stopped
};

struct sim_record {
  using instant = std::chrono::steady_clock::time_point;

  std::string request_id;  // the answer's x-request-id header
  std::string model;       // the model that the request names, including its settings
  instant received_at;     // the time when the request's last byte was read
  // The time just before the first token was written; empty if the answer was not streamed.
  std::optional<instant> first_token_at;
  instant ended_at;
  sim_end ended = sim_end::completed;
  std::uint32_t tokens_sent = 0;  // the number of tokens that were completely written
  std::uint64_t prompt_tokens = 0;
  std::uint64_t cached_tokens = 0;  // the number of prompt tokens that were read from the simulated prompt cache
  std::string target;             // the path and the query of the request
  std::string authorization;
  std::vector<std::pair<std::string, std::string>> fields;  // the headers of the request, unchanged
  std::string body;
};

class sim_ledger {
 public:
  // Creates a ledger that keeps the newest `capacity` records. If `capacity` is 0, it keeps no records.
  explicit sim_ledger(std::size_t capacity) : capacity_(capacity) {}

  // Only the simulator's own thread may call the following functions.
  std::uint64_t begin_request() { return requests_.fetch_add(1, std::memory_order_relaxed) + 1; }
  void add(sim_record record);
  bool keeps_records() const { return capacity_ > 0; }
  void connection_opened() { open_connections_.fetch_add(1, std::memory_order_relaxed); }
  void connection_closed() { open_connections_.fetch_sub(1, std::memory_order_relaxed); }

  // Any thread.
  std::vector<sim_record> records() const;  // returns the records of all requests that have ended, the oldest first
  // Returns the number of received requests.
  std::uint64_t requests() const { return requests_.load(std::memory_order_relaxed); }
  std::size_t open_connections() const { return open_connections_.load(std::memory_order_relaxed); }

 private:
  const std::size_t capacity_;
  std::atomic<std::uint64_t> requests_{0};
  std::atomic<std::size_t> open_connections_{0};
  mutable std::mutex mutex_;
  std::deque<sim_record> records_;
};

}  // namespace photofinish::gateway::simulator
