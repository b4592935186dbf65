// Whether a conversation is asked by Responses though its model serves chat: what chat refuses of it. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/provider.hpp"

#include <string>

namespace photofinish::proxy {

// The members that decide it, whichever API they came by.
struct asked_reasoning {
  std::string effort;  // "none" if thinking is turned off; empty: nothing is said
  bool has_functions = false;
  bool searches_tools = false;
  bool forces_a_call = false;
  bool wants_schema = false;
};

// Reads a body of chat, Messages or Responses.
asked_reasoning read_asked_reasoning(const client_body& body, wire_format format);

serving_place serving_place_of(const provider& target);

// The member that chat refuses: "tools", "response_format", "reasoning_effort"; empty: nothing.
std::string_view refused_on_chat(const openai_facts& model, const asked_reasoning& asked, const provider& target);

}  // namespace photofinish::proxy
