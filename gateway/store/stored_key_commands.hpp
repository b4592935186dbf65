// What is asked of the store for the access keys that it has (docs/decisions/0063). [pure]
// Each change of a key gives it a higher revision: microseconds since 1970 by the store's clock, or the last and one.
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
  static constexpr std::size_t longest_entry = 4096;  // bytes

  explicit stored_key_commands(std::string prefix) : prefix_(std::move(prefix)) {}

  // How many ids there are.
  store_command count() const;
  // The reply is for changes_in(): those from that revision on, the lowest first, behind so many.
  store_command page(std::int64_t from, std::size_t offset) const;
  // The reply is the entry, cut behind longest_entry and one byte more; an empty one where there is none.
  store_command read_entry(std::string_view id) const;
  // The id of the key of that name, or nil.
  store_command find_name(std::string_view name) const;

  struct change {
    std::string id, name;
    std::string before;  // the entry as it was read; empty: there must be none
    std::string entry;   // empty: it is taken out
  };
  // The reply is 1, also where it is so already; 0, where the entry was another one, or where it is to be a new one and
  // another key has the name: nothing is changed then.
  store_command put(const change& wanted) const;

 private:
  std::string prefix_;
};

struct key_revision {
  std::string id;
  std::int64_t revision = 0;
};

// None: it is no such reply. Ids that are none are left out, and revisions that are no whole numbers or above the
// latest.
struct key_changes {
  std::vector<key_revision> all;
  std::size_t members = 0;  // with those that are left out
  std::string first, last;  // of all members, as they stand there
};
std::optional<key_changes> changes_in(const store_reply& reply, std::int64_t latest);

// Letters, digits, '-', '.' and '_', 64 at most.
bool is_stored_key_id(std::string_view text);

}  // namespace photofinish::gateway
