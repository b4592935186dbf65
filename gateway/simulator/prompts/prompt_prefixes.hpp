// Finds the places in a request's body at which a cached prefix of the prompt can end, each with a hash of that prefix.
// [pure]
#pragma once

#include "proxy/json/keyed_hash.hpp"

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace photofinish::gateway::simulator {

// Names the parts of a prompt in the body of one API. Providers read the tools first, then the system prompt, then
// parameters that change every message, then the messages.
struct prompt_layout {
  std::string_view tools;                        // a JSON pointer, like the next two members
  std::array<std::string_view, 2> system;        // the second name is another spelling; empty if there is none
  std::string_view messages;
  std::string_view content;                      // the member of a message that contains its blocks
  std::span<const std::string_view> parameters;  // JSON pointers
  // The prompt excludes text blocks that begin with this text; empty if there are none.
  std::string_view ignored = {};
};

// A client's mark at a block. It asks the provider to keep the prefix that ends there. Clients name it `cache_control`,
// `prompt_cache_breakpoint` or `cachePoint`.
enum class prompt_mark { none, usual, five_minutes, one_hour };

struct prompt_boundary {
  std::uint64_t hash = 0;     // the hash of the root and of all blocks up to this boundary
  std::uint64_t tokens = 0;   // an estimate of the tokens up to this boundary: a quarter of the bytes
  bool ends_message = false;  // true if a message, the tools or the system prompt end here
  prompt_mark mark = prompt_mark::none;
};

// The limit of boundaries in a prompt. If there are more, the oldest boundaries are dropped.
inline constexpr std::size_t most_boundaries = 4096;

// Returns the boundaries in the order of the prompt, one after each block. `root` separates the prefixes of different
// callers. The hash does not include marks, because clients move them with each turn.
std::vector<prompt_boundary> read_prefixes(const prompt_layout& layout, simdjson::dom::element body,
                                           std::uint64_t root, const proxy::hash_key& key);

}  // namespace photofinish::gateway::simulator
