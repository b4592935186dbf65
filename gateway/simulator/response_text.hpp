// Writes a simulated answer of OpenAI's Responses API: a stream of named and numbered events, or one response. [pure]
#pragma once

#include "gateway/simulator/sim_answer.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

class response_text final : public sim_answer {
 public:
  using sim_answer::sim_answer;

  // Appends a step of the answer. Each output item is sent as an event `added`, the deltas of its content, and an event
  // `done`.
  void append_step(std::string& out, const sim_step& step) override;
  void append_completion(std::string& out) const override;

 private:
  void append_event(std::string& out, std::string_view type, std::string_view members);
  void append_of_item(std::string& out, std::string_view type, std::string_view members);
  void open_item(std::string& out, step_kind kind);
  void append_delta(std::string& out, const sim_step& step);
  void close_item(std::string& out);
  void append_end(std::string& out);
  void append_error(std::string& out);

  std::string id_of(step_kind kind) const;
  // Returns an output item as JSON. If `is_done` is false, the item does not have its content yet.
  std::string item_json(step_kind kind, bool is_done) const;
  std::string part_json(step_kind kind, std::string_view text) const;
  std::string output_json() const;
  std::string response_json(std::string_view status, std::string_view output) const;
  std::string usage_json() const;
  std::string_view end_status() const;

  step_kind open_ = step_kind::role;  // the kind of the open output item; `role` if no item is open
  std::uint64_t index_ = 0;           // the index of the open output item, or of the next item if no item is open
  std::uint64_t sequence_ = 0;        // the sequence number of the next event
};

}  // namespace photofinish::gateway::simulator
