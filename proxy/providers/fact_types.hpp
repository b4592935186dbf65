// The facts of models.yaml and model_facts.yaml as types. They say which requests a model accepts and refuses. The
// files explain each field. [pure]
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct provider;

// Names a model whose facts are requested.
struct asked_model {
  std::string_view name;
  std::string_view place;        // a preset, or otherwise a host; may be empty
  const provider* at = nullptr;  // if it is null or has no list, only the files that people write count
};

enum class thinking_form : std::uint8_t {
  budget,    // a budget, which is a number of tokens
  adaptive,  // the model decides how long it thinks, and an effort guides it
  level,     // only an effort; thinking cannot be turned off
  none,      // the model cannot think
  refused,   // the model cannot think, and any parameter about thinking is an error
};

// The efforts that a model accepts for its reasoning. An empty list with `are_known` means that the model accepts none.
struct known_efforts {
  bool are_known = false;
  std::vector<std::string> words;  // from the lowest effort to the highest

  auto operator<=>(const known_efforts&) const = default;
};

struct token_limits {
  std::uint64_t context = 0;     // tokens of a prompt and its answer together; 0: not known
  std::uint64_t max_output = 0;  // tokens of an answer; 0: not known

  auto operator<=>(const token_limits&) const = default;
};

// The parameters that control a model's thinking.
struct thinking_facts {
  thinking_form form = thinking_form::budget;
  bool takes_budget = false;  // an adaptive model that also accepts a budget
  bool is_always_on = false;
  std::string off = "disabled";      // the value of `thinking.type` that turns thinking off
  std::string off_effort;            // the highest effort without thinking; empty if there is no limit
  std::vector<std::string> efforts;  // efforts or levels, from the lowest to the highest
  bool effort_is_beta = false;
  std::int64_t least_budget = 0;
  std::int64_t most_budget = 0;
  bool is_bound = false;  // blocks of thinking are valid only in the conversation that they came from
};

struct model_facts {
  std::vector<std::string> match;
  thinking_facts thinking;
  std::vector<std::string> drop_params;
  bool one_sampling = false;
  bool takes_prefill = true;
  bool takes_forced_calls = true;
  bool takes_fast = false;
  std::vector<std::string> refused_tools;  // beginnings of the types of tools that the model refuses
  bool calls_beside_json = false;          // the model accepts tools in requests for a JSON answer
  bool demands_signatures = false;         // the model refuses calls without a signature, even calls of other models
  token_limits known;                      // the model's limits at this provider
  std::uint64_t max_output = 0;            // the largest answer that requests ask for, in tokens; 0: not known
  std::string as_of;                       // a date as YYYY-MM-DD
  bool is_catch_all = false;               // true for a row that covers models without a row of their own
  bool takes_tiers = true;                 // the model accepts Gemini's tiers flex and priority
};

// The parts of Converse that a model at Amazon Bedrock accepts, as far as the model's name shows. By
// default it refuses nothing.
struct converse_facts {
  std::vector<std::string> match;
  std::string think;  // such as "reasoning.effort"; if empty, requests contain no effort
  std::vector<std::string> efforts;
  std::string top_k;  // such as "inferenceConfig.topK"; if empty, requests contain no top_k
  std::vector<std::string> drop_params;
  bool takes_forced_calls = true;
  bool takes_schema = true;
  bool takes_result_status = true;
  bool takes_cache_points = false;
  bool wants_results_alone = false;
  bool wants_short_ids = false;
  bool wants_inline_refs = false;
  std::vector<std::string> result_media{"image", "document"};
  std::string as_of;        // a date as YYYY-MM-DD
  bool takes_tiers = true;  // the model accepts the tiers flex and priority
};

// The assistant's messages in a history that must contain the model's reasoning.
enum class demanded_reasoning : std::uint8_t { none, of_calls, of_all };

// The conditions under which a model accepts function tools on chat.
enum class chat_tools : std::uint8_t { always, without_effort, with_none };

// The place that serves a model. The rules for tools depend on it.
enum class serving_place : std::uint8_t { openai, foundry, elsewhere };

enum class forced_calls : std::uint8_t {
  taken,
  unthinking,  // tools are accepted only if the model does not think
  chat,        // tools are accepted only by the API chat
  refused,
};

// The parameter that turns thinking off in the API chat.
enum class off_switch : std::uint8_t { effort_none, thinking, enable_thinking };

// The parameters that a model refuses.
struct refused_params {
  std::vector<std::string> drop;
  std::vector<std::string> reject;
  std::vector<std::string> never;         // always dropped, whether or not the model thinks
  std::vector<std::string> never_reject;  // always rejected, whether or not the model thinks
  bool only_thinking = false;             // if true, `drop` and `reject` apply only while the model thinks
};

// The parameters that control the thinking of a model that OpenAI's APIs serve.
struct openai_thinking {
  bool is_possible = false;    // true if requests may ask for the model's encrypted reasoning
  std::string default_effort;  // empty if it is not known
  known_efforts efforts;
  std::map<std::string, std::string, std::less<>> effort_as;
  bool max_on_chat = true;
  bool is_always_on = false;
  off_switch off = off_switch::effort_none;
  bool is_adaptive = false;  // if true, `thinking.type` is `adaptive` instead of `enabled`
  demanded_reasoning demands = demanded_reasoning::none;
};

// A model's rules for tools.
struct openai_tools {
  std::array<chat_tools, 3> on_chat{};  // one value for each serving_place
  forced_calls forced = forced_calls::taken;
  bool chooses_auto = false;  // the model refuses every tool_choice except auto
  bool wants_stream = false;  // the model sends arguments in parts only if the parameter tool_stream is set
};

// The parts of OpenAI's own APIs that a model accepts, as far as the model's name shows. By default it refuses nothing.
struct openai_facts {
  std::vector<std::string> match;
  std::vector<std::string> at;  // presets or ends of host names to which the row applies; empty: all
  bool serves_chat = true;      // if false, only the API Responses serves the model
  bool serves_responses = true;
  bool renames_max_tokens = false;
  refused_params params;
  openai_thinking thinking;
  openai_tools tools;
  bool schema_on_chat = true;
  std::size_t most_stops = 0;         // 0: not known
  std::size_t longest_stop = 0;       // bytes
  bool wants_inline_refs = false;
  bool wants_short_ids = false;
  std::string conversation_header;  // the header that gets prompt_cache_key; empty if there is none
  bool applies_edits = true;        // false if this model cannot apply edits, though its provider has models that can
  std::string mantle_path;          // replaces /v1; empty: /v1
  token_limits known;               // the model's limits at this provider
  std::uint64_t max_output = 0;     // the largest answer that requests ask for, in tokens; 0: not known
  std::string as_of;                // a date as YYYY-MM-DD
  bool is_catch_all = false;        // true for a row that covers models without a row of their own
};

// The rules of a place other than Anthropic that serves Claude.
struct cloud_facts {
  bool takes_all_betas = true;
  // Maps Anthropic's name of a beta to the name at this place. Unused if the place accepts all betas.
  std::map<std::string, std::string, std::less<>> betas;
  std::vector<std::string> refused_betas;  // the betas that the place refuses, if it accepts all others
  std::vector<std::string> drop_params;
  std::vector<std::string> reject_params;
  std::vector<std::string> hosted_tools;  // beginnings of the types of tools that the place does not run
  bool takes_top_mark = true;             // the place accepts cache_control of a whole request
};

}  // namespace photofinish::proxy
