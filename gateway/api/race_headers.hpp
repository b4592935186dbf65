// The x-race-* headers, both ways: what a request may ask of its race, and what an answer tells of it. [pure]
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

// Only the form is checked here; whether a value lowers the cost is the planner's to say.
std::variant<racing::plan_overrides, api_error> read_overrides(const client_request& request);

// What a request says of itself: names of the configuration, and the agent's session that it belongs to.
struct request_marks {
  std::string task, project;  // empty: none
  std::string session;        // an agent's, as its client says it; empty: none
  request_class work = request_class::interactive;
};
constexpr std::size_t longest_session = 128;
std::variant<request_marks, api_error> read_marks(const client_request& request, const config& settings);

// What a client may know of the race behind its answer.
struct race_facts {
  std::string winner;  // provider/model; empty without a winner
  std::string id;      // of its receipt; empty: it has none
  std::size_t attempts = 0;
  bool is_lowered_by_store = false;  // one attempt at a time, against the route's policy
  std::chrono::duration<double, std::milli> ttft{};  // request received to the winner's first token read
  std::chrono::duration<double, std::milli> own{};   // the gateway's own share of it
  std::optional<double> unlikely_deadline;  // the chance that a deadline is met which hardly any target can meet
  std::optional<std::int64_t> warm_tokens;  // of the prompt, expected in the winner's prompt cache; 0: it is cold there
  std::vector<std::pair<std::string, std::string>> skipped;  // target, reason
  std::vector<std::pair<std::string, std::string>> dropped;  // target, parameter
};

void append_race_fields(header_fields& fields, const race_facts& facts);

// "race winner=groq/openai/gpt-oss-120b attempts=2 ttft_ms=212.4": for streams whose head left early.
std::string race_comment(const race_facts& facts);

// A name that a client chose, as a header or a comment may carry it: visible ASCII and spaces, of the rest each byte
// becomes '?'; at most 256 bytes.
std::string header_safe(std::string_view text);

// "212.4"
std::string milliseconds_text(std::chrono::duration<double, std::milli> duration);

}  // namespace photofinish::gateway
