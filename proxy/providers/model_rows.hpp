// The rows of models.yaml and model_facts.yaml as they stand there, and whether one matches a name.
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
  std::vector<std::string> at;  // as openai_facts::at
  std::string reason;           // why it counts before the list; empty: it counts after the list
  std::string like;             // "preset/model", whose facts are meant; empty: none
  std::string efforts_like;     // the same, of efforts alone
  std::string efforts_at;       // a preset: the efforts that the model has there; empty: none
  known_efforts efforts;
  bool are_efforts_unsure = false;  // what the list says of them does not count
  token_limits limits;
  bool is_responses_only = false;
};

// "families" or "gemini".
std::vector<model_facts> read_families(const char* list);
std::vector<openai_facts> read_openai_rows();
std::vector<converse_facts> read_converse_rows();
// "claude", "gemini", "openai" or "converse".
std::vector<fact_row> read_fact_rows(const char* list);

std::map<std::string, cloud_facts, std::less<>> read_clouds();
std::map<std::string, std::vector<std::string>, std::less<>> read_beta_members();

// `name` is in lower case, with a dash for each dot.
bool matches_name(std::string_view pattern, std::string_view name);
bool matches_any(const std::vector<std::string>& patterns, std::string_view name);
// `place` is a preset, or else a host. A row without places holds everywhere.
bool holds_at(const std::vector<std::string>& places, std::string_view place);

}  // namespace photofinish::proxy
