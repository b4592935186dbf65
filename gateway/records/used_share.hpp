// What one request adds to the reports of what was used. [pure]
#pragma once

#include "gateway/records/request_use.hpp"

#include <cstdint>
#include <string>

namespace photofinish::gateway {

// Whose it is and where it went.
struct used_by {
  std::string client, team;  // metrics' labels
  std::string model;         // the winner, provider/model; `_none` where there was none

  auto operator<=>(const used_by&) const = default;
};

struct used_amounts {
  std::uint64_t requests = 0;
  std::uint64_t input_tokens = 0, output_tokens = 0;            // of winners
  std::uint64_t lost_input_tokens = 0, lost_output_tokens = 0;  // of attempts that lost, as they may be billed
  std::uint64_t nano_usd = 0, lost_nano_usd = 0;

  bool operator==(const used_amounts&) const = default;
  void add(const used_amounts& more);
};

struct used_share {
  used_by by;
  used_amounts amounts;
};

// `requests`: 0 where it was counted before.
used_amounts amounts_of(const request_use& used, std::uint64_t requests);

}  // namespace photofinish::gateway
