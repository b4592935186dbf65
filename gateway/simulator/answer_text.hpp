// Writes the bytes of a simulated provider's answers: streamed chunks, non-streamed answers and errors, all in OpenAI's
// format. [pure]
#pragma once

#include "gateway/simulator/sim_answer.hpp"
#include "gateway/simulator/sim_request.hpp"
#include "proxy/failures/failure.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

// Formats one answer. The constructor prepares the text that all chunks have in common, so that each token needs only a
// few copies.
class answer_text final : public sim_answer {
 public:
  explicit answer_text(const sim_answer_terms& terms);

  void append_step(std::string& out, const sim_step& step) override;
  void append_completion(std::string& out) const override;

 private:
  void append_delta(std::string& out, std::string_view begin, std::string_view text,
                    std::string_view end) const;
  void append_role(std::string& out) const;
  std::string usage_json(answer_part part) const;
  std::string times_json() const;
  std::string message_json() const;

  std::string chunk_begin_;  // the beginning of each chunk, from `data: {` to the opening brace of the delta
  std::size_t choices_at_;   // the position of `choices` in chunk_begin_
  std::string chunk_end_;    // the end of each chunk, after the closing brace of the delta
  std::string finish_end_;
};

// Appends a complete response with a JSON body. `fields` contains additional header lines, each with its line end.
void append_json_response(std::string& out, int status, std::string_view request_id, std::string_view fields,
                          std::string_view json, after_answer after);

// append_chunk() appends an HTTP chunk that consists of the given pieces. append_last_chunk() appends the end of a
// chunked body.
void append_chunk(std::string& out, std::initializer_list<std::string_view> pieces);
void append_last_chunk(std::string& out);

// Appends the status line and the headers of a streamed response with status 200.
void append_stream_head(std::string& out, std::string_view request_id, std::string_view content_type,
                        after_answer after);

// Returns an error in OpenAI's format, {"error":{...}}, as JSON text.
std::string error_json(const proxy::failure& why);

// Appends an error response with the body `json`. If the error has a retry time, the response has the header
// retry-after. `fields` contains additional header lines, each with its line end.
void append_error_response(std::string& out, const proxy::failure& why, std::string_view json,
                           std::string_view request_id, after_answer after, std::string fields = {});

// Returns a simulated error, which is sent as an HTTP status or as an error event in a response with status 200.
proxy::failure simulated_failure(int status, std::optional<microseconds> retry_after = std::nullopt);

std::string models_json(std::string_view model);

}  // namespace photofinish::gateway::simulator
