// Access keys that gateways read from the store they share, as they came. [pure]
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {

// What is known of them.
enum class stored_keys_state : std::uint8_t {
  awaited,  // they have not been read yet
  away,     // nor can they be: the store is asked on
  known,
};

// Of one; a stranger's text.
struct stored_key {
  std::string id;            // what of the key may be shown, as "pf-k3v9t2m4s6q8"
  std::string entry;         // of the list `access_keys`, as YAML or JSON
  std::string problem = {};  // why the entry could not be read; empty: it was

  bool operator==(const stored_key&) const = default;
};

struct stored_keys {
  stored_keys_state state = stored_keys_state::awaited;
  std::vector<std::shared_ptr<const stored_key>> all = {};  // by id; ten thousand are some megabytes, and shared
};

struct left_out_key {
  std::string id, why;

  auto operator<=>(const left_out_key&) const = default;
};

}  // namespace photofinish::gateway
