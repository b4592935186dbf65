// Finds the requests that a model accepts and refuses. [pure but for yaml-cpp and answers it remembers] The results
// apply to the vendor's own API and are derived from the model's name. Rules are read once from models.yaml. Facts are
// read from model_facts.yaml and the current catalogue. The YAML files explain each field. Each worker caches the
// results, so that most requests need no look-up in a catalogue.
#pragma once

#include "proxy/providers/base_url.hpp"
#include "proxy/providers/fact_types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct provider;

// Returns a model's facts. A model without a matching row refuses nothing. The results are kept until the program ends.
const model_facts& facts_of(const asked_model& asked);
inline const model_facts& facts_of(std::string_view model) { return facts_of(asked_model{model, {}}); }

// Returns the facts about a Gemini model. A model with any other name is treated as a model that cannot think.
const model_facts& gemini_facts_of(const asked_model& asked);
inline const model_facts& gemini_facts_of(std::string_view model) { return gemini_facts_of(asked_model{model, {}}); }

// Returns the rules for all model families, without the facts in model_facts.yaml.
const std::vector<model_facts>& all_model_facts();

const converse_facts& converse_facts_of(const asked_model& asked);
inline const converse_facts& converse_facts_of(std::string_view model) {
  return converse_facts_of(asked_model{model, {}});
}

// Returns the rules for all models in Converse.
const std::vector<converse_facts>& all_converse_facts();

const openai_facts& openai_facts_of(const asked_model& asked);
inline const openai_facts& openai_facts_of(std::string_view model, std::string_view place) {
  return openai_facts_of(asked_model{model, place});
}

// Returns the name of this provider that the YAML files use: its preset, or its host if it has no preset.
std::string_view place_of(const provider& target);

// True if the base URL belongs to Google's service for Anthropic's models. Such a URL ends in /publishers/anthropic.
bool is_vertex(const base_url& url);

// Returns the name that models.yaml uses for the cloud at which the target serves Claude. The name is empty for
// Anthropic itself and for unknown clouds.
std::string_view cloud_of(const provider& target);

// Combines a model and its provider into one value, the argument of all functions that look up facts about a model.
asked_model model_at(const provider& target, std::string_view model);

// Returns the rules for all models that OpenAI's APIs serve.
const std::vector<openai_facts>& all_openai_facts();

// Returns the rules of a cloud that serves Claude. `name` is "bedrock", "bedrock-mantle", "vertex" or "azure". Any
// other name stands for a cloud that accepts everything. If `at` is null, the beta features come from the built-in
// catalogue.
const cloud_facts& cloud_facts_of(std::string_view name, const provider* at = nullptr);

// Returns the request members that require the beta feature. The result is empty if no such member is known.
const std::vector<std::string>& members_of_beta(std::string_view beta);

// Returns all request members that require any beta feature, without duplicates.
const std::vector<std::string>& all_beta_members();

// Reads models.yaml and model_facts.yaml now. This takes a few milliseconds, which would otherwise delay the first
// request.
void read_model_facts();

}  // namespace photofinish::proxy
