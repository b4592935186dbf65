// Lists the gateways whose data an answer contains. Gives the reason if the answer has the data of only one gateway.
// [pure]
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct fleet_member {
  // The value of the setting `instance`, or the id of the gateway's run if the gateway does not share its name.
  std::string name;
  bool is_running = false;   // true if the gateway gave a sign of life in the last ten seconds
  bool is_counted = false;   // true if the answer contains this gateway's data

  bool operator==(const fleet_member&) const = default;
};

struct fleet_scope {
  static constexpr std::size_t most_members = 200;

  // The only gateway whose data the answer contains; empty if it contains the data of all counted gateways.
  std::string gateway = {};
  std::vector<fleet_member> members = {};   // the latest list of gateways in the store
  std::string note = {};                    // the reason why the answer is incomplete; empty if it is complete
  bool is_unknown = false;                  // true if the query names an unknown gateway
  // True if the query names another gateway whose data cannot be read now; `note` contains the reason.
  bool is_unread = false;
  // The time since when this gateway cannot use the store. Empty if the store works, was not used yet, or is not
  // configured.
  std::optional<std::chrono::sys_seconds> alone_since = {};

  bool operator==(const fleet_scope&) const = default;
};

// The page with a receipt that another gateway has sent.
struct fleet_receipt {
  std::string page = {};     // the page with the receipt; empty if no gateway has answered with a page
  // The reason why some running gateways have not answered. Empty if all have answered, or if no other gateway runs.
  std::string trouble = {};
};

}  // namespace photofinish::gateway
