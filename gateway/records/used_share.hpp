// What one request adds to the reports of what was used. [pure]
#pragma once

#include "gateway/records/request_use.hpp"
#include "gateway/records/used_amounts.hpp"

#include <cstdint>
#include <string>

namespace photofinish::gateway {

// Whose it is and where it went.
struct used_by {
  std::string client, team;  // metrics' labels
  std::string model;         // the winner, provider/model; `_none` where there was none
  std::string project;       // that the request named; `_none` where it named none

  auto operator<=>(const used_by&) const = default;
};

struct used_share {
  used_by by;
  used_amounts amounts;
};

// `requests`: 0 where it was counted before.
used_amounts amounts_of(const request_use& used, std::uint64_t requests);

}  // namespace photofinish::gateway
