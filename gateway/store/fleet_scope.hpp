// Which gateways an answer covers: the whole fleet, or one gateway and why not more. [pure]
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct fleet_member {
  std::string name;          // the setting `instance`; a run's id if the gateway does not share its name
  bool is_running = false;   // it gave a sign of life in the last ten seconds
  bool is_counted = false;   // its part is in the answer

  bool operator==(const fleet_member&) const = default;
};

struct fleet_scope {
  static constexpr std::size_t most_members = 200;

  std::string gateway = {};                 // the only gateway in the answer; empty: all that are counted
  std::vector<fleet_member> members = {};   // the newest state that this gateway has read
  std::string note = {};                    // why the answer is not whole; empty: it is
  bool is_unknown = false;                  // the query names a gateway that this one has never seen
  bool is_unread = false;                   // the query names another gateway, which cannot be read now: see `note`
  // Since when the store cannot be used; none: it can, no store is configured, or it has not been read yet.
  std::optional<std::chrono::sys_seconds> alone_since = {};

  bool operator==(const fleet_scope&) const = default;
};

// A receipt's page from another gateway.
struct fleet_receipt {
  std::string page = {};     // empty: no gateway has answered with one
  std::string trouble = {};  // why not all running gateways have answered; empty: all have, or there is no other
};

}  // namespace photofinish::gateway
