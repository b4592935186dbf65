// Finds the positions in a request's body at which a cached prefix of the prompt may end, and computes a hash for each
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

// The members of a request's body that belong to the prompt, for one API. Providers read the tools first, then the
// system prompt, then parameters that affect every message, and finally the messages.
struct prompt_layout {
  // A JSON pointer to the tools.
  std::string_view tools;
  // Two JSON pointers to the system prompt, because the name of its member has two spellings. The second pointer may be
  // empty.
  std::array<std::string_view, 2> system;
  std::string_view messages;
  // The name of the member of a message that contains the message's content blocks.
  std::string_view content;
  std::span<const std::string_view> parameters;  // JSON pointers
  // Text blocks that begin with this text are not counted as part of the prompt. If this text is empty, all blocks
  // count.
  std::string_view ignored = {};
};

// A mark that a client sets at a block of the prompt. It asks the provider to cache the prefix that ends with this
// block. In requests, a mark is named `cache_control`, `prompt_cache_breakpoint` or `cachePoint`.
enum class prompt_mark { none, usual, five_minutes, one_hour };

struct prompt_boundary {
  std::uint64_t hash = 0;     // the hash of the prompt up to this boundary, based on `root`
  std::uint64_t tokens = 0;   // the estimated number of prompt tokens before this boundary: a quarter of the bytes
  bool ends_message = false;  // true if a message, the tools or the system prompt ends at this boundary
  prompt_mark mark = prompt_mark::none;
};

// The maximum number of prefix boundaries in a prompt. If there are more boundaries, the first ones are dropped.
inline constexpr std::size_t most_boundaries = 4096;

// Returns the positions in a prompt at which a cached prefix may end: one after each block, in the order of the prompt.
// `root` is a hash that separates the prefixes of different clients. The hashes do not include cache marks, because
// clients move their marks from request to request.
std::vector<prompt_boundary> read_prefixes(const prompt_layout& layout, simdjson::dom::element body,
                                           std::uint64_t root, const proxy::hash_key& key);

}  // namespace photofinish::gateway::simulator
