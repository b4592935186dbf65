// Reads the parts of a request's path and body that a simulated provider uses. [pure]
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

// The API of the request. The value `invoke` means Anthropic's Messages API in Bedrock's binary frames.
enum class sim_api { chat, responses, messages, gemini, converse, invoke };

struct sim_target {
  sim_api api = sim_api::chat;
  // The name of the model if the path contains it. Otherwise empty, and the body contains the name.
  std::string model;  // decoded
  bool is_stream = false;
};

// Returns the API and the model for a path such as /v1/messages or /v1beta/models/NAME:streamGenerateContent. Returns
// nothing if the path is unknown.
std::optional<sim_target> target_of(std::string_view path);

// Returns the layout of prompts in requests of this API.
const prompt_layout& layout_of(sim_api api);

// The prompt tokens of one request: how many were read from the prompt cache, and how many were written to it.
struct sim_cache_usage {
  bool is_on = false;
  cache_report reported = cache_report::usual;
  std::uint64_t read = 0;
  std::uint64_t written = 0;     // the number of tokens written to the cache, not including the tokens read from it
  std::uint64_t written_1h = 0;  // the number of tokens in `written` that the cache keeps for an hour
};

struct sim_request {
  std::string model;
  bool is_stream = false;
  sim_params params;
  std::uint64_t prompt_tokens = 1;         // the estimated number of prompt tokens: a quarter of the body's bytes
  sim_cache_usage cache = {};              // how the prompt cache was used; set after the cache was searched
  // The name of the request's first function; get_weather if the request has no functions.
  std::string tool_name = "get_weather";
  // True if the client wants encrypted reasoning in an answer of the Responses API.
  bool wants_encrypted = false;
};

// Parses a request. The caller owns the parser, so that its buffers can be used again. If the request is invalid,
// returns a failure of kind bad_request, whose `param` is the name of the invalid member.
proxy::result<sim_request> parse_request(const sim_target& asked, const std::string& body,
                                         simdjson::dom::parser& parser);

}  // namespace photofinish::gateway::simulator
