#include "gateway/housekeeping/stores/running_totals.hpp"

#include <iterator>

namespace photofinish::gateway {

receipt_total running_totals::add(racing::caller_id caller, const std::string& name, const used_amounts& more,
                                  std::chrono::sys_time<std::chrono::milliseconds> at) {
  book& own = book_of(caller);
  auto known = own.by_name.find(name);
  if (known == own.by_name.end()) {
    if (own.by_name.size() >= bounds_.most_of_one) forget_oldest(own);
    const auto added = own.oldest_first.insert(own.oldest_first.end(), {name, {{}, at}});
    known = own.by_name.emplace(added->name, added).first;
    ++size_;
  }
  own.oldest_first.splice(own.oldest_first.end(), own.oldest_first, known->second);
  receipt_total& total = known->second->total;
  total.amounts.add(more);
  const receipt_total now = total;
  if (size_ > bounds_.most) {
    book& quietest = quietest_first_.front();
    forget_oldest(quietest);
    if (quietest.by_name.empty()) {
      by_caller_.erase(quietest.caller);
      quietest_first_.pop_front();
    }
  }
  return now;
}

running_totals::book& running_totals::book_of(racing::caller_id caller) {
  const auto known = by_caller_.find(caller);
  if (known == by_caller_.end()) {
    quietest_first_.push_back({caller, {}, {}});
    by_caller_.emplace(caller, std::prev(quietest_first_.end()));
  } else {
    quietest_first_.splice(quietest_first_.end(), quietest_first_, known->second);
  }
  return quietest_first_.back();
}

void running_totals::forget_oldest(book& of) {
  of.by_name.erase(of.oldest_first.front().name);
  of.oldest_first.pop_front();
  --size_;
}

}  // namespace photofinish::gateway
