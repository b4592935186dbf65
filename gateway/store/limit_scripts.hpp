// What is asked of the store for limits that gateways share: slices of buckets, and permits. [pure]
// A bucket is the time at which it is full again, in microseconds of the store's clock; amounts are times, too.
#pragma once

#include "gateway/store/store_scripts.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct lease_request {
  using time = std::chrono::microseconds;
  struct returned {
    time amount{0}, taken_ago{0};
  };

  time charge{0};          // taken without asking: subtracted whatever there is
  time want{0}, least{0};  // with less than `least` nothing is given
  time unit{0};            // spare is given in whole ones; 0: none
  std::uint64_t gateways = 1;  // that the spare is for
  std::array<returned, 4> back{};  // those of 0 are not sent
};

struct lease_reply {
  std::chrono::microseconds given{0}, missing{0};  // missing: until the bucket is full
};

// `bucket`: "requests:key:alice".
store_command lease_command(const script_names& scripts, const std::string& prefix, std::string_view bucket,
                            const lease_request& wanted);
// None: it is no such reply. Bounded.
std::optional<lease_reply> lease_in(const store_reply& reply);

// How many of `most` places this gateway holds from now on, for ten seconds: as many as wanted, or as others have left.
// `number` grows with each command of the gateway: one that comes late changes nothing.
struct permit_request {
  std::string gateway;
  std::uint64_t wanted = 0, most = 0, number = 0;
};
store_command permit_command(const script_names& scripts, const std::string& prefix, std::string_view account,
                             const permit_request& wanted);

}  // namespace photofinish::gateway
