// The x-race-* headers in both directions: a request's parameters for its race, and an answer's report about it. [pure]
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

// Checks only the form. The planner decides whether a value lowers the cost.
std::variant<racing::plan_overrides, api_error> read_overrides(const client_request& request);

// The request's labels: names of the configuration, and the agent's session that the request belongs to.
struct request_marks {
  std::string task, project;  // configured names; empty: none
  std::string session;        // an agent's session, as its client names it; empty: none
  request_class work = request_class::interactive;
};
constexpr std::size_t longest_session = 128;
std::variant<request_marks, api_error> read_marks(const client_request& request, const config& settings);

// The facts about the race that a client may see.
struct race_facts {
  std::string winner;  // written as provider/model; empty without a winner
  std::string id;      // the receipt's id; empty: there is no receipt
  std::size_t attempts = 0;
  // True if the race runs one attempt at a time in place of the route's policy, because the provider keeps the answer.
  bool is_lowered_by_store = false;
  std::chrono::duration<double, std::milli> ttft{};  // from the request's arrival to the winner's first token read
  std::chrono::duration<double, std::milli> own{};   // the part of ttft that the gateway itself took
  std::optional<double> unlikely_deadline;  // the chance to meet the deadline, if hardly any target can meet it
  std::optional<std::int64_t> warm_tokens;  // prompt tokens expected in the winner's prompt cache; 0: the cache is cold
  std::vector<std::pair<std::string, std::string>> skipped;  // pairs of target and reason
  std::vector<std::pair<std::string, std::string>> dropped;  // pairs of target and parameter
};

void append_race_fields(header_fields& fields, const race_facts& facts);

// Returns "race winner=groq/openai/gpt-oss-120b attempts=2 ttft_ms=212.4". It is sent in streams whose head was sent
// before the facts were known.
std::string race_comment(const race_facts& facts);

// Makes a name that a client chose safe for a header or a comment: visible ASCII and spaces stay, each other byte
// becomes '?'; at most 256 bytes.
std::string header_safe(std::string_view text);

// Returns a text such as "212.4".
std::string milliseconds_text(std::chrono::duration<double, std::milli> duration);

}  // namespace photofinish::gateway
