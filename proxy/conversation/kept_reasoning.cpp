#include "proxy/conversation/kept_reasoning.hpp"

#include "proxy/conversation/reasoning_details.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/json/json_text.hpp"

#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

// The minimum length of a call's id. Providers create ids of more than twenty characters. Shorter ids, such as
// `call_0`, may occur in many conversations, so calls with short ids are ignored.
constexpr std::size_t shortest_id = 12;
constexpr std::size_t longest_key = 256;

struct found_reasoning {
  std::size_t call;                     // the index of the call's block in the conversation
  // the index of the first block after the previous call in the same turn
  std::size_t begin;
  std::vector<placed_reasoning> parts;
};

class restorer {
 public:
  restorer(conversation& said, const reasoning_lookup& find, restored_limits limits)
      : said_(said), find_(find), limits_(limits), blocks_(said.blocks.size() + said.parts.size()) {}

  void run() {
    for (std::size_t at = said_.turns.size(); at-- > 0;)
      if (said_.turns[at].who == speaker::assistant) look_at(said_.turns[at]);
    if (!found_.empty()) put_back();
  }

 private:
  void look_at(const turn& each) {
    // The tool calls whose reasoning has no signature. Each pair contains the index of a call, and the index of the
    // first block after the previous call.
    std::vector<std::pair<std::size_t, std::size_t>> bare;
    std::size_t begin = each.first_block;
    bool is_signed = false;
    for (std::size_t at = begin; at < std::size_t{each.first_block} + each.blocks; ++at) {
      const block& now = said_.blocks[at];
      is_signed |= !now.signature.empty();
      if (now.kind != block_kind::call) continue;
      if (!is_signed) bare.emplace_back(at, begin);
      begin = at + 1;
      is_signed = false;
    }
    for (std::size_t at = bare.size(); at-- > 0;) look_up(bare[at].first, bare[at].second);
  }

  bool is_full() const {
    return asked_.size() >= limits_.calls || bytes_ >= limits_.bytes || blocks_ >= limits_.blocks;
  }

  void look_up(std::size_t call, std::size_t begin) {
    if (is_full()) return;
    const block& its = said_.blocks[call];
    const std::string id = json_unescape(json_raw_string(its.call_id));
    std::string key = reasoning_key(id, flat_tool_name(its.name_space, its.name));
    if (key.empty() || !asked_.insert(key).second) return;
    std::optional<std::string> kept = find_(key, limits_.bytes - bytes_);
    if (!kept || kept->size() > limits_.bytes - bytes_) return;
    bytes_ += kept->size();
    const std::string& list = said_.made.emplace_back(std::move(*kept));
    auto parts = read_reasoning_details(list, said_.made);
    // A provider rejects reasoning unless all of its parts are restored.
    if (!parts || parts->empty() || blocks_ + parts->size() > limits_.blocks) return;
    blocks_ += parts->size();
    found_.push_back({call, begin, std::move(*parts)});
  }

  // Inserts the restored reasoning into the conversation. The elements of found_ are sorted from the last call to the
  // first.
  void put_back() {
    std::unordered_map<std::size_t, std::vector<block>> before;
    for (const found_reasoning& each : found_)
      for (const placed_reasoning& part : each.parts) {
        block restored = part.what;
        restored.raw = {};
        restored.is_restored = true;
        restored.item = said_.blocks[each.call].item;
        before[part.call_id.empty() ? each.begin : each.call].push_back(restored);
      }
    std::vector<block> all;
    all.reserve(said_.blocks.size() + before.size());
    for (turn& each : said_.turns) {
      const std::size_t first = each.first_block, end = first + each.blocks;
      each.first_block = static_cast<std::uint32_t>(all.size());
      for (std::size_t at = first; at < end; ++at) {
        if (const auto its = before.find(at); its != before.end())
          all.insert(all.end(), its->second.begin(), its->second.end());
        all.push_back(said_.blocks[at]);
      }
      each.blocks = static_cast<std::uint32_t>(all.size()) - each.first_block;
    }
    said_.blocks = std::move(all);
  }

  conversation& said_;
  const reasoning_lookup& find_;
  const restored_limits limits_;
  std::set<std::string> asked_;
  std::vector<found_reasoning> found_;
  std::size_t bytes_ = 0;
  std::size_t blocks_;  // the number of blocks in the conversation, including the reasoning found so far
};

}  // namespace

std::string reasoning_key(std::string_view call_id, std::string_view name) {
  if (call_id.size() < shortest_id || call_id.size() + name.size() >= longest_key) return {};
  return std::string(call_id).append("\n").append(name);
}

void restore_reasoning(conversation& said, const reasoning_lookup& find, restored_limits limits) {
  restorer(said, find, limits).run();
}

}  // namespace photofinish::proxy
