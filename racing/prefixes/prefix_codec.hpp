// Encodes and decodes entries of a prefix table. The entries are stored in a file that outlives the process, or sent to
// other gateways. [pure]
#pragma once

#include "proxy/json/sip_state.hpp"
#include "racing/prefixes/prefix_table.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::racing {

// The prefixes that a process has stored. Without the secret key, their hashes are useless.
struct kept_prefixes {
  proxy::hash_key key{};
  std::vector<prefix_entry> entries;
};

std::string encode_prefixes(const kept_prefixes& kept);
// Returns the stored prefixes, or an error text if the bytes are not a valid file. Decodes at most `most` entries.
std::variant<kept_prefixes, std::string> decode_prefixes(std::string_view bytes, std::size_t most);

// The entries that one gateway has written recently. They contain ages instead of times, because the clocks of gateways
// differ.
struct prefix_post {
  std::uint64_t number = 0;  // number of the newest batch; batches are numbered consecutively
  std::vector<std::vector<prefix_entry>> batches;
};

inline constexpr std::size_t most_batches = 2, most_entries_of_batch = 400;

std::string encode_post(const prefix_post& post, prefix_seconds now);
// Returns the entries. Returns an error text if another version has written the bytes, or if they are damaged.
std::variant<prefix_post, std::string> decode_post(std::string_view bytes, prefix_seconds now);

}  // namespace photofinish::racing
