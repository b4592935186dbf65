// Access keys that gateways read from the store they share, unchanged. [pure]
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Tells if the store's keys are known.
enum class stored_keys_state : std::uint8_t {
  awaited,  // the keys have not been read yet
  away,     // the keys cannot be read now; the gateway keeps trying
  known,
};

// One key; its texts are untrusted.
struct stored_key {
  std::string id;            // the public part of the key, such as "pf-k3v9t2m4s6q8"
  std::string entry;         // an entry of the list `access_keys`, as YAML or JSON
  std::string problem = {};  // the reason why the entry could not be read; empty if it could

  bool operator==(const stored_key&) const = default;
};

struct stored_keys {
  stored_keys_state state = stored_keys_state::awaited;
  // Sorted by id; shared, because ten thousand keys take some megabytes.
  std::vector<std::shared_ptr<const stored_key>> all = {};
};

struct left_out_key {
  std::string id, why;

  auto operator<=>(const left_out_key&) const = default;
};

}  // namespace photofinish::gateway
