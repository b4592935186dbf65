// `photofinish keys … --redis`: access keys in the store that gateways share (docs/decisions/0063).
#pragma once

#include "gateway/commands/keys/key_file.hpp"
#include "gateway/config/config.hpp"

#include <iosfwd>
#include <string>

namespace photofinish::gateway {

inline constexpr int keys_wrong_usage = 2;

// Each says what it did, or why not, and returns an exit code.

// `key` is the one that the entry has the hash of; it is printed once the store has the entry.
int put_new_key(const new_key_entry& entry, const std::string& key, const config& settings, std::ostream& out,
                std::ostream& err);
// One that the store has.
struct key_reference {
  std::string text;      // its name, or its public part
  std::string key = {};  // where the key itself is there: no other one may be meant
};
int block_stored_key(const key_reference& which, const config& settings, std::ostream& err);
int change_stored_key(const key_reference& which, const entry_changes& changes, const config& settings,
                      std::ostream& err);
int show_stored_key(const key_reference& which, const config& settings, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
