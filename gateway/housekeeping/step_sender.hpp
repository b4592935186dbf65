// Sends the steps of one worker's attempts and the receipts of its races to forecast_store. Used on
// that worker's thread.
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

  // Returns a number that is unique among all attempts of the process.
  std::uint64_t number_attempt() { return (static_cast<std::uint64_t>(worker_) << 48) | ++attempts_; }

  // Call this only if the worker has a forecast board.
  void send(const racing::attempt_event& step) { keeper_.note(worker_, step); }
  // Only the housekeeper uses the receipt after this call.
  void send(std::shared_ptr<race_receipt> receipt) { keeper_.note(worker_, std::move(receipt)); }

 private:
  forecast_store& keeper_;
  const std::size_t worker_;
  std::uint64_t attempts_ = 0;
};

}  // namespace photofinish::gateway
