// The rows of models.yaml and model_facts.yaml as they are in the files, and a test whether a row matches a name.
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
  std::vector<std::string> at;  // places, in the form of openai_facts::at
  std::string reason;           // the reason why the row counts before the list; empty if it counts after it
  std::string like;             // "preset/model" if the row has the facts of that model; may be empty
  std::string efforts_like;     // "preset/model" if the row has the efforts of that model; may be empty
  std::string efforts_at;       // a preset if the row has the efforts of the same model there; may be empty
  known_efforts efforts;
  bool are_efforts_unsure = false;  // if true, efforts in the list are ignored
  token_limits limits;
  bool is_responses_only = false;
};

// Reads the rules of all models. `list` is "families" or "gemini".
std::vector<model_facts> read_families(const char* list);
std::vector<openai_facts> read_openai_rows();
std::vector<converse_facts> read_converse_rows();
// Reads the facts of all models. `list` is "claude", "gemini", "openai" or "converse".
std::vector<fact_row> read_fact_rows(const char* list);

std::map<std::string, cloud_facts, std::less<>> read_clouds();
std::map<std::string, std::vector<std::string>, std::less<>> read_beta_members();

// True if the pattern matches `name`, which is in lower case, with a dash for each dot.
bool matches_name(std::string_view pattern, std::string_view name);
bool matches_any(const std::vector<std::string>& patterns, std::string_view name);
// True if a row with these places applies at `place`, which is a preset, or otherwise a host. A row without
// places applies everywhere.
bool holds_at(const std::vector<std::string>& places, std::string_view place);

}  // namespace photofinish::proxy
