// The metrics of a store that several gateways share. The thread that writes these metrics also renders the page.
#pragma once

#include "metrics/cells.hpp"
#include "metrics/names.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace photofinish::metrics {

inline constexpr std::array<std::string_view, 10> store_error_words{
    "connect", "tls", "timeout", "protocol", "auth", "permission", "full", "not_ready", "scripts", "refused"};

struct store_facts {
  bool is_used = false;      // if false, no metrics of the store are shown
  bool is_up = false;        // true if the last call of the store succeeded, or if fewer than three calls have failed
                             // since the last success
  bool is_degraded = false;  // true while the gateways do not share their limits
  std::uint64_t replicas = 0;
  std::uint64_t access_keys = 0;  // number of access keys in the store
  std::uint64_t budgets_restored = 0;
  // The numbers of requests that waited until the store leased a part of a shared limit to this gateway.
  // `answered_waits` counts the requests for which the lease arrived in time, and `late_waits` the other requests.
  std::uint64_t answered_waits = 0, late_waits = 0;
  histogram<names::store_call_seconds> calls = {};
  std::array<std::uint64_t, store_error_words.size()> errors{};
};

}  // namespace photofinish::metrics
