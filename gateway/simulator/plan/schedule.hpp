// The actions of a simulated provider for one request, and their times: drawn once, and then never changed. [pure]
// Nothing here waits or sends; sim_session.hpp carries the steps out.
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
  role,         // the first chunk: a role, no token
  reasoning,    // tokens
  content,      // tokens
  tool_name,    // opens the tool call; its arguments follow immediately
  arguments,    // tokens
  finish,       // the finish_reason
  usage,        // the usage chunk
  done,         // [DONE] and the body's end
  refuse,       // an error status instead of a stream
  silence,      // no more bytes, until the client leaves
  reset,        // a TCP reset
  close,        // a FIN in the middle of the body
  error_event,  // an error inside the 200, and the body's end
};

struct sim_step {
  step_kind kind = step_kind::content;
  microseconds at{0};        // since the request was read
  std::uint32_t tokens = 0;  // in this chunk
  std::size_t text_from = 0;
  std::size_t text_size = 0;
};

struct sim_schedule {
  std::vector<sim_step> steps;  // in time order; the last one ends the answer
  std::string text;             // of all chunks in order
  microseconds ttft{0};         // as drawn; an answer that is refused or hangs does not show it
  std::optional<double> queue_share;   // of the TTFT, as in the usage
  std::uint32_t reasoning_tokens = 0;  // of the whole answer, cut or not
  std::uint32_t output_tokens = 0;     // without reasoning
  std::string_view finish_reason;

  std::string_view text_of(const sim_step& step) const {
    return std::string_view(text).substr(step.text_from, step.text_size);
  }
  std::uint32_t tokens_sent() const;      // by all steps together
  std::string text_of(step_kind kind) const;  // of all its chunks, joined
};

// The limits that the request sets for its answer.
struct sim_params {
  std::optional<std::uint64_t> max_tokens;  // including reasoning
  bool include_usage = false;
};

// The same behaviour, params and engine state give the same schedule.
sim_schedule draw_schedule(const sim_behaviour& behaviour, sim_engine& engine, const sim_params& params = {});

}  // namespace photofinish::gateway::simulator
