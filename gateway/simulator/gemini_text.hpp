// Writes a simulated answer of Gemini's generateContent: a stream of chunks, or one JSON answer. [pure]
#pragma once

#include "gateway/simulator/sim_answer.hpp"
#include "proxy/failures/failure.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

class gemini_text final : public sim_answer {
 public:
  explicit gemini_text(const sim_answer_terms& terms);

  // Appends a step of the answer. A function call is sent as a whole when the last token of its arguments is due. If
  // the answer has a signature, it is sent in the function call, or in the last chunk if there is no function call.
  void append_step(std::string& out, const sim_step& step) override;
  void append_completion(std::string& out) const override;

 private:
  void append_chunk_of(std::string& out, std::string_view parts, std::string_view finish = {}) const;
  // Returns the answer as JSON. If `finish` is empty, more of the answer will follow.
  std::string answer_json(std::string_view parts, std::string_view finish) const;
  std::string tail_of(answer_part part) const;
  std::string call_json() const;
  std::string last_part() const;
  std::string_view finish_word() const;

  std::string tail_;  // the end of each chunk except the last: usage, model and id
  std::uint32_t call_tokens_ = 0;  // the number of tokens so far that belong to function calls
};

// Returns an error of the Gemini API, {"error":{"code":429,"message":…,"status":"RESOURCE_EXHAUSTED"}}, as JSON text.
std::string gemini_error_json(const proxy::failure& why);

}  // namespace photofinish::gateway::simulator
