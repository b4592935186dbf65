// Writes the `response` object of OpenAI's Responses API, with the status of the answer and a copy of the request's
// settings. The object contains every member that any known client requires. Members without a value are null. [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The members of a response that change between the first and the last event of a stream.
struct response_state {
  std::string_view status = "in_progress";  // the status: completed, incomplete, failed or in_progress
  std::string_view output = {};             // the finished items as JSON, separated by commas
  std::string_view incomplete_reason = {};  // the reason why the answer is incomplete; if empty, the reason is null
  std::string_view error = {};              // the error as JSON; if empty, `error` is null
  const proxy::token_usage* usage = nullptr;
  std::optional<std::int64_t> completed_at = {};  // the end time of the response, as Unix time in seconds
  std::string_view more = {};                     // further JSON members, each with a comma before it
};

class response_object {
 public:
  // Copies the members of `asked` that the response repeats, because the stream needs these members until its end.
  response_object(const answer_identity& identity, const proxy::client_body* asked);

  void append(std::string& out, const response_state& state) const;
  std::size_t held_bytes() const { return head_.size() + echo_.size(); }

 private:
  std::string head_;  // the JSON of the members id, object, created_at and model
  std::string echo_;  // the members repeated from the request, with a comma before each
};

}  // namespace photofinish::gateway
