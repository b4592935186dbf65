// What is probed, whether now is the time for it, and what it may cost.
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

// As many first tokens of clients in the last `every`: what is known of a target needs no probe.
inline constexpr std::uint64_t enough_samples = 5;
// Requests of clients for each worker: above it a probe would measure the gateway's own load, and add to it.
inline constexpr std::size_t most_requests_a_worker = 8;
// Attempts of clients at the same provider: a probe takes from the same key's rate limits.
inline constexpr std::size_t most_beside = 4;

struct probe_plan {
  std::vector<probe_pair> pairs;  // each target with each size; at most most_pairs
  std::vector<std::string> unpriced;  // targets that are left out: what they cost cannot be bounded
};
inline constexpr std::size_t most_pairs = 2'000;

// The targets of routes whose provider has a key of the configuration's, or needs none. Engines on this machine cost
// nothing, where the configuration says nothing else.
probe_plan plan_probes(const config& settings);

struct probe_surroundings {
  std::uint64_t clients_samples = 0;  // first tokens of that target in the last `every`, without probes'
  std::size_t requests = 0;           // of clients, that run now
  std::size_t workers = 1;
  std::uint32_t at_target = 0, at_provider = 0;  // attempts that run there now
  bool is_limited = false;  // the key's rate limit is used up
};

enum class probe_verdict { send, not_needed, later };
probe_verdict judge(const probe_surroundings& now);

// In whole nano-dollars, upwards; with a tenth more, as sizes of prompts are about. `prices` null: nothing.
std::int64_t expected_nano_usd(const proxy::model_prices* prices, std::size_t input_tokens, std::size_t max_output,
                               std::chrono::sys_seconds when);

// The same of any sum, at most a billion dollars: a provider may report any number of tokens.
std::int64_t nano_usd_of(double usd);

// Whether a probe that ended so may have cost something although no answer says how much: it was cut, or broke off.
bool may_be_billed(const proxy::failure& why);

}  // namespace photofinish::gateway
