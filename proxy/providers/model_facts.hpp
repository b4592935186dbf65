// What a model takes and refuses where its own API is spoken, as far as its name tells.
// [pure but for yaml-cpp and answers it remembers]
// Read once from models.yaml, which is compiled in; the file explains each field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class thinking_form : std::uint8_t {
  budget,    // of tokens
  adaptive,  // with an effort
  level,     // a word; it cannot be turned off
  none,      // the model does not think, or takes no word about it
};

struct model_facts {
  std::vector<std::string> match;
  thinking_form thinking = thinking_form::budget;
  bool takes_budget = false;  // though it is adaptive
  bool always_thinks = false;
  std::vector<std::string> efforts;  // or levels, the least first
  bool effort_is_beta = false;
  std::int64_t least_budget = 0;
  std::int64_t most_budget = 0;
  std::vector<std::string> drop_params;
  bool one_sampling = false;
  bool takes_prefill = true;
  bool calls_beside_json = false;   // tools may be offered where the answer is to be JSON
  bool demands_signatures = false;  // calls without one are refused, also those of other models
  std::uint64_t context = 0;     // tokens of a prompt and its answer; 0: not known
  std::uint64_t max_output = 0;  // tokens; 0: not known
  std::string as_of;             // YYYY-MM-DD
};

// Of a model that no row matches nothing is known: it is taken to refuse nothing. Lives as long as the program.
const model_facts& facts_of(std::string_view model);

// The same of Gemini's models. A name that is not one of theirs counts as a model that cannot think.
const model_facts& gemini_facts_of(std::string_view model);

// Of all families.
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
  bool takes_cache_points = false;
  bool wants_results_alone = false;
  bool wants_short_ids = false;
  std::vector<std::string> result_media{"image", "document"};
  std::string as_of;  // YYYY-MM-DD
};

const converse_facts& converse_facts_of(std::string_view model);

const std::vector<converse_facts>& all_converse_facts();

// Which messages of an assistant must bring what it had thought.
enum class demanded_reasoning : std::uint8_t { none, of_calls, of_all };

// What a model takes of OpenAI's own APIs, as far as its name tells: by default it refuses nothing.
struct openai_facts {
  std::vector<std::string> match;
  std::vector<std::string> at;  // presets for which this holds; empty: wherever the model is
  bool serves_chat = true;      // false: it is reached by Responses alone
  bool thinks = false;          // its reasoning may be asked for, encrypted
  bool renames_max_tokens = false;
  std::vector<std::string> drop_params;
  std::vector<std::string> reject_params;
  bool takes_all_unthinking = false;  // with the effort `none` it refuses none of them
  demanded_reasoning demands = demanded_reasoning::none;
  std::string as_of;  // YYYY-MM-DD
};

// `preset` may be empty. Lives as long as the program.
const openai_facts& openai_facts_of(std::string_view model, std::string_view preset);

const std::vector<openai_facts>& all_openai_facts();

// Reads what is read once now: some milliseconds, which the first request would take otherwise.
void read_model_facts();

}  // namespace photofinish::proxy
