// The bytes of a simulated provider's answers: chunks, completions and errors in OpenAI's shape. [pure]
#pragma once

#include "gateway/simulator/schedule.hpp"
#include "gateway/simulator/sim_request.hpp"
#include "proxy/failures/failure.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

enum class after_answer { keep_alive, close };

// Formats one answer. What all its chunks share is prepared once, so that a token costs a few copies.
class answer_text {
 public:
  // `request_id` goes into x-request-id and the completion's id; `created` is in Unix seconds.
  // Request and schedule outlive this.
  answer_text(std::string_view request_id, std::int64_t created, std::string_view model,
              const sim_request& request, const sim_schedule& schedule, usage_mode usage, after_answer after);

  void append_stream_head(std::string& out) const;

  // The step's event as one HTTP chunk, and the body's end behind the last one. Nothing for a step that sends
  // nothing.
  void append_step(std::string& out, const sim_step& step) const;

  // The whole answer to a request with `stream: false`, head and body.
  void append_completion(std::string& out) const;

 private:
  void append_delta(std::string& out, std::string_view begin, std::string_view text,
                    std::string_view end) const;
  std::string usage_json() const;
  std::string message_json() const;

  const sim_request& request_;
  const sim_schedule& schedule_;
  std::string request_id_;
  std::string model_json_;  // quoted
  std::string chunk_begin_;  // data: {... up to the delta's opening brace
  std::size_t choices_at_;   // where its choices begin
  std::string chunk_end_;    // behind the delta's closing brace
  std::string finish_end_;
  std::int64_t created_;
  usage_mode usage_;
  after_answer after_;
};

// A complete JSON response; `fields` are further header lines, each with its line end.
void append_json_response(std::string& out, int status, std::string_view request_id, std::string_view fields,
                          std::string_view json, after_answer after);

// {"error":{...}} as one JSON text.
std::string error_json(const proxy::failure& why);

// The error response for it, with retry-after where it has one.
void append_error_response(std::string& out, const proxy::failure& why, std::string_view request_id,
                           after_answer after);

// What a simulated error status, and an error event inside a 200, say.
proxy::failure simulated_failure(int status, std::optional<microseconds> retry_after = std::nullopt);

std::string models_json(std::string_view model);

}  // namespace photofinish::gateway::simulator
