// The rules for probes: which targets are probed, when probes may be sent, and how much a probe may cost.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/probes/probe_schedule.hpp"
#include "proxy/failures/failure.hpp"
#include "proxy/providers/prices.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace photofinish::gateway {

// A target needs no probe if at least this many of its answers to clients have reached their first token during the
// last probe interval (`every`).
inline constexpr std::uint64_t enough_samples = 5;
// The maximum number of running client requests per worker during which probes are sent. With more requests, a probe
// would measure the gateway's own load, and increase it.
inline constexpr std::size_t most_requests_a_worker = 8;
// The maximum number of running client attempts at the same provider during which probes are sent. With more attempts,
// the probe waits, because the attempts use the same rate limits.
inline constexpr std::size_t most_beside = 4;

struct probe_plan {
  std::vector<probe_pair> pairs;  // the combinations of a target and a prompt size that are probed; at most most_pairs
  std::vector<std::string> unpriced;  // targets that are not probed, because a probe could have an unlimited cost
};
inline constexpr std::size_t most_pairs = 2'000;

// Plans probes for the targets of routes. The target's provider must have a key in the configuration, or need no key.
// Inference servers on this machine cost nothing, unless the configuration sets a price for them.
probe_plan plan_probes(const config& settings);

struct probe_surroundings {
  // The number of the target's answers that have reached their first token during the last probe interval (`every`).
  // Answers to probes are not counted.
  std::uint64_t clients_samples = 0;
  std::size_t requests = 0;           // the number of client requests that are running
  std::size_t workers = 1;
  std::uint32_t at_target = 0, at_provider = 0;  // the number of running attempts at the target, and at its provider
  bool is_limited = false;  // true if the rate limit of the key is used up
};

enum class probe_verdict { send, not_needed, later };
probe_verdict judge(const probe_surroundings& now);

// Returns the expected cost in nano-dollars, rounded up. A tenth is added, because prompt sizes are approximate.
// Returns 0 if `prices` is null.
std::int64_t expected_nano_usd(const proxy::model_prices* prices, std::size_t input_tokens, std::size_t max_output,
                               std::chrono::sys_seconds when);

// Converts dollars to nano-dollars. Limits the result to a billion dollars, because a provider may report any number of
// tokens.
std::int64_t nano_usd_of(double usd);

// True if a failed probe may have cost something although the provider reported no usage. This is possible if the probe
// was cut off or the connection broke.
bool may_be_billed(const proxy::failure& why);

}  // namespace photofinish::gateway
