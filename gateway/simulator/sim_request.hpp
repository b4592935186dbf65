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

// The API of the request. `invoke` means Anthropic's Messages in the binary frames of Bedrock.
enum class sim_api { chat, responses, messages, gemini, converse, invoke };

struct sim_target {
  sim_api api = sim_api::chat;
  // The model's name if the path contains it. Empty if the body contains it.
  std::string model;  // decoded
  bool is_stream = false;
};

// Returns the API and the model of a path such as /v1/messages or /v1beta/models/NAME:streamGenerateContent. Returns
// nothing for an unknown path.
std::optional<sim_target> target_of(std::string_view path);

// Returns the layout of prompts in the bodies of an API.
const prompt_layout& layout_of(sim_api api);

// The prompt tokens that the prompt cache read and wrote for one answer.
struct sim_cache_usage {
  bool is_on = false;
  cache_report reported = cache_report::usual;
  std::uint64_t read = 0;
  std::uint64_t written = 0;     // the number of written tokens, which are not among the read tokens
  std::uint64_t written_1h = 0;  // the part of the written tokens that the cache keeps for an hour
};

struct sim_request {
  std::string model;
  bool is_stream = false;
  sim_params params;
  std::uint64_t prompt_tokens = 1;         // an estimate of the prompt's tokens: a quarter of the body's bytes
  sim_cache_usage cache = {};              // how the prompt cache was used; set after the cache was searched
  // The name of the first function in the request; get_weather if the request has no functions.
  std::string tool_name = "get_weather";
  bool wants_encrypted = false;            // true if an answer of the Responses API must contain encrypted reasoning
};

// Parses a request. The caller owns the parser, so that its buffers are used again. A failure has the kind bad_request,
// and its `param` names the invalid member.
proxy::result<sim_request> parse_request(const sim_target& asked, const std::string& body,
                                         simdjson::dom::parser& parser);

}  // namespace photofinish::gateway::simulator
