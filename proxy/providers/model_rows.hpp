// Reads the rows of models.yaml and model_facts.yaml, and checks which rows match a model. [pure but for yaml-cpp]
#pragma once

#include "proxy/providers/fact_types.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// One row of model_facts.yaml.
struct fact_row {
  std::vector<std::string> match;
  std::vector<std::string> at;  // the presets or hosts to which the row applies (see openai_facts::at)
  // the reason why the row has priority over the catalogue; if empty, the row has no priority
  std::string reason;
  std::string like;             // "preset/model" if the row takes all facts from that model; may be empty
  std::string efforts_like;     // "preset/model" if the row takes the efforts from that model; may be empty
  std::string efforts_at;       // a preset, if the row takes the efforts of the same model at this preset; may be empty
  known_efforts efforts;
  bool are_efforts_unsure = false;  // if true, the efforts in the catalogue are ignored
  token_limits limits;
  bool is_responses_only = false;
};

// Reads the rules for all models. `list` is "families" or "gemini".
std::vector<model_facts> read_families(const char* list);
std::vector<openai_facts> read_openai_rows();
std::vector<converse_facts> read_converse_rows();
// Reads the facts about all models. `list` is "claude", "gemini", "openai" or "converse".
std::vector<fact_row> read_fact_rows(const char* list);

std::map<std::string, cloud_facts, std::less<>> read_clouds();
std::map<std::string, std::vector<std::string>, std::less<>> read_beta_members();

// True if the pattern matches `name`, which must be in lower case, with each dot replaced by a dash.
bool matches_name(std::string_view pattern, std::string_view name);
bool matches_any(const std::vector<std::string>& patterns, std::string_view name);
// True if a row with this list of presets and hosts applies at `place`, which is a preset or a host. A row with an
// empty list applies everywhere.
bool holds_at(const std::vector<std::string>& places, std::string_view place);

}  // namespace photofinish::proxy
