// Sends the steps of one worker's attempts, such as their first tokens, and the receipts of its races to
// forecast_store. Only this worker's thread uses this object.
#pragma once

#include "gateway/housekeeping/stores/forecast_store.hpp"
#include "racing/forecast/attempt_event.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace photofinish::gateway {

class step_sender {
 public:
  step_sender(forecast_store& keeper, std::size_t worker) : keeper_(keeper), worker_(worker) {}

  // Returns a number for a new attempt. The number is unique within the process.
  std::uint64_t number_attempt() { return (static_cast<std::uint64_t>(worker_) << 48) | ++attempts_; }

  // Call this only after the worker has received a forecast board, the table with the speeds of targets.
  void send(const racing::attempt_event& step) { keeper_.note(worker_, step); }
  // Sends the receipt of a race to the housekeeper. After this call, only the housekeeper may use the receipt.
  void send(std::shared_ptr<race_receipt> receipt) { keeper_.note(worker_, std::move(receipt)); }

 private:
  forecast_store& keeper_;
  const std::size_t worker_;
  std::uint64_t attempts_ = 0;
};

}  // namespace photofinish::gateway
