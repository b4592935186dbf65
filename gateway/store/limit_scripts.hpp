// Builds requests to the store for the limits that gateways share: leases of parts of a bucket, and permits. [pure] The
// store contains each bucket as the time at which it is full again, in microseconds of the store's clock. Amounts are
// also times.
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

  time charge{0};          // the amount that the store subtracts, even if the bucket is empty
  // The requested amount, and the smallest useful amount; the store gives nothing if it has less.
  time want{0}, least{0};
  time unit{0};            // the store leases spare quota in multiples of this amount; 0 for no spare quota
  std::uint64_t gateways = 1;  // the number of gateways that share the spare quota
  std::array<returned, 4> back{};  // the amounts that the gateway returns; it does not send amounts of 0
};

struct lease_reply {
  std::chrono::microseconds given{0}, missing{0};  // the leased amount, and the time until the bucket is full again
};

// Returns the command for a lease from a bucket. `bucket` is a name such as "requests:key:alice".
store_command lease_command(const script_names& scripts, const std::string& prefix, std::string_view bucket,
                            const lease_request& wanted);
// Reads the reply to a lease. Numbers above a limit are reduced. Returns nothing if the reply has another form.
std::optional<lease_reply> lease_in(const store_reply& reply);

// A request for permits for the next ten seconds. The gateway gets as many permits as it wants, up to the number that
// the other gateways have left of `most`. `number` grows with each command of the gateway, so that a command that
// arrives late changes nothing.
struct permit_request {
  std::string gateway;
  std::uint64_t wanted = 0, most = 0, number = 0;
};
store_command permit_command(const script_names& scripts, const std::string& prefix, std::string_view account,
                             const permit_request& wanted);

}  // namespace photofinish::gateway
