// What a model wants or refuses of a request by OpenAI's own APIs, and what is done about it. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/providers/model_facts.hpp"

namespace photofinish::proxy {

// Whether the model is asked not to think.
bool is_unthinking(const client_body& body, wire_format format);

// Whether it refuses the parameters that its facts name: those of a conversation, and not always.
bool refuses_parameters(const openai_facts& facts, const client_body& body, wire_format format);

// Gives messages of the assistant their `reasoning_content`, where the model demands one and they have none: what is
// there under another name, else a blank.
void give_reasoning(const client_body& body, demanded_reasoning demands, json_edits& edits);

}  // namespace photofinish::proxy
