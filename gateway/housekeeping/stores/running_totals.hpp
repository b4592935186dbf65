// What the requests of each caller have used, by the agent's session or the project that they name. The housekeeper's
// thread. [pure]
#pragma once

#include "gateway/records/race_receipt.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace photofinish::gateway {

// A caller makes up names of sessions as it likes, so that each has room for so many, and the oldest of its own makes
// room; where all callers' are too many, the caller that was here longest ago gives up its oldest. About 400 B each.
struct running_bounds {
  std::size_t most = 10'000, most_of_one = 1'000;
};

class running_totals {
 public:
  explicit running_totals(running_bounds bounds = {}) : bounds_(bounds) {}

  // What the name's requests come to with these.
  receipt_total add(racing::caller_id caller, const std::string& name, const used_amounts& more,
                    std::chrono::sys_time<std::chrono::milliseconds> at);

  std::size_t size() const { return size_; }

 private:
  struct named_total {
    std::string name;
    receipt_total total;
  };
  struct book {  // of one caller
    racing::caller_id caller;
    std::list<named_total> oldest_first;
    std::map<std::string_view, std::list<named_total>::iterator> by_name;  // views of those names
  };

  book& book_of(racing::caller_id caller);
  void forget_oldest(book& of);

  const running_bounds bounds_;
  std::list<book> quietest_first_;
  std::unordered_map<racing::caller_id, std::list<book>::iterator> by_caller_;
  std::size_t size_ = 0;
};

}  // namespace photofinish::gateway
