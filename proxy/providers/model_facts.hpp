// Finds which requests a model accepts and refuses in its vendor's own API, as far as the model's name shows.
// [pure but for yaml-cpp and answers it remembers]
// Rules are read once from models.yaml, facts from model_facts.yaml and the list in use. The files explain each field.
// A worker remembers the results, so that a request needs no look-up in a list.
#pragma once

#include "proxy/providers/base_url.hpp"
#include "proxy/providers/fact_types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct provider;

// Returns a model's facts. A model that no row matches refuses nothing. The results are kept as
// long as the program runs.
const model_facts& facts_of(const asked_model& asked);
inline const model_facts& facts_of(std::string_view model) { return facts_of(asked_model{model, {}}); }

// Returns the facts of a Gemini model. A name that does not belong to Gemini counts as a model that cannot think.
const model_facts& gemini_facts_of(const asked_model& asked);
inline const model_facts& gemini_facts_of(std::string_view model) { return gemini_facts_of(asked_model{model, {}}); }

// Returns the rules of all families, without the facts of model_facts.yaml.
const std::vector<model_facts>& all_model_facts();

const converse_facts& converse_facts_of(const asked_model& asked);
inline const converse_facts& converse_facts_of(std::string_view model) {
  return converse_facts_of(asked_model{model, {}});
}

// Returns the rules of all models at Converse.
const std::vector<converse_facts>& all_converse_facts();

const openai_facts& openai_facts_of(const asked_model& asked);
inline const openai_facts& openai_facts_of(std::string_view model, std::string_view place) {
  return openai_facts_of(asked_model{model, place});
}

// Returns the place that a row's `at` may name for this provider: its preset, or otherwise its host.
std::string_view place_of(const provider& target);

// True if the base URL serves Anthropic's models at Google, which means that it ends in /publishers/anthropic.
bool is_vertex(const base_url& url);

// Returns the name in models.yaml of the place at which the target serves Claude. The name is empty for Anthropic
// itself and for unknown places.
std::string_view cloud_of(const provider& target);

// Returns the parameter with which facts about a model at that provider are requested.
asked_model model_at(const provider& target, std::string_view model);

// Returns the rules of all models that OpenAI's APIs serve.
const std::vector<openai_facts>& all_openai_facts();

// Returns the rules of a place that serves Claude. `name` is "bedrock", "bedrock-mantle", "vertex" or "azure"; any
// other name stands for a place that accepts everything. If `at` is null, the built-in list provides the betas.
const cloud_facts& cloud_facts_of(std::string_view name, const provider* at = nullptr);

// Returns the members of a request that require the beta. Empty if no such member is known.
const std::vector<std::string>& members_of_beta(std::string_view beta);

// Returns all members that require a beta, without duplicates.
const std::vector<std::string>& all_beta_members();

// Reads the files now. This takes some milliseconds, for which the first request would otherwise wait.
void read_model_facts();

}  // namespace photofinish::proxy
