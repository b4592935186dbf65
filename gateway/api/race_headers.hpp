// The x-race-* headers. In a request, they set parameters of its race. In a response, they report how the race went.
// [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/http/response.hpp"
#include "racing/planner.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// Reads a request's x-race-* headers, and checks only their syntax. The planner decides later whether the values may be
// used, and never lets them make a race more expensive.
std::variant<racing::plan_overrides, api_error> read_overrides(const client_request& request);

// The labels of a request: its configured task and project, and the agent's session that the request belongs to.
struct request_marks {
  std::string task, project;  // configured names of the task and the project; empty if the request names none
  std::string session;        // the agent's session, as its client names it; empty if the client names no session
  request_class work = request_class::interactive;
};
constexpr std::size_t longest_session = 128;
std::variant<request_marks, api_error> read_marks(const client_request& request, const config& settings);

// The facts about the race that a client may see.
struct race_facts {
  std::string winner;  // the winner of the race as provider/model; empty if there is no winner
  std::string id;      // the id of the race's receipt; empty if there is no receipt
  std::size_t attempts = 0;
  // True if the race ignores the route's policy and runs one attempt at a time, because the provider keeps the answer.
  bool is_lowered_by_store = false;
  std::chrono::duration<double, std::milli> ttft{};  // the time from the request's arrival to the winner's first token
  // The time from the request's arrival to the start of the winner's attempt.
  std::chrono::duration<double, std::milli> own{};
  // The probability that the answer meets its deadline. Set only if no target is likely to meet the deadline.
  std::optional<double> unlikely_deadline;
  std::optional<std::int64_t> warm_tokens;  // tokens expected in the winner's prompt cache; 0 if none are cached
  std::vector<std::pair<std::string, std::string>> skipped;  // the targets that the race skipped, each with the reason
  // Targets, each with the request parameters that were dropped for it.
  std::vector<std::pair<std::string, std::string>> dropped;
};

void append_race_fields(header_fields& fields, const race_facts& facts);

// Returns a text such as "race winner=groq/openai/gpt-oss-120b attempts=2 ttft_ms=212.4". The text is sent in streams
// whose head was sent before the facts about the race were known.
std::string race_comment(const race_facts& facts);

// Makes a name that a client chose safe for a header or a comment. Keeps visible ASCII characters and spaces, and
// replaces every other byte by '?'. Returns at most 256 bytes.
std::string header_safe(std::string_view text);

// Returns a duration as the number of milliseconds with one decimal, such as "212.4".
std::string milliseconds_text(std::chrono::duration<double, std::milli> duration);

}  // namespace photofinish::gateway
