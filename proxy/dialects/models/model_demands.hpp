// The requirements of models for requests in OpenAI's APIs, and edits that make a request meet them. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/providers/model_facts.hpp"

namespace photofinish::proxy {

// True if the request turns thinking off.
bool is_unthinking(const client_body& body, wire_format format);

// True if the model refuses the parameters listed in facts.params for this request. Some models refuse these parameters
// only while thinking is on.
bool refuses_parameters(const openai_facts& facts, const client_body& body, wire_format format);

// Adds `reasoning_content` to each assistant message that lacks this member, if the model requires it. The value is
// copied from another member with reasoning. If there is none, the value is one space.
void give_reasoning(const client_body& body, demanded_reasoning demands, json_edits& edits);

}  // namespace photofinish::proxy
