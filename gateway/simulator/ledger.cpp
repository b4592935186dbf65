#include "gateway/simulator/ledger.hpp"

namespace photofinish::gateway::simulator {

std::string_view to_string(sim_end ended) {
  switch (ended) {
    case sim_end::completed: return "completed";
    case sim_end::refused: return "refused";
    case sim_end::error_event: return "error_event";
    case sim_end::reset: return "reset";
    case sim_end::closed: return "closed";
    case sim_end::client_closed: return "client_closed";
    case sim_end::stopped: return "stopped";
  }
  return "unknown";
}

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
