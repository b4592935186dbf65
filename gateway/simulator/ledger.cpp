#include "gateway/simulator/ledger.hpp"

namespace photofinish::gateway::simulator {

void sim_ledger::add(sim_record record) {
  const std::lock_guard lock(mutex_);
  if (capacity_ == 0) return;
  if (records_.size() == capacity_) records_.pop_front();
  records_.push_back(std::move(record));
}

std::vector<sim_record> sim_ledger::records() const {
  const std::lock_guard lock(mutex_);
  return {records_.begin(), records_.end()};
}

}  // namespace photofinish::gateway::simulator
