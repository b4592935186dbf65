// Decides whether a conversation must be sent to the Responses API because the chat API refuses some part of the
// conversation for this model. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/provider.hpp"

#include <string>

namespace photofinish::proxy {

// The request members, of any API, that decide between the chat API and the Responses API.
struct asked_reasoning {
  std::string effort;  // the requested effort; "none" if thinking is turned off, empty if the client sets no effort
  bool has_functions = false;
  bool searches_tools = false;
  bool forces_a_call = false;
  bool wants_schema = false;
};

// Reads the members that decide between the chat API and the Responses API. `body` may be a chat, Messages or Responses
// body.
asked_reasoning read_asked_reasoning(const client_body& body, wire_format format);

serving_place serving_place_of(const provider& target);

// Returns the member that the chat API refuses for this model: "tools", "response_format" or "reasoning_effort".
// Returns an empty view if the chat API accepts all members.
std::string_view refused_on_chat(const openai_facts& model, const asked_reasoning& asked, const provider& target);

}  // namespace photofinish::proxy
