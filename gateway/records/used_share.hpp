// Holds the usage of one request that is added to the usage reports. [pure]
#pragma once

#include "gateway/records/request_use.hpp"
#include "gateway/records/used_amounts.hpp"

#include <cstdint>
#include <string>

namespace photofinish::gateway {

// The caller of a request, and the target that answered it.
struct used_by {
  std::string client, team;  // the names of the client and of its team in metrics
  std::string model;         // the winning target, as provider/model; `_none` if there is no winner
  std::string project;       // the project that the request names; `_none` if the request names none

  auto operator<=>(const used_by&) const = default;
};

struct used_share {
  used_by by;
  used_amounts amounts;
};

// Returns the usage of one request for the usage reports. `requests` is 0 if the request was already counted, otherwise
// 1.
used_amounts amounts_of(const request_use& used, std::uint64_t requests);

}  // namespace photofinish::gateway
