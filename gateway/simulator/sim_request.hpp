// What a request's body asks of a simulated provider. [pure]
#pragma once

#include "gateway/simulator/plan/schedule.hpp"
#include "proxy/failures/result.hpp"

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

// In whose words the provider is asked.
enum class sim_api { chat, messages, gemini };

struct sim_request {
  std::string model;
  bool is_stream = false;
  sim_params params;
  std::uint64_t prompt_tokens = 1;         // a guess: a quarter of the body's bytes
  std::string tool_name = "get_weather";   // the first function offered; that one when none is
};

// The parser is the caller's, so that its buffers are used again. A failure's kind is bad_request, and its
// `param` names the member at fault.
proxy::result<sim_request> parse_request(const std::string& body, simdjson::dom::parser& parser);

// The same of a request of Anthropic's Messages.
proxy::result<sim_request> parse_message_request(const std::string& body, simdjson::dom::parser& parser);

// The same of Gemini's generateContent, whose path names the model and whether it is a stream.
proxy::result<sim_request> parse_gemini_request(const std::string& body, simdjson::dom::parser& parser);

}  // namespace photofinish::gateway::simulator
