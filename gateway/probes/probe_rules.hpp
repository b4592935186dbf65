// The rules for probes: which targets are probed, whether now is a suitable time, and what a probe may cost.
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

// The number of first tokens for clients in the last `every` from which a target is known well enough without a probe.
inline constexpr std::uint64_t enough_samples = 5;
// The limit of running client requests per worker. With more requests, a probe would measure the gateway's own load,
// and increase it.
inline constexpr std::size_t most_requests_a_worker = 8;
// The limit of running client attempts at the same provider. With more attempts a probe waits, because the same rate
// limits apply to it.
inline constexpr std::size_t most_beside = 4;

struct probe_plan {
  std::vector<probe_pair> pairs;  // each target with each prompt size; at most most_pairs
  std::vector<std::string> unpriced;  // targets that are left out, because the cost of a probe could be unlimited
};
inline constexpr std::size_t most_pairs = 2'000;

// Plans probes for the targets of routes whose provider has a key in the configuration or needs none. Engines on this
// machine cost nothing, unless the configuration has a price for them.
probe_plan plan_probes(const config& settings);

struct probe_surroundings {
  // The number of the target's first tokens in the last `every`, without the first tokens of probes.
  std::uint64_t clients_samples = 0;
  std::size_t requests = 0;           // number of running client requests
  std::size_t workers = 1;
  std::uint32_t at_target = 0, at_provider = 0;  // number of attempts that run at the target, and at its provider
  bool is_limited = false;  // true if the key's rate limit is used up
};

enum class probe_verdict { send, not_needed, later };
probe_verdict judge(const probe_surroundings& now);

// Returns the expected cost in nano-dollars, rounded up. The result includes an extra tenth, because prompt sizes are
// approximate. Returns 0 if `prices` is null.
std::int64_t expected_nano_usd(const proxy::model_prices* prices, std::size_t input_tokens, std::size_t max_output,
                               std::chrono::sys_seconds when);

// Converts dollars to nano-dollars. The result is at most a billion dollars, because a provider may report any number
// of tokens.
std::int64_t nano_usd_of(double usd);

// True if a failed probe may have cost something. The probe was cut or broke off, so the provider reported no usage.
bool may_be_billed(const proxy::failure& why);

}  // namespace photofinish::gateway
