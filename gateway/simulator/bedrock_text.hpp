// Writes simulated answers of Amazon Bedrock: Converse, and Claude's Messages through InvokeModel. Streamed answers of
// both use binary frames. [pure]
#pragma once

#include "gateway/simulator/message_text.hpp"
#include "gateway/simulator/sim_answer.hpp"
#include "proxy/failures/failure.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

class converse_text final : public sim_answer {
 public:
  using sim_answer::sim_answer;

  std::string_view stream_type() const override;
  // Appends a step. The usage follows the stop event, together with the end.
  void append_step(std::string& out, const sim_step& step) override;
  void append_completion(std::string& out) const override;

 private:
  void append_delta(std::string& out, step_kind block, std::string_view delta);
  void append_in_block(std::string& out, std::string_view type, std::string_view members) const;
  void close_block(std::string& out);
  std::string call_id() const { return "tooluse_" + request_id_; }
  std::string metadata_members() const;

  step_kind open_ = step_kind::role;  // the kind of the open block; `role` if no block is open
  std::size_t index_ = 0;             // the index of the open block, or of the next block if none is open
};

// Writes answers of InvokeModel. The `bytes` of a frame contain an event of Messages.
class invoked_text final : public message_text {
 public:
  using message_text::message_text;

  std::string_view stream_type() const override;

 protected:
  void append_event(std::string& out, std::string_view type, std::string_view members) const override;
  void append_error_event(std::string& out) const override;
};

// Appends an error response. A header contains the error's name.
void append_bedrock_error(std::string& out, const proxy::failure& why, std::string_view request_id,
                          after_answer after);

}  // namespace photofinish::gateway::simulator
