// What a model takes and refuses where its own API is spoken, as far as its name tells.
// [pure but for yaml-cpp and answers it remembers]
// Rules are read once from models.yaml, facts from model_facts.yaml and the list in use. The files explain each field.
// A worker remembers the answers, so that a request costs no look-up in a list.
#pragma once

#include "proxy/providers/base_url.hpp"
#include "proxy/providers/fact_types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct provider;

// A model that no row matches is taken to refuse nothing. What these functions return lives as long as the program.
const model_facts& facts_of(const asked_model& asked);
inline const model_facts& facts_of(std::string_view model) { return facts_of(asked_model{model, {}}); }

// The same of Gemini's models. A name that is not one of theirs counts as a model that cannot think.
const model_facts& gemini_facts_of(const asked_model& asked);
inline const model_facts& gemini_facts_of(std::string_view model) { return gemini_facts_of(asked_model{model, {}}); }

// The rules of all families, without what model_facts.yaml adds.
const std::vector<model_facts>& all_model_facts();

const converse_facts& converse_facts_of(const asked_model& asked);
inline const converse_facts& converse_facts_of(std::string_view model) {
  return converse_facts_of(asked_model{model, {}});
}

// As all_model_facts().
const std::vector<converse_facts>& all_converse_facts();

const openai_facts& openai_facts_of(const asked_model& asked);
inline const openai_facts& openai_facts_of(std::string_view model, std::string_view place) {
  return openai_facts_of(asked_model{model, place});
}

// Where rows of that provider may say `at`: its preset, else its host.
std::string_view place_of(const provider& target);

// Whether a base URL is that of Anthropic's models at Google: it ends in /publishers/anthropic.
bool is_vertex(const base_url& url);

// Where the target serves Claude, as models.yaml calls it. Empty: Anthropic itself, or nothing is known.
std::string_view cloud_of(const provider& target);

// The question about a model at that provider.
asked_model model_at(const provider& target, std::string_view model);

// As all_model_facts().
const std::vector<openai_facts>& all_openai_facts();

// "bedrock", "bedrock-mantle", "vertex" or "azure"; of another name: one that takes everything. Null: the built-in list
// has the betas.
const cloud_facts& cloud_facts_of(std::string_view name, const provider* at = nullptr);

// The members of a request that the beta brings; none: no member is known of it.
const std::vector<std::string>& members_of_beta(std::string_view beta);

// All that some beta brings, each once.
const std::vector<std::string>& all_beta_members();

// Reads what is read once now: some milliseconds, which the first request would take otherwise.
void read_model_facts();

}  // namespace photofinish::proxy
