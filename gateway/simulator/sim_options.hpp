// Defines the options of a simulator, and the state that all its sessions share. Only one thread uses this state,
// except that any thread may read the ledger.
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
  // The default behaviour; a request may change it by settings after its model's name.
  sim_behaviour behaviour;
  std::vector<sim_phase> phases;     // the phases, counted from the start of the simulator
  // The seed for random numbers. The same seed and the same order of requests give the same answers.
  std::uint64_t seed = 1;
  // The model that GET /models returns. Requests may use any other name.
  std::string model = "sim-model";
  std::string required_key;          // the bearer token that each request must contain; empty if no token is needed
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
  // The start times of the requests in the last minute, recorded only if rpm_limit is set.
  std::deque<std::chrono::steady_clock::time_point> accepted;
  // A JSON parser whose buffers all sessions share. A session must finish using it before the session's coroutine is
  // suspended.
  simdjson::dom::parser json;
};

// Returns the seed for a request. `number` counts the simulator's requests from 1. A request may contain its own seed,
// which then applies instead.
constexpr std::uint64_t request_seed(std::uint64_t seed, std::uint64_t number) {
  // Splitmix64 makes the seeds of consecutive numbers independent.
  std::uint64_t mixed = seed + number * 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

}  // namespace photofinish::gateway::simulator
