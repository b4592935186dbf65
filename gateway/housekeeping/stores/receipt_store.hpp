// Stores the receipts of the latest races, and finds them by their ids. The number and the total size of receipts are
// limited. Use this class on the housekeeper's thread. [pure]
#pragma once

#include "gateway/records/race_receipt.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace photofinish::gateway {

class receipt_store {
 public:
  static constexpr std::size_t most = 10'000;
  static constexpr std::size_t most_bytes = 16u << 20;

  // Stores a receipt. Drops the oldest receipts if there is no room.
  void put(std::shared_ptr<const race_receipt> receipt) {
    bytes_ += receipt->bytes();
    by_id_[receipt->id] = receipt;
    in_order_.push_back(std::move(receipt));
    while (in_order_.size() > most || bytes_ > most_bytes) forget_oldest();
  }

  // Finds the receipt of a race by its id. `caller` limits the search to the receipts of one caller. Returns null if
  // nothing was found.
  std::shared_ptr<const race_receipt> find(const std::string& id, std::optional<racing::caller_id> caller) const {
    const auto found = by_id_.find(id);
    return found != by_id_.end() && is_of(*found->second, caller) ? found->second : nullptr;
  }

  // Returns the newest receipts, beginning with the newest, and at most `count`. `caller` limits them to the receipts
  // of one caller.
  std::vector<std::shared_ptr<const race_receipt>> newest(std::optional<racing::caller_id> caller,
                                                          std::size_t count) const {
    std::vector<std::shared_ptr<const race_receipt>> found;
    for (auto at = in_order_.rbegin(); at != in_order_.rend() && found.size() < count; ++at)
      if (is_of(**at, caller)) found.push_back(*at);
    return found;
  }

  std::size_t size() const { return in_order_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  static bool is_of(const race_receipt& each, std::optional<racing::caller_id> caller) {
    return !caller || each.caller == *caller;
  }
  void forget_oldest() {
    const auto oldest = std::move(in_order_.front());
    in_order_.pop_front();
    bytes_ -= oldest->bytes();
    const auto known = by_id_.find(oldest->id);
    if (known != by_id_.end() && known->second == oldest) by_id_.erase(known);
  }

  // Pointers are shared, because a request may still read a receipt after this object has dropped it.
  std::deque<std::shared_ptr<const race_receipt>> in_order_;
  std::unordered_map<std::string, std::shared_ptr<const race_receipt>> by_id_;
  std::size_t bytes_ = 0;
};

}  // namespace photofinish::gateway
