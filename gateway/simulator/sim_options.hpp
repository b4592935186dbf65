// Defines the options of a simulator, and the state that all its sessions share. Only one thread uses them, except for
// the ledger.
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
  sim_behaviour behaviour;           // the default behaviour, which a request's model name may change
  std::vector<sim_phase> phases;     // the changes of the behaviour over time, counted from the start
  std::uint64_t seed = 1;            // the same seed and the same order of requests give the same answers
  std::string model = "sim-model";   // the answer to GET /models; the simulator also serves any other name
  std::string required_key;          // the bearer token that a request must have; empty if none is required
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
  std::size_t in_hand = 0;  // the number of requests in progress
  // Start times of requests in the last minute, if rpm_limit is set.
  std::deque<std::chrono::steady_clock::time_point> accepted;
  simdjson::dom::parser json;  // a parser, shared for its buffers and used only between two suspensions
};

// Returns the seed of the simulator's request with this number, counted from 1. A request may contain its own seed
// instead.
constexpr std::uint64_t request_seed(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t mixed = seed + number * 0x9E3779B97F4A7C15;  // splitmix64 gives adjacent numbers independent seeds
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

}  // namespace photofinish::gateway::simulator
