// The places in a request's body at which a prompt cache can hold what came before, each with a hash of that prefix.
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

// The names of the parts of a prompt in the body of one API. Providers read tools, then the system prompt, then
// parameters that change every message, then the messages.
struct prompt_layout {
  std::string_view tools;                        // a JSON pointer, as the next two
  std::array<std::string_view, 2> system;        // the second is another spelling; empty: none
  std::string_view messages;
  std::string_view content;                      // the member of a message that has its blocks
  std::span<const std::string_view> parameters;  // JSON pointers
  std::string_view ignored = {};                 // the prompt excludes text blocks that begin with it; empty: none
};

// A client's mark at a block: keep the prefix up to here. Its names are `cache_control`, `prompt_cache_breakpoint` and
// `cachePoint`.
enum class prompt_mark { none, usual, five_minutes, one_hour };

struct prompt_boundary {
  std::uint64_t hash = 0;     // of all blocks up to here, and of the root
  std::uint64_t tokens = 0;   // of these blocks: a quarter of their bytes
  bool ends_message = false;  // or the tools, or the system prompt
  prompt_mark mark = prompt_mark::none;
};

// The oldest boundaries are dropped if there are more.
inline constexpr std::size_t most_boundaries = 4096;

// In the order of the prompt, one after each block. `root` separates the prefixes of different callers. Marks are no
// part of the hash, because clients move them with each turn.
std::vector<prompt_boundary> read_prefixes(const prompt_layout& layout, simdjson::dom::element body,
                                           std::uint64_t root, const proxy::hash_key& key);

}  // namespace photofinish::gateway::simulator
