// The prefixes of a conversation as keyed hashes, which are read from the client's body (docs/decisions/0085). [pure]
// The hashes do not change if clients move cache marks, or if Claude Code's billing block changes. The body is read
// only once, and no text is stored.
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

// The minimum and maximum size of a body in bytes. Prefixes of shorter and longer bodies are not hashed.
inline constexpr std::size_t least_chained_body = 4096, largest_chained_body = 4u << 20;
inline constexpr std::size_t most_chained_messages = 10'000;

struct chain_seed {
  proxy::hash_key key;      // the secret key of this process, or the key that all gateways of the fleet share
  std::uint64_t scope = 0;  // a hash of the route and of the caller's own provider keys
};

// The cache marks that a body contains.
struct cache_marks {
  // The time to live that a cache mark sets. Not set if there is no mark; 0 if the mark uses the provider's default.
  using life = std::optional<std::chrono::minutes>;

  life of_root;                       // the time to live that the last cache mark in the tools or instructions sets
  life of_last;                       // the time to live that the last cache mark in the body sets
  racing::prefix_boundary last = {};  // the position of the last cache mark in the body

  bool any() const { return of_last.has_value(); }
};

struct prompt_chain {
  // The boundaries of the prefixes: the end of the root (the part before all messages), then the ends of the last
  // messages, at most 128. Empty if the body is not a conversation, or is too short or too long.
  std::vector<racing::prefix_boundary> boundaries;
  cache_marks marks;
  std::chrono::minutes retention{0};  // the value of `prompt_cache_retention` in the body; 0 if the body has none
  std::uint32_t answers = 0;          // the number of the model's messages in the body

  bool empty() const { return boundaries.empty(); }
  const racing::prefix_boundary& root() const { return boundaries.front(); }
  const racing::prefix_boundary& end() const { return boundaries.back(); }
};

// Reads the prefixes from a body. `format` is the format of the body: chat, Messages or Responses. Bodies in other
// formats have no prefixes. Do not call this function if the body continues a stored response, because only the
// provider has the beginning of its prompt.
prompt_chain chain_of(const proxy::client_body& body, proxy::wire_format format, const chain_seed& seed);

}  // namespace photofinish::gateway
