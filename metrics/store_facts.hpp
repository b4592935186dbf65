// What is shown of a store that several gateways share. Of one thread, which also renders the page.
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
  bool is_used = false;      // none of it is shown otherwise
  bool is_up = false;        // it answered the last time, or failed fewer than three times since
  bool is_degraded = false;  // limits are not shared now
  std::uint64_t replicas = 0;
  std::uint64_t access_keys = 0;  // that it has
  std::uint64_t budgets_restored = 0;
  std::uint64_t answered_waits = 0, late_waits = 0;  // of requests, for limits that are leased
  histogram<names::store_call_seconds> calls = {};
  std::array<std::uint64_t, store_error_words.size()> errors{};
};

}  // namespace photofinish::metrics
