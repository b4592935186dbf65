// The prefixes of a conversation as keyed hashes, read from the client's body (docs/decisions/0085). [pure] Moved cache
// marks and Claude Code's billing block do not change the hashes. The body is read in one pass, and no text is kept.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"
#include "racing/prefixes/prefix_table.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace photofinish::gateway {

// The sizes in bytes between which a body has a chain of prefixes. Shorter and longer bodies have none.
inline constexpr std::size_t least_chained_body = 4096, largest_chained_body = 4u << 20;
inline constexpr std::size_t most_chained_messages = 10'000;

struct chain_seed {
  proxy::hash_key key;      // secret key of this process, or the common key of all gateways
  std::uint64_t scope = 0;  // a hash of the route and of the caller's own provider keys
};

// The cache marks in a body.
struct cache_marks {
  // The life that a cache mark sets. Empty if there is no mark; 0 is the provider's default life.
  using life = std::optional<std::chrono::minutes>;

  life of_root;                       // life that the last mark in tools or instructions sets
  life of_last;                       // life that the last mark in the body sets
  racing::prefix_boundary last = {};  // position of the last mark in the body

  bool any() const { return of_last.has_value(); }
};

struct prompt_chain {
  // The boundaries of the conversation: the root, then the ends of the last messages, at most 128. Empty if the body is
  // not a conversation, or is of unusual size.
  std::vector<racing::prefix_boundary> boundaries;
  cache_marks marks;
  std::chrono::minutes retention{0};  // value of `prompt_cache_retention` in the body; 0 if the body has none
  std::uint32_t answers = 0;          // number of the model's answers in the body

  bool empty() const { return boundaries.empty(); }
  const racing::prefix_boundary& root() const { return boundaries.front(); }
  const racing::prefix_boundary& end() const { return boundaries.back(); }
};

// Reads the chain of prefixes from a body. `format` is the body's format: chat, Messages or Responses. Other formats
// have no chain. Callers must not pass a body that continues a stored response, because only the provider has the
// beginning of its prompt.
prompt_chain chain_of(const proxy::client_body& body, proxy::wire_format format, const chain_seed& seed);

}  // namespace photofinish::gateway
