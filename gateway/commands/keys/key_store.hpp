// `photofinish keys … --redis`: manages access keys in the shared store (docs/decisions/0063).
#pragma once

#include "gateway/commands/keys/key_file.hpp"
#include "gateway/config/config.hpp"

#include <iosfwd>
#include <string>

namespace photofinish::gateway {

inline constexpr int keys_wrong_usage = 2;

// Each of these functions prints its result or an error, and returns the exit code.

// Stores an entry with the hash of `key`. Prints the key after the store has accepted the entry.
int put_new_key(const new_key_entry& entry, const std::string& key, const config& settings, std::ostream& out,
                std::ostream& err);
// The text by which a user identifies a key in the store.
struct key_reference {
  std::string text;      // the key's name or the key's public part
  // If set, the command changes only the entry of exactly this key, and not the entry of another key with the same
  // name.
  std::string key = {};
};
int block_stored_key(const key_reference& which, const config& settings, std::ostream& err);
int change_stored_key(const key_reference& which, const entry_changes& changes, const config& settings,
                      std::ostream& err);
int show_stored_key(const key_reference& which, const config& settings, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
