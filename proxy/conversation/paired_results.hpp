// Matches the tool results of a conversation to its tool calls. [pure] Some APIs refuse a call without a result, or a
// result without a call. Clients leave such calls and results in a history when they compact it. Each call is matched
// to the first later result that has the call's id and is still unmatched. A result without a call becomes text of the
// user. A call without a result gets the text `missing_result`.
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

// This text, a JSON string, replaces the missing result of a call.
inline constexpr std::string_view missing_result = R"("No result of this call was recorded.")";

// Returns an id as text. The client may have written the id as a string or a number.
inline std::string text_of_id(std::string_view json) {
  return json_is_string(json) ? json_unescape(json_raw_string(json)) : std::string(json);
}

class paired_results {
 public:
  // The conversation must outlive this object, and its blocks must not be moved.
  explicit paired_results(const conversation& said) {
    for (const block& each : said.blocks)
      if (each.kind == block_kind::result) waiting_[key_of(each.call_id)].results.push_back(&each);
  }

  // Returns the result of a call, or null if the call has no result. Must be called once for each call,
  // in the order of the calls.
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
    std::size_t passed = 0;  // the number of results already checked; the next search starts after them
  };

  std::string_view key_of(std::string_view id) {
    const std::string_view raw = json_is_string(id) ? json_raw_string(id) : id;
    return raw.find('\\') == std::string_view::npos ? raw : spelled_.emplace_back(text_of_id(id));
  }

  std::deque<std::string> spelled_;  // the decoded ids of results and calls whose JSON text contains escapes
  std::map<std::string_view, waiting> waiting_;
  std::unordered_set<const block*> taken_;
};

}  // namespace photofinish::proxy
