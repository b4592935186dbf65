// Builds requests to the store about access keys in the store (docs/decisions/0063). [pure] Each change gives a key a
// higher revision: microseconds since 1970 by the store's clock, or the last revision plus one.
#pragma once

#include "gateway/store/store_reply.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

class stored_key_commands {
 public:
  static constexpr std::size_t most_in_a_page = 500;
  static constexpr std::size_t longest_entry = 4096;  // in bytes

  explicit stored_key_commands(std::string prefix) : prefix_(std::move(prefix)) {}

  // Asks for the number of key ids in the store.
  store_command count() const;
  // Asks for changes of keys. The reply contains the changes from the revision `from` on, the lowest revision first,
  // after `offset` changes were skipped. changes_in() reads it.
  store_command page(std::int64_t from, std::size_t offset) const;
  // Asks for a key's entry. The reply is at most one byte longer than longest_entry. It is empty if there is no entry.
  store_command read_entry(std::string_view id) const;
  // Asks for a key by its name. The reply is the key's id, or nil if no key has this name.
  store_command find_name(std::string_view name) const;

  struct change {
    std::string id, name;
    std::string before;  // the entry before the change; empty if the key must be new
    std::string entry;   // the entry after the change; empty if the key is removed
  };
  // Changes a key's entry. The reply is 1 if the entry has the requested value, even if it had this value before. The
  // reply is 0, and nothing changes, if there was another entry, or if the entry is new and another key has the name.
  store_command put(const change& wanted) const;

 private:
  std::string prefix_;
};

struct key_revision {
  std::string id;
  std::int64_t revision = 0;
};

// A page of changes. The parser skips invalid ids, and revisions that are invalid or too large. It returns nothing if
// the reply has another form.
struct key_changes {
  std::vector<key_revision> all;
  std::size_t members = 0;  // the number of changes in the reply, including skipped changes
  std::string first, last;  // the first and the last change in the reply, including skipped changes
};
std::optional<key_changes> changes_in(const store_reply& reply, std::int64_t latest);

// Returns true if the text is a valid key id: 1 to 64 letters, digits, '-', '.' and '_'.
bool is_stored_key_id(std::string_view text);

}  // namespace photofinish::gateway
