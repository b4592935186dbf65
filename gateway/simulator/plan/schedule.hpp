// Makes a schedule: what a simulated provider sends for one request, and when. The schedule is random, but never
// changes later. The code in this file neither waits nor sends. sim_session.hpp follows the schedule. [pure]
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
  role,         // the first chunk, which contains a role but no token
  reasoning,    // tokens
  content,      // tokens
  tool_name,    // the start of a tool call; its arguments follow immediately
  arguments,    // tokens
  finish,       // sends the finish_reason
  usage,        // sends the usage chunk
  done,         // sends [DONE] and the end of the body
  refuse,       // sends an error status instead of a stream
  silence,      // sends no more bytes, and waits until the client disconnects
  reset,        // a TCP reset
  close,        // closes the connection in the middle of the body
  error_event,  // sends an error in a response with status 200, and ends the body
};

struct sim_step {
  step_kind kind = step_kind::content;
  microseconds at{0};        // the time when the step is due, counted from the end of the request
  std::uint32_t tokens = 0;  // the number of tokens in this chunk
  std::size_t text_from = 0;
  std::size_t text_size = 0;
};

struct sim_schedule {
  std::vector<sim_step> steps;  // the steps in the order of their times; the last step ends the answer
  std::string text;             // the texts of all chunks, joined in the order of the chunks
  // The random time to the first token. It is not set if the request is refused or never answered.
  microseconds ttft{0};
  std::optional<double> queue_share;   // the part of the time to the first token that the usage reports as queue time
  std::uint32_t reasoning_tokens = 0;  // the number of reasoning tokens in the whole answer, even if it ends early
  std::uint32_t output_tokens = 0;     // without reasoning
  std::string_view finish_reason;

  std::string_view text_of(const sim_step& step) const {
    return std::string_view(text).substr(step.text_from, step.text_size);
  }
  std::uint32_t tokens_sent() const;      // returns the number of tokens in all steps
  std::string text_of(step_kind kind) const;  // returns the joined text of all chunks of the kind `kind`
};

// The parameters of a request that limit its answer.
struct sim_params {
  std::optional<std::uint64_t> max_tokens;  // including reasoning
  bool include_usage = false;
};

// Makes a random schedule. The result depends only on the behaviour, the parameters and the state of the random engine.
sim_schedule draw_schedule(const sim_behaviour& behaviour, sim_engine& engine, const sim_params& params = {});

}  // namespace photofinish::gateway::simulator
