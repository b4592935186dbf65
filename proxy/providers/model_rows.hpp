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
struct found_facts {
  std::vector<std::string> match;
  known_efforts efforts;
  std::uint64_t context = 0;
  std::uint64_t max_output = 0;
  bool is_responses_only = false;
};

// "families" or "gemini".
std::vector<model_facts> read_families(const char* list);
std::vector<openai_facts> read_openai_rows();
std::vector<converse_facts> read_converse_rows();
// "claude", "gemini", "openai" or "converse".
std::vector<found_facts> read_found_facts(const char* list);

std::map<std::string, cloud_facts, std::less<>> read_clouds();
std::map<std::string, std::vector<std::string>, std::less<>> read_beta_members();

// `name` is in lower case, with a dash for each dot.
bool matches_name(std::string_view pattern, std::string_view name);
bool matches_any(const std::vector<std::string>& patterns, std::string_view name);

}  // namespace photofinish::proxy
