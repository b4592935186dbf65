// Sums of the usage of each caller's requests, by the agent's session or the project that the request names. Use this
// class on the housekeeper's thread. [pure]
#pragma once

#include "gateway/records/race_receipt.hpp"

#include <chrono>
#include <cstddef>
#include <iterator>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace photofinish::gateway {

// Limits for the number of stored names. They are needed because callers may invent any number of session names. If a
// caller has too many names, its oldest name is dropped. If all callers together have too many names, the caller that
// has been inactive for the longest time loses its oldest name. A name takes about 400 B.
struct running_bounds {
  std::size_t most = 10'000, most_of_one = 1'000;
};

class running_totals {
 public:
  explicit running_totals(running_bounds bounds = {}) : bounds_(bounds) {}

  // Adds amounts to the sums of the session or project `name`, and returns the new sums.
  receipt_total add(racing::caller_id caller, const std::string& name, const used_amounts& more,
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

  std::size_t size() const { return size_; }

 private:
  struct named_total {
    std::string name;
    receipt_total total;
  };
  struct book {  // the sums of one caller
    racing::caller_id caller;
    std::list<named_total> oldest_first;
    // The keys of this map are views of the names in the list oldest_first.
    std::map<std::string_view, std::list<named_total>::iterator> by_name;
  };

  book& book_of(racing::caller_id caller) {
    const auto known = by_caller_.find(caller);
    if (known == by_caller_.end()) {
      quietest_first_.push_back({caller, {}, {}});
      by_caller_.emplace(caller, std::prev(quietest_first_.end()));
    } else {
      quietest_first_.splice(quietest_first_.end(), quietest_first_, known->second);
    }
    return quietest_first_.back();
  }
  void forget_oldest(book& of) {
    of.by_name.erase(of.oldest_first.front().name);
    of.oldest_first.pop_front();
    --size_;
  }

  const running_bounds bounds_;
  std::list<book> quietest_first_;
  std::unordered_map<racing::caller_id, std::list<book>::iterator> by_caller_;
  std::size_t size_ = 0;
};

}  // namespace photofinish::gateway
