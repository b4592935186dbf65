// Rules of models about requests of OpenAI's own APIs, and edits that satisfy them. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/providers/model_facts.hpp"

namespace photofinish::proxy {

// True if the request turns thinking off.
bool is_unthinking(const client_body& body, wire_format format);

// True if the model refuses, for this request, the parameters that its facts list.
bool refuses_parameters(const openai_facts& facts, const client_body& body, wire_format format);

// Adds `reasoning_content` to the assistant's messages without it, if the model requires it. The value is copied from a
// member with another name for reasoning, or is a blank.
void give_reasoning(const client_body& body, demanded_reasoning demands, json_edits& edits);

}  // namespace photofinish::proxy
