// How a simulator is set up, and what all its sessions share. One thread, the ledger excepted.
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
  sim_behaviour behaviour;           // what a request's model name may change
  std::vector<sim_phase> phases;     // what changes it with time, counted from the start
  std::uint64_t seed = 1;            // the same seed and order of requests: the same answers
  std::string model = "sim-model";   // what GET /models tells; any other name is answered as well
  std::string required_key;          // the bearer token a request must carry; empty: none
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
  std::size_t in_hand = 0;  // requests that are being answered
  std::deque<std::chrono::steady_clock::time_point> accepted;  // of the last minute, where rpm_limit holds
  simdjson::dom::parser json;  // one, for its buffers; used between two suspensions only
};

// The seed of a simulator's request number `number`, counted from 1, unless the request brings its own.
constexpr std::uint64_t request_seed(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t mixed = seed + number * 0x9E3779B97F4A7C15;  // splitmix64: neighbours share nothing
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

}  // namespace photofinish::gateway::simulator
