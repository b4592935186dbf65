// Which result belongs to which call of a conversation: one rule for every API that refuses a call without a result, or
// a result without its call. Clients leave such calls and results when they compact a history. [pure]
// A call takes the first result after it that has its id and that no earlier call took. A result that no call takes is
// written as text of the user; a call without a result gets `missing_result`.
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace photofinish::proxy {

// A JSON string.
inline constexpr std::string_view missing_result = R"("No result of this call was recorded.")";

// An id as a text, whether the client wrote a string or a number.
inline std::string text_of_id(std::string_view json) {
  return json_is_string(json) ? json_unescape(json_raw_string(json)) : std::string(json);
}

class paired_results {
 public:
  // `said` outlives this, and keeps its blocks where they are.
  explicit paired_results(const conversation& said) {
    for (const block& each : said.blocks)
      if (each.kind == block_kind::result) waiting_[key_of(each.call_id)].results.push_back(&each);
  }

  // The result of that call; null: there is none. Ask once for each call, in their order.
  const block* take(const block& call) {
    const auto found = waiting_.find(key_of(call.call_id));
    if (found == waiting_.end()) return nullptr;
    auto& [results, passed] = found->second;
    while (passed < results.size() && results[passed] < &call) ++passed;
    if (passed == results.size()) return nullptr;
    taken_.insert(results[passed]);
    return results[passed++];
  }

  bool is_taken(const block& result) const { return taken_.contains(&result); }

 private:
  struct waiting {
    std::vector<const block*> results = {};
    std::size_t passed = 0;  // no later call wants those: each is looked at once
  };

  std::string_view key_of(std::string_view id) {
    const std::string_view raw = json_is_string(id) ? json_raw_string(id) : id;
    return raw.find('\\') == std::string_view::npos ? raw : spelled_.emplace_back(text_of_id(id));
  }

  std::deque<std::string> spelled_;  // ids that had escapes
  std::map<std::string_view, waiting> waiting_;
  std::unordered_set<const block*> taken_;
};

}  // namespace photofinish::proxy
