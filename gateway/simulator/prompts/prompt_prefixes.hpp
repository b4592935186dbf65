// Finds the positions in a request's body at which a cached prefix of the prompt can end, each with a hash of the
// prefix. [pure]
#pragma once

#include "proxy/json/keyed_hash.hpp"

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace photofinish::gateway::simulator {

// Names the members of a request's body that make up the prompt in one API. Providers read the tools first, then the
// system prompt, then parameters that change every message, then the messages.
struct prompt_layout {
  // A JSON pointer to the tools; the next two members are also JSON pointers.
  std::string_view tools;
  // Two JSON pointers to the system prompt, because its name has two spellings. The second pointer may be empty.
  std::array<std::string_view, 2> system;
  std::string_view messages;
  std::string_view content;                      // the member of each message that contains the message's blocks
  std::span<const std::string_view> parameters;  // JSON pointers
  // Text blocks that begin with this text are not a part of the prompt. If it is empty, all text blocks are a part of
  // the prompt.
  std::string_view ignored = {};
};

// A client's mark at a block of the prompt. The mark asks the provider to cache the prefix that ends with this block.
// Clients name it `cache_control`, `prompt_cache_breakpoint` or `cachePoint`.
enum class prompt_mark { none, usual, five_minutes, one_hour };

struct prompt_boundary {
  std::uint64_t hash = 0;     // the hash of the root and of all blocks before this boundary
  std::uint64_t tokens = 0;   // an estimate of the tokens before this boundary: a quarter of the bytes
  bool ends_message = false;  // true if a message, the tools or the system prompt end at this boundary
  prompt_mark mark = prompt_mark::none;
};

// The largest number of boundaries in a prompt. If there are more, the first boundaries are dropped.
inline constexpr std::size_t most_boundaries = 4096;

// Returns the boundaries in the order of the prompt, one after each block. `root` separates the prefixes of different
// clients. The hashes do not include marks, because clients move the marks with each request.
std::vector<prompt_boundary> read_prefixes(const prompt_layout& layout, simdjson::dom::element body,
                                           std::uint64_t root, const proxy::hash_key& key);

}  // namespace photofinish::gateway::simulator
