// Requests to the store about the access keys that it holds (docs/decisions/0063). [pure]
// Each change gives a key a higher revision: microseconds since 1970 by the store's clock, or the last revision plus
// one.
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

  // Asks for the number of ids.
  store_command count() const;
  // changes_in() reads the reply: the changes from that revision on, the lowest first, after skipping as many as given.
  store_command page(std::int64_t from, std::size_t offset) const;
  // The reply is the entry, cut one byte after longest_entry. It is empty if there is no entry.
  store_command read_entry(std::string_view id) const;
  // The reply is the id of the key with that name, or nil.
  store_command find_name(std::string_view name) const;

  struct change {
    std::string id, name;
    std::string before;  // the entry as it was read; empty: no entry may exist
    std::string entry;   // empty: the entry is removed
  };
  // The reply is 1 if the entry is now as wanted, even if it was so before. It is 0, and nothing changes, if another
  // entry was there, or if the entry is new and another key has the name.
  store_command put(const change& wanted) const;

 private:
  std::string prefix_;
};

struct key_revision {
  std::string id;
  std::int64_t revision = 0;
};

// A page of changes. Parsing returns nothing if the reply has another form. It skips invalid ids and invalid or too
// large revisions.
struct key_changes {
  std::vector<key_revision> all;
  std::size_t members = 0;  // includes the skipped members
  std::string first, last;  // the first and the last member of the reply, skipped or not
};
std::optional<key_changes> changes_in(const store_reply& reply, std::int64_t latest);

// True for at most 64 letters, digits, '-', '.' and '_'.
bool is_stored_key_id(std::string_view text);

}  // namespace photofinish::gateway
