// The bytes of one simulated answer, in the words of the API that was asked. [pure]
#pragma once

#include "gateway/simulator/plan/schedule.hpp"

#include <string>

namespace photofinish::gateway::simulator {

enum class after_answer { keep_alive, close };

class sim_answer {
 public:
  virtual ~sim_answer() = default;

  virtual void append_stream_head(std::string& out) const = 0;

  // The steps come in their order. What the step says as one or more HTTP chunks, and the body's end behind the last
  // one. Nothing for a step that sends nothing.
  virtual void append_step(std::string& out, const sim_step& step) = 0;

  // The whole answer to a request that wants no stream, head and body.
  virtual void append_completion(std::string& out) const = 0;
};

}  // namespace photofinish::gateway::simulator
