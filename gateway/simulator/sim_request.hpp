// The parts of a request's path and body that a simulated provider uses. [pure]
#pragma once

#include "gateway/simulator/plan/schedule.hpp"
#include "gateway/simulator/prompts/prompt_prefixes.hpp"
#include "proxy/failures/result.hpp"

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

// The API of the request. `invoke`: Messages in Bedrock's frames.
enum class sim_api { chat, responses, messages, gemini, converse, invoke };

struct sim_target {
  sim_api api = sim_api::chat;
  // Set if the path contains it instead of the body.
  std::string model;  // decoded
  bool is_stream = false;
};

// The target of a path such as /v1/messages or /v1beta/models/NAME:streamGenerateContent; empty: another path.
std::optional<sim_target> target_of(std::string_view path);

// The layout of prompts in the bodies of that API.
const prompt_layout& layout_of(sim_api api);

// The usage of the prompt cache in an answer, in tokens of the prompt.
struct sim_cache_usage {
  bool is_on = false;
  cache_report reported = cache_report::usual;
  std::uint64_t read = 0;
  std::uint64_t written = 0;     // in addition to the tokens that were read
  std::uint64_t written_1h = 0;  // part of the written tokens
};

struct sim_request {
  std::string model;
  bool is_stream = false;
  sim_params params;
  std::uint64_t prompt_tokens = 1;         // an estimate: a quarter of the body's bytes
  sim_cache_usage cache = {};              // set after the cache was searched
  std::string tool_name = "get_weather";   // the first function in the request, or this name without functions
  bool wants_encrypted = false;            // for Responses: the reasoning's encrypted content
};

// The caller owns the parser, so that its buffers are reused. A failure has the kind bad_request, and its `param` names
// the invalid member.
proxy::result<sim_request> parse_request(const sim_target& asked, const std::string& body,
                                         simdjson::dom::parser& parser);

}  // namespace photofinish::gateway::simulator
