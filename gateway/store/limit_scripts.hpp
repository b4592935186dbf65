// Builds requests to the store for the limits that several gateways share. A gateway uses these requests to lease a
// part of a bucket, or to get permits for parallel requests. The store represents a bucket as the time when the bucket
// will be full again, in microseconds of the store's clock. Amounts are measured in the time that the bucket needs to
// refill them. [pure]
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

  time charge{0};          // the amount to subtract even if the bucket is empty
  // The amount that the gateway wants, and the smallest amount that is useful. If the bucket contains less than the
  // smallest amount, the gateway gets nothing.
  time want{0}, least{0};
  time unit{0};            // the store leases quota in advance in multiples of this amount; 0 for no lease in advance
  std::uint64_t gateways = 1;  // the number of gateways that share the bucket
  std::array<returned, 4> back{};  // the amounts that the gateway returns; amounts of 0 are not sent
};

struct lease_reply {
  std::chrono::microseconds given{0}, missing{0};  // the leased amount, and the time until the bucket will be full
};

// Returns the command for a lease from a bucket. `bucket` is a name such as "requests:key:alice".
store_command lease_command(const script_names& scripts, const std::string& prefix, std::string_view bucket,
                            const lease_request& wanted);
// Reads the reply to a lease. Reduces numbers that are too large. Returns nothing if the reply does not have the
// expected form.
std::optional<lease_reply> lease_in(const store_reply& reply);

// A request for permits for the next ten seconds. All gateways together get at most `most` permits. A gateway gets as
// many as it wants, if the other gateways have left enough. `number` grows with each command of the gateway. Therefore
// the store can ignore a command that arrives late.
struct permit_request {
  std::string gateway;
  std::uint64_t wanted = 0, most = 0, number = 0;
};
store_command permit_command(const script_names& scripts, const std::string& prefix, std::string_view account,
                             const permit_request& wanted);

}  // namespace photofinish::gateway
