// The rows of models.yaml and model_facts.yaml as the files contain them, and a check if a row matches a name.
// [pure but for yaml-cpp]
#pragma once

#include "proxy/providers/fact_types.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// A row of model_facts.yaml.
struct fact_row {
  std::vector<std::string> match;
  std::vector<std::string> at;  // places, as in openai_facts::at
  std::string reason;           // explains why it counts before the list; empty: it counts after the list
  std::string like;             // "preset/model": the row has the facts of that model; empty: none
  std::string efforts_like;     // the same, for efforts alone
  std::string efforts_at;       // a preset: the row has the model's efforts there; empty: none
  known_efforts efforts;
  bool are_efforts_unsure = false;  // ignores the efforts that the list has
  token_limits limits;
  bool is_responses_only = false;
};

// `list` is "families" or "gemini".
std::vector<model_facts> read_families(const char* list);
std::vector<openai_facts> read_openai_rows();
std::vector<converse_facts> read_converse_rows();
// `list` is "claude", "gemini", "openai" or "converse".
std::vector<fact_row> read_fact_rows(const char* list);

std::map<std::string, cloud_facts, std::less<>> read_clouds();
std::map<std::string, std::vector<std::string>, std::less<>> read_beta_members();

// `name` is in lower case, with a dash for each dot.
bool matches_name(std::string_view pattern, std::string_view name);
bool matches_any(const std::vector<std::string>& patterns, std::string_view name);
// `place` is a preset, or else a host. A row without places applies everywhere.
bool holds_at(const std::vector<std::string>& places, std::string_view place);

}  // namespace photofinish::proxy
