// `photofinish keys … --redis`: access keys in the store that gateways share (docs/decisions/0063).
#pragma once

#include "gateway/commands/keys/key_file.hpp"
#include "gateway/config/config.hpp"

#include <iosfwd>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Each says what it did, or why not, and returns an exit code.

// `key` is the one that the entry has the hash of; it is printed once the store has the entry.
int put_new_key(const new_key_entry& entry, const std::string& key, const config& settings, std::ostream& out,
                std::ostream& err);
// By its name or its public part.
int block_stored_key(std::string_view which, const config& settings, std::ostream& err);
// Likewise.
int change_stored_key(std::string_view which, const entry_changes& changes, const config& settings, std::ostream& err);
int show_stored_key(std::string_view id, const config& settings, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
