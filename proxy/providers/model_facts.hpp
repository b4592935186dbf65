// What a model takes and refuses where its own API is spoken, as far as its name tells. [pure but for yaml-cpp]
// Read once from models.yaml, which is compiled in; the file explains each field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class thinking_form : std::uint8_t { budget, adaptive, none };

struct model_facts {
  std::vector<std::string> match;
  thinking_form thinking = thinking_form::budget;
  bool takes_budget = false;  // though it is adaptive
  bool always_thinks = false;
  std::vector<std::string> efforts;
  bool effort_is_beta = false;
  std::vector<std::string> drop_params;
  bool one_sampling = false;
  bool takes_prefill = true;
  std::uint64_t max_output = 0;  // tokens; 0: not known
  std::string as_of;             // YYYY-MM-DD
};

// Of a model that no row matches nothing is known: it is taken to refuse nothing. Lives as long as the program.
const model_facts& facts_of(std::string_view model);

const std::vector<model_facts>& all_model_facts();

// What a model at Amazon Bedrock takes of Converse, as far as its name tells: by default it refuses nothing.
struct converse_facts {
  std::vector<std::string> match;
  std::string think;  // "reasoning.effort"; empty: it is not asked to
  std::vector<std::string> efforts;
  std::string top_k;  // "inferenceConfig.topK"; empty: it takes none
  std::vector<std::string> drop_params;
  bool takes_forced_calls = true;
  bool takes_schema = true;
  bool takes_result_status = true;
  bool wants_results_alone = false;
  bool wants_short_ids = false;
  std::vector<std::string> result_media{"image", "document"};
  std::string as_of;  // YYYY-MM-DD
};

const converse_facts& converse_facts_of(std::string_view model);

const std::vector<converse_facts>& all_converse_facts();

}  // namespace photofinish::proxy
