// Builds requests to the store about the access keys in it (docs/decisions/0063). Each change gives a key a higher
// revision. The revision is the store's time in microseconds since 1970, or the last revision plus one. [pure]
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

  // Requests the number of key ids in the store.
  store_command count() const;
  // Requests changes of keys. The reply contains the changes whose revision is at least `from`, in ascending order,
  // without the first `offset` changes. changes_in() reads this reply.
  store_command page(std::int64_t from, std::size_t offset) const;
  // Requests the entry of a key. If there is no entry, the reply is empty. The store sends at most one byte more than
  // longest_entry, which is enough to detect an entry that is too long.
  store_command read_entry(std::string_view id) const;
  // Requests the id of the key with this name. The reply is nil if no key has this name.
  store_command find_name(std::string_view name) const;

  struct change {
    std::string id, name;
    std::string before;  // the entry before the change; empty if the key must not exist yet
    std::string entry;   // the key's entry after the change; empty to remove the key
  };
  // Changes a key's entry. The reply is 1 if the entry now has the requested value, even if it had the value before.
  // The reply is 0 and nothing changes in two cases. Either the old entry was not `before`, or the entry is new and its
  // name belongs to another key.
  store_command put(const change& wanted) const;

 private:
  std::string prefix_;
};

struct key_revision {
  std::string id;
  std::int64_t revision = 0;
};

// A page of changes. The parser skips ids and revisions that are invalid, and revisions that are too large. It returns
// nothing if the reply does not have the expected form.
struct key_changes {
  std::vector<key_revision> all;
  std::size_t members = 0;  // the number of changes in the reply, including skipped changes
  std::string first, last;  // the first and the last change in the reply, including skipped changes
};
std::optional<key_changes> changes_in(const store_reply& reply, std::int64_t latest);

// Returns true if the text is a valid key id: 1 to 64 letters, digits, '-', '.' and '_'.
bool is_stored_key_id(std::string_view text);

}  // namespace photofinish::gateway
