// Writes simulated answers of Amazon Bedrock. Supports two APIs: Converse, and Claude through InvokeModel. Both APIs
// stream binary frames. [pure]
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
  // Appends a step of the answer. The usage is sent after the stop event, when the answer ends.
  void append_step(std::string& out, const sim_step& step) override;
  void append_completion(std::string& out) const override;

 private:
  void append_delta(std::string& out, step_kind block, std::string_view delta);
  void append_in_block(std::string& out, std::string_view type, std::string_view members) const;
  void close_block(std::string& out);
  std::string call_id() const { return "tooluse_" + request_id_; }
  std::string metadata_members() const;

  step_kind open_ = step_kind::role;  // the kind of the open content block; `role` if no block is open
  std::size_t index_ = 0;             // the index of the open content block, or of the next block if none is open
};

// Writes answers of InvokeModel. Each frame contains an event of Anthropic's Messages API in its member `bytes`.
class invoked_text final : public message_text {
 public:
  using message_text::message_text;

  std::string_view stream_type() const override;

 protected:
  void append_event(std::string& out, std::string_view type, std::string_view members) const override;
  void append_error_event(std::string& out) const override;
};

// Appends an error response. One of its headers contains the name of the error.
void append_bedrock_error(std::string& out, const proxy::failure& why, std::string_view request_id,
                          after_answer after);

}  // namespace photofinish::gateway::simulator
