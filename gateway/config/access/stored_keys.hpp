// The access keys that gateways read from their shared store. [pure]
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Shows whether this gateway has read the access keys in the shared store.
enum class stored_keys_state : std::uint8_t {
  awaited,  // the gateway has not read the store's keys yet
  away,     // the gateway cannot read the store's keys at the moment, but continues to try
  known,
};

// A key in the store. Its texts are untrusted.
struct stored_key {
  std::string id;            // the public part of the key, such as "pf-k3v9t2m4s6q8"
  std::string entry;         // the key in the form of an entry of `access_keys`, as YAML or JSON
  std::string problem = {};  // the reason why the entry could not be read; empty if it was read

  bool operator==(const stored_key&) const = default;
};

struct stored_keys {
  stored_keys_state state = stored_keys_state::awaited;
  // The keys, sorted by id. They are shared pointers, because copies of ten thousand keys would take several megabytes.
  std::vector<std::shared_ptr<const stored_key>> all = {};
};

struct left_out_key {
  std::string id, why;

  auto operator<=>(const left_out_key&) const = default;
};

}  // namespace photofinish::gateway
