// The prefixes that a process knows: the table, the secret key of its hashes, and what is to be shared. [pure]
// One for the process. All methods may be called by any thread, except those that are said to be the housekeeper's.
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
  // `key`: random; see adopt(). No slots: nothing is remembered.
  prefix_memory(std::size_t slots, const proxy::hash_key& key);

  bool is_used() const { return table_.capacity() > 0; }
  const racing::prefix_table& table() const { return table_; }

  // The key of chains. Hashes by an earlier key are found by none.
  proxy::hash_key key() const;
  // A target as it is asked: its name and all that says whose account it is.
  racing::prefix_holder holder_of(std::string_view target, std::string_view credential) const;
  // Whose share of the table a request uses: all that says who its caller is.
  racing::prefix_caller caller_of(std::string_view caller) const;
  // For chain_seed. Callers with other provider keys, and requests to other routes, find none of each other's prefixes.
  std::uint64_t scope_of(std::string_view route, std::string_view provider_keys) const;

  void note(const racing::prefix_entry& entry, racing::prefix_seconds now);

  // --- the housekeeper's
  // Takes the key of a file or of a fleet. The table is emptied if it is another key.
  void adopt(const proxy::hash_key& key);
  // With its key, for a file that only its owner may read.
  std::string saved(racing::prefix_seconds now) const;
  // What is wrong with the file; empty: nothing.
  std::string restore(std::string_view file, racing::prefix_seconds now);
  // From now on written entries are kept for taking, or no more.
  void share(bool is_shared) { is_shared_.store(is_shared, std::memory_order_relaxed); }
  // Entries that were written here since the last call: each once, the newest first, and no more than `most`.
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
