// The cached prefixes that a process knows. Contains the table of entries, the secret key for their hashes, and the
// entries to share with other gateways. [pure] A process has one such object. Any thread may call its methods, except
// for some that only the housekeeper may call.
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
  // Makes an empty memory. `key` is random until adopt() replaces it. If the number of slots is 0, nothing is stored.
  prefix_memory(std::size_t slots, const proxy::hash_key& key);

  bool is_used() const { return table_.capacity() > 0; }
  const racing::prefix_table& table() const { return table_; }

  // Returns the key for hashes of prefixes. Hashes that were made with an earlier key match no entry.
  proxy::hash_key key() const;
  // Returns a number for a target and its account. `credential` contains all values that identify the account at the
  // provider.
  racing::prefix_holder holder_of(std::string_view target, std::string_view credential) const;
  // Returns a number for a caller. The table of cached prefixes uses it to limit the number of entries of each caller.
  // `caller` contains all values that identify the caller.
  racing::prefix_caller caller_of(std::string_view caller) const;
  // Returns a hash of a route and of the caller's own provider keys. Two requests can match each other's cached
  // prefixes only if these hashes are equal.
  std::uint64_t scope_of(std::string_view route, std::string_view provider_keys) const;

  void note(const racing::prefix_entry& entry, racing::prefix_seconds now);

  // Only the housekeeper may call the methods that follow.

  // Sets the secret key for the hashes of prefixes. It comes from a file or from other gateways. If it is not the
  // current key, all entries are removed.
  void adopt(const proxy::hash_key& key);
  // Returns the entries and the key as the text of a file. Only the file's owner may be allowed to read it.
  std::string saved(racing::prefix_seconds now) const;
  // Restores the entries from a file's text. Returns an error text, or an empty text.
  std::string restore(std::string_view file, racing::prefix_seconds now);
  // Starts or stops collecting the entries that this gateway writes. take_written() returns the collected entries.
  void share(bool is_shared) { is_shared_.store(is_shared, std::memory_order_relaxed); }
  // Returns at most `most` entries that this gateway has written since the last call, without duplicates and with the
  // newest first.
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
