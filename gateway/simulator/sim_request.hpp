// What a request's path and body ask of a simulated provider. [pure]
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

// In whose words the provider is asked. `invoke`: Messages in Bedrock's frames.
enum class sim_api { chat, responses, messages, gemini, converse, invoke };

struct sim_target {
  sim_api api = sim_api::chat;
  // Where the path says so, not the body.
  std::string model;  // decoded
  bool is_stream = false;
};

// What a path such as /v1/messages or /v1beta/models/NAME:streamGenerateContent asks for; none: something else.
std::optional<sim_target> target_of(std::string_view path);

// Where the bodies of that API have the parts of a prompt.
const prompt_layout& layout_of(sim_api api);

// What the answer's usage reports of the prompt cache. Tokens of the prompt.
struct sim_cache_usage {
  bool is_on = false;
  cache_report reported = cache_report::usual;
  std::uint64_t read = 0;
  std::uint64_t written = 0;     // beyond those
  std::uint64_t written_1h = 0;  // of those
};

struct sim_request {
  std::string model;
  bool is_stream = false;
  sim_params params;
  std::uint64_t prompt_tokens = 1;         // a guess: a quarter of the body's bytes
  sim_cache_usage cache = {};              // filled when the cache was asked
  std::string tool_name = "get_weather";   // the first function offered; that one when none is
  bool wants_encrypted = false;            // of Responses: the reasoning's encrypted content
};

// The parser is the caller's, so that its buffers are used again. A failure's kind is bad_request, and its
// `param` names the member at fault.
proxy::result<sim_request> parse_request(const sim_target& asked, const std::string& body,
                                         simdjson::dom::parser& parser);

}  // namespace photofinish::gateway::simulator
