// The requests that a model accepts and refuses in its vendor's own API, as far as its name shows.
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

// A model that no row matches counts as a model that refuses nothing. The results live as long as the program.
const model_facts& facts_of(const asked_model& asked);
inline const model_facts& facts_of(std::string_view model) { return facts_of(asked_model{model, {}}); }

// The same for Gemini's models. A name that is not one of Gemini's counts as a model that cannot think.
const model_facts& gemini_facts_of(const asked_model& asked);
inline const model_facts& gemini_facts_of(std::string_view model) { return gemini_facts_of(asked_model{model, {}}); }

// The rules of all families, without the facts of model_facts.yaml.
const std::vector<model_facts>& all_model_facts();

const converse_facts& converse_facts_of(const asked_model& asked);
inline const converse_facts& converse_facts_of(std::string_view model) {
  return converse_facts_of(asked_model{model, {}});
}

// The same for Converse.
const std::vector<converse_facts>& all_converse_facts();

const openai_facts& openai_facts_of(const asked_model& asked);
inline const openai_facts& openai_facts_of(std::string_view model, std::string_view place) {
  return openai_facts_of(asked_model{model, place});
}

// The place that the `at` of rows names for this provider: its preset, or else its host.
std::string_view place_of(const provider& target);

// Returns true if the base URL serves Anthropic's models at Google: it ends in /publishers/anthropic.
bool is_vertex(const base_url& url);

// Returns the name in models.yaml of the place at which the target serves Claude. Empty: Anthropic itself, or an
// unknown place.
std::string_view cloud_of(const provider& target);

// The question about a model at that provider.
asked_model model_at(const provider& target, std::string_view model);

// The same for OpenAI's APIs.
const std::vector<openai_facts>& all_openai_facts();

// `name` is "bedrock", "bedrock-mantle", "vertex" or "azure"; any other name stands for a place that accepts
// everything.
// A null list stands for the built-in list's betas.
const cloud_facts& cloud_facts_of(std::string_view name, const provider* at = nullptr);

// The members of a request that require the beta; empty: no such member is known.
const std::vector<std::string>& members_of_beta(std::string_view beta);

// All members that require some beta, each once.
const std::vector<std::string>& all_beta_members();

// Reads the files now. This takes some milliseconds, which the first request would otherwise wait for.
void read_model_facts();

}  // namespace photofinish::proxy
