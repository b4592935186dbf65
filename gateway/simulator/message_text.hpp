// Writes a simulated answer of Anthropic's Messages API: a stream of named events, or one message. [pure]
#pragma once

#include "gateway/simulator/sim_answer.hpp"
#include "proxy/failures/failure.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

class message_text : public sim_answer {
 public:
  using sim_answer::sim_answer;

  void append_step(std::string& out, const sim_step& step) override;
  void append_completion(std::string& out) const override;

 protected:
  // Appends an event. `members` contains the event's members except its type. A comma precedes each member.
  virtual void append_event(std::string& out, std::string_view type, std::string_view members) const;
  virtual void append_error_event(std::string& out) const;

 private:
  void append_delta(std::string& out, step_kind block, std::string_view begun, std::string_view kind,
                    std::string_view text);
  void close_block(std::string& out);
  std::string head_json() const;
  std::string call_json(std::string_view input) const;
  std::string usage_json(std::uint64_t output, answer_part part) const;

  step_kind open_ = step_kind::role;  // the kind of the open content block; `role` if no block is open
  std::size_t index_ = 0;             // the index of the open content block, or of the next block if none is open
};

// Returns the stop reason in the words of the Messages and Converse APIs.
std::string stop_reason_of(const sim_schedule& schedule);

// Returns {"type":"error",…}, an error of the Messages API, as JSON text.
std::string message_error_json(const proxy::failure& why);

}  // namespace photofinish::gateway::simulator
