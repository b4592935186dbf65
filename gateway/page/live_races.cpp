#include "gateway/page/live_races.hpp"

#include <utility>

namespace photofinish::gateway {

void live_races::put(std::shared_ptr<const race_receipt> seen) {
  const bool is_over = seen->answer.has_value();
  auto at = by_id_.find(seen->id);
  if (at == by_id_.end()) {
    if (is_over) return;
    at = by_id_.try_emplace(seen->id).first;
    in_order_.push_back(seen->id);
  }
  shown_race& each = at->second;
  if (each.is_over) return;
  each.is_over = is_over;
  each.news = std::move(seen);
  while (by_id_.size() > most) forget_oldest();
}

void live_races::tick() {
  ++sequence_;
  for (auto& [id, each] : by_id_)
    if (each.news) render(each);
  std::erase_if(in_order_, [this](const std::string& id) {
    const auto at = by_id_.find(id);
    if (!at->second.is_over || sequence_ - at->second.changed_at <= kept_ticks) return false;
    bytes_ -= at->second.text.size();
    by_id_.erase(at);
    return true;
  });
  while (bytes_ > most_bytes) forget_oldest();
}

void live_races::render(shown_race& each) {
  bytes_ -= each.text.size();
  each.text = race_row(*std::exchange(each.news, nullptr));
  bytes_ += each.text.size();
  each.changed_at = sequence_;
}

void live_races::forget_oldest() {
  const auto at = by_id_.find(in_order_.front());
  bytes_ -= at->second.text.size();
  by_id_.erase(at);
  in_order_.pop_front();
}

std::string live_races::changed_since(std::uint64_t sequence) const {
  std::string all;
  for (const std::string& id : in_order_) {
    const shown_race& each = by_id_.at(id);
    if (each.text.empty() || each.changed_at <= sequence) continue;
    all.append(all.empty() ? "" : ",").append(each.text);
  }
  return all;
}

void live_races::clear() {
  by_id_.clear();
  in_order_.clear();
  bytes_ = 0;
}

}  // namespace photofinish::gateway
