// The `response` of OpenAI's Responses: what the answer says of itself, and of what was asked. [pure]
// All members that any client's schema requires are there; those that have no value are null.
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

// What changes from the first event of a stream to its last.
struct response_state {
  std::string_view status = "in_progress";  // completed, incomplete, failed
  std::string_view output = {};             // items, with commas between them
  std::string_view incomplete_reason = {};  // empty: null
  std::string_view error = {};              // JSON; empty: null
  const proxy::token_usage* usage = nullptr;
  std::optional<std::int64_t> completed_at = {};  // Unix time in seconds
  std::string_view more = {};                     // further members, each with a comma before it
};

class response_object {
 public:
  // Of `asked`, what clients want to see again is copied: the stream needs it to its end.
  response_object(const answer_identity& identity, const proxy::client_body* asked);

  void append(std::string& out, const response_state& state) const;
  std::size_t held_bytes() const { return head_.size() + echo_.size(); }

 private:
  std::string head_;  // id, object, created_at, model
  std::string echo_;  // members of the request, with a comma before each
};

}  // namespace photofinish::gateway
