// Receipts of the races that ended last, by id, within bounds. The housekeeper's thread. [pure]
#pragma once

#include "gateway/records/race_receipt.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace photofinish::gateway {

class receipt_store {
 public:
  static constexpr std::size_t most = 10'000;
  static constexpr std::size_t most_bytes = 16u << 20;

  // The oldest make room.
  void put(std::shared_ptr<const race_receipt> receipt) {
    bytes_ += receipt->bytes();
    by_id_[receipt->id] = receipt;
    in_order_.push_back(std::move(receipt));
    while (in_order_.size() > most || bytes_ > most_bytes) forget_oldest();
  }

  // Of that caller alone; null where there is none of it.
  std::shared_ptr<const race_receipt> find(const std::string& id, racing::caller_id caller) const {
    const auto found = by_id_.find(id);
    return found != by_id_.end() && found->second->caller == caller ? found->second : nullptr;
  }

  std::size_t size() const { return in_order_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  void forget_oldest() {
    const auto oldest = std::move(in_order_.front());
    in_order_.pop_front();
    bytes_ -= oldest->bytes();
    const auto known = by_id_.find(oldest->id);
    if (known != by_id_.end() && known->second == oldest) by_id_.erase(known);
  }

  std::deque<std::shared_ptr<const race_receipt>> in_order_;  // shared with who is answered from them
  std::unordered_map<std::string, std::shared_ptr<const race_receipt>> by_id_;
  std::size_t bytes_ = 0;
};

}  // namespace photofinish::gateway
