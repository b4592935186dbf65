// The prefixes that a process knows: the table, the secret key of its hashes, and the entries to share. [pure] A
// process has one such object. Any thread may call all methods, except the methods that only the housekeeper may call.
#pragma once

#include "gateway/prefixes/prefix_log.hpp"
#include "proxy/json/sip_state.hpp"
#include "racing/prefixes/prefix_table.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

class prefix_memory {
 public:
  // Makes the memory of prefixes. `key` is random until adopt() replaces it. Without slots nothing is stored.
  prefix_memory(std::size_t slots, const proxy::hash_key& key);

  bool is_used() const { return table_.capacity() > 0; }
  const racing::prefix_table& table() const { return table_; }

  // Returns the key for the hashes of chains. Hashes with an earlier key match no entry.
  proxy::hash_key key() const;
  // Returns the number that identifies a target together with its account. `credential` has all values that identify
  // the account at the provider.
  racing::prefix_holder holder_of(std::string_view target, std::string_view credential) const;
  // Returns the number under which the table counts the caller's entries. `caller` has all values that identify the
  // caller.
  racing::prefix_caller caller_of(std::string_view caller) const;
  // Returns the scope for chain_seed. Callers with different provider keys, and requests to different routes, do not
  // match each other's prefixes.
  std::uint64_t scope_of(std::string_view route, std::string_view provider_keys) const;

  void note(const racing::prefix_entry& entry, racing::prefix_seconds now);

  // Only the housekeeper calls the methods after this line.

  // Sets the key to the key from a file or from other gateways. If it differs from the present key, the table is
  // emptied.
  void adopt(const proxy::hash_key& key);
  // Returns the entries together with the key, for a file that only its owner may read.
  std::string saved(racing::prefix_seconds now) const;
  // Restores saved entries. Returns the problem of the file, or an empty text.
  std::string restore(std::string_view file, racing::prefix_seconds now);
  // Turns the collection of written entries on or off. take_written() returns the collected entries.
  void share(bool is_shared) { is_shared_.store(is_shared, std::memory_order_relaxed); }
  // Returns the entries that this gateway has written since the last call: without duplicates, the newest first, and at
  // most `most`.
  std::vector<racing::prefix_entry> take_written(std::size_t most);
  void note_of_replica(const racing::prefix_entry& entry, racing::prefix_seconds now);

 private:
  std::uint64_t print_of(std::string_view name, std::string_view secret) const;

  racing::prefix_table table_;
  std::array<std::atomic<std::uint64_t>, 2> key_;
  std::atomic<bool> is_shared_ = false;
  prefix_log written_;
};

}  // namespace photofinish::gateway
