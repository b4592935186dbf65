// Matches the results of a conversation to its calls. [pure] One rule serves every API that refuses a call without a
// result, or a result without its call. Clients leave such calls and results when they compact a history. A call gets
// the first later result that has its id and that no earlier call got. A result without a call is written as text of
// the user. A call without a result gets `missing_result`.
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

// The text, as a JSON string, that replaces the missing result of a call.
inline constexpr std::string_view missing_result = R"("No result of this call was recorded.")";

// Returns an id as text, whether the client wrote a string or a number.
inline std::string text_of_id(std::string_view json) {
  return json_is_string(json) ? json_unescape(json_raw_string(json)) : std::string(json);
}

class paired_results {
 public:
  // `said` must outlive this object, and its blocks must not be moved.
  explicit paired_results(const conversation& said) {
    for (const block& each : said.blocks)
      if (each.kind == block_kind::result) waiting_[key_of(each.call_id)].results.push_back(&each);
  }

  // Returns the result of this call, or null if it has none. Must be called once for each call, in
  // the order of the calls.
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
    std::size_t passed = 0;  // number of results that no later call can match, so that each result is checked once
  };

  std::string_view key_of(std::string_view id) {
    const std::string_view raw = json_is_string(id) ? json_raw_string(id) : id;
    return raw.find('\\') == std::string_view::npos ? raw : spelled_.emplace_back(text_of_id(id));
  }

  std::deque<std::string> spelled_;  // decoded ids whose JSON text contains escapes
  std::map<std::string_view, waiting> waiting_;
  std::unordered_set<const block*> taken_;
};

}  // namespace photofinish::proxy
