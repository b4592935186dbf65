// What a model takes and refuses where its own API is spoken, as far as its name tells.
// [pure but for yaml-cpp and answers it remembers]
// Read once from models.yaml and model_facts.yaml, which are compiled in; the files explain each field.
#pragma once

#include "proxy/providers/fact_types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct provider;

// Of a model that no row matches nothing is known: it is taken to refuse nothing. Lives as long as the program.
const model_facts& facts_of(std::string_view model);

// The same of Gemini's models. A name that is not one of theirs counts as a model that cannot think.
const model_facts& gemini_facts_of(std::string_view model);

// The rules of all families, without what model_facts.yaml adds.
const std::vector<model_facts>& all_model_facts();

const converse_facts& converse_facts_of(std::string_view model);

// As all_model_facts().
const std::vector<converse_facts>& all_converse_facts();

// `place` is a preset, or else a host; it may be empty. Lives as long as the program.
const openai_facts& openai_facts_of(std::string_view model, std::string_view place);

// Where rows of that provider may say `at`: its preset, else its host.
std::string_view place_of(const provider& target);

// As all_model_facts().
const std::vector<openai_facts>& all_openai_facts();

// "bedrock", "bedrock-mantle", "vertex" or "azure"; of another name: one that takes everything.
const cloud_facts& cloud_facts_of(std::string_view name);

// The members of a request that the beta brings; none: no member is known of it.
const std::vector<std::string>& members_of_beta(std::string_view beta);

// All that some beta brings, each once.
const std::vector<std::string>& all_beta_members();

// Reads what is read once now: some milliseconds, which the first request would take otherwise.
void read_model_facts();

}  // namespace photofinish::proxy
