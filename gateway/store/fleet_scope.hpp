// Lists the gateways whose data an answer contains. If the answer lacks the data of other gateways, also gives the
// reason. [pure]
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct fleet_member {
  // The value of the setting `instance`. If the gateway's version is too old to report it, the id of its process.
  std::string name;
  bool is_running = false;   // true if the gateway has shown within the last ten seconds that it is running
  bool is_counted = false;   // true if the answer contains the data of this gateway

  bool operator==(const fleet_member&) const = default;
};

struct fleet_scope {
  static constexpr std::size_t most_members = 200;

  // The only gateway whose data the answer contains. If empty, the answer contains the data of every gateway whose
  // `is_counted` is true.
  std::string gateway = {};
  std::vector<fleet_member> members = {};   // the list of gateways that was last read from the store
  std::string note = {};                    // the reason why the answer is incomplete; empty if it is complete
  bool is_unknown = false;                  // true if the request asks for the data of an unknown gateway
  // True if the request asks for the data of another gateway that cannot be read now. In that case, `note` contains the
  // reason.
  bool is_unread = false;
  // The time when this gateway lost its connection to the store. Empty if the store works, was not used yet, or is not
  // configured.
  std::optional<std::chrono::sys_seconds> alone_since = {};

  bool operator==(const fleet_scope&) const = default;
};

// A race's receipt that another gateway has sent as a finished page.
struct fleet_receipt {
  std::string page = {};     // the receipt as a finished page; empty if no gateway has sent the receipt
  // The reason why some running gateways have not answered. Empty if all have answered, or if no other gateway is
  // running.
  std::string trouble = {};
};

}  // namespace photofinish::gateway
