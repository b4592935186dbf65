// Lists the gateways that an answer covers, and the reason if it covers only one. [pure]
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct fleet_member {
  std::string name;          // the setting `instance`, or a run's id if the gateway does not share its name
  bool is_running = false;   // true if the gateway gave a sign of life in the last ten seconds
  bool is_counted = false;   // true if the answer contains this gateway's part

  bool operator==(const fleet_member&) const = default;
};

struct fleet_scope {
  static constexpr std::size_t most_members = 200;

  std::string gateway = {};                 // the only gateway in the answer; empty if it covers all counted gateways
  std::vector<fleet_member> members = {};   // the newest list of gateways that this gateway has read
  std::string note = {};                    // the reason why the answer is incomplete; empty if it is complete
  bool is_unknown = false;                  // true if the query names a gateway that this gateway has never seen
  // True if the query names another gateway that cannot be read now; `note` contains the reason.
  bool is_unread = false;
  // The time since when this gateway cannot use the store. Empty if the store works, was not read yet, or is not
  // configured.
  std::optional<std::chrono::sys_seconds> alone_since = {};

  bool operator==(const fleet_scope&) const = default;
};

// A receipt's page from another gateway.
struct fleet_receipt {
  std::string page = {};     // the page; empty if no gateway has answered with a page
  // The reason why not all running gateways have answered. Empty if all have answered, or if there is no other gateway.
  std::string trouble = {};
};

}  // namespace photofinish::gateway
