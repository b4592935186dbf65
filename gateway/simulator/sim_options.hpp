// Defines the options of a simulator, and the state that all its sessions share. Only one thread uses this state, but
// any thread may read the ledger.
#pragma once

#include "gateway/simulator/plan/behaviour.hpp"
#include "gateway/simulator/ledger.hpp"
#include "gateway/simulator/plan/phases.hpp"
#include "gateway/simulator/prompts/prompt_cache.hpp"

#include <simdjson.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway::simulator {

struct sim_options {
  sim_behaviour behaviour;           // the default behaviour; settings after a request's model name may change it
  std::vector<sim_phase> phases;     // the phases in which the behaviour changes, counted from the simulator's start
  std::uint64_t seed = 1;            // the seed; the same seed and the same order of requests give the same answers
  // The model in the answer to GET /models; the simulator also accepts any other name.
  std::string model = "sim-model";
  std::string required_key;          // the bearer token that a request must contain; empty if none is required
  std::size_t kept_records = 256;
  std::size_t max_body_bytes = 64u << 20;
};

struct sim_shared {
  explicit sim_shared(sim_options given)
      : options(std::move(given)), ledger(options.kept_records), prompts(options.seed) {}

  const sim_options options;
  sim_ledger ledger;
  prompt_cache prompts;
  const std::chrono::steady_clock::time_point started_at = std::chrono::steady_clock::now();
  std::size_t in_hand = 0;  // the number of requests that are being answered
  // The start times of requests in the last minute, if rpm_limit is set.
  std::deque<std::chrono::steady_clock::time_point> accepted;
  // A JSON parser that all sessions share for its buffers. A session uses it only between two suspensions of its
  // coroutine.
  simdjson::dom::parser json;
};

// Returns the seed of a simulator's request. `number` is counted from 1. A request may contain a seed of its own
// instead.
constexpr std::uint64_t request_seed(std::uint64_t seed, std::uint64_t number) {
  // Splitmix64 gives adjacent request numbers independent seeds.
  std::uint64_t mixed = seed + number * 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

}  // namespace photofinish::gateway::simulator
