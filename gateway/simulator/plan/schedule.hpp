// Makes a schedule: the random actions of a simulated provider for one request, and their times. A schedule never
// changes later. [pure] This file neither waits nor sends; sim_session.hpp carries out the schedule.
#pragma once

#include "gateway/simulator/plan/behaviour.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::simulator {

using sim_engine = std::mt19937_64;

enum class step_kind {
  role,         // the first chunk, which has a role but no token
  reasoning,    // tokens
  content,      // tokens
  tool_name,    // starts a tool call, whose arguments follow immediately
  arguments,    // tokens
  finish,       // sends the finish_reason
  usage,        // sends the usage chunk
  done,         // sends [DONE] and the end of the body
  refuse,       // sends an error status instead of a stream
  silence,      // sends no more bytes until the client leaves
  reset,        // a TCP reset
  close,        // sends a FIN in the middle of the body
  error_event,  // sends an error in the response with status 200, and ends the body
};

struct sim_step {
  step_kind kind = step_kind::content;
  microseconds at{0};        // the time of the step, counted from the end of the request
  std::uint32_t tokens = 0;  // the number of tokens in this chunk
  std::size_t text_from = 0;
  std::size_t text_size = 0;
};

struct sim_schedule {
  std::vector<sim_step> steps;  // the steps in time order; the last step ends the answer
  std::string text;             // the text of all chunks in the order of the chunks
  microseconds ttft{0};         // the random time to the first token; a refused or hanging answer has no first token
  std::optional<double> queue_share;   // the share of the time to the first token that the usage reports as queue time
  std::uint32_t reasoning_tokens = 0;  // the number of reasoning tokens in the whole answer, even if the answer is cut
  std::uint32_t output_tokens = 0;     // without reasoning
  std::string_view finish_reason;

  std::string_view text_of(const sim_step& step) const {
    return std::string_view(text).substr(step.text_from, step.text_size);
  }
  std::uint32_t tokens_sent() const;      // returns the number of tokens in all steps together
  std::string text_of(step_kind kind) const;  // returns the joined text of all chunks of the given kind
};

// The limits that a request sets for its answer.
struct sim_params {
  std::optional<std::uint64_t> max_tokens;  // including reasoning
  bool include_usage = false;
};

// Makes a random schedule. The same behaviour, parameters and engine state give the same schedule.
sim_schedule draw_schedule(const sim_behaviour& behaviour, sim_engine& engine, const sim_params& params = {});

}  // namespace photofinish::gateway::simulator
