// The facts of models.yaml and model_facts.yaml as types: what a model accepts and refuses. The files explain each
// field.
// [pure]
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

// A question about a model.
struct asked_model {
  std::string_view name;
  std::string_view place;        // a preset, or else a host; may be empty
  const provider* at = nullptr;  // null, or a provider without a list: only the files that people write count
};

enum class thinking_form : std::uint8_t {
  budget,    // a number of tokens
  adaptive,  // the model decides how long it thinks; an effort guides it
  level,     // an effort alone; thinking cannot be turned off
  none,      // the model does not think
  refused,   // the model does not think, and any parameter about thinking is an error
};

// The efforts that a model accepts for its reasoning. An empty list with `are_known` means that the model accepts none.
struct known_efforts {
  bool are_known = false;
  std::vector<std::string> words;  // the lowest first

  auto operator<=>(const known_efforts&) const = default;
};

struct token_limits {
  std::uint64_t context = 0;     // tokens of a prompt and its answer; 0: not known
  std::uint64_t max_output = 0;  // tokens; 0: not known

  auto operator<=>(const token_limits&) const = default;
};

// The parameters that control a model's thinking.
struct thinking_facts {
  thinking_form form = thinking_form::budget;
  bool takes_budget = false;  // accepts a budget although it is adaptive
  bool is_always_on = false;
  std::string off = "disabled";  // the type of `thinking` that turns thinking off
  std::string off_effort;        // the highest effort without thinking; empty: any
  std::vector<std::string> efforts;  // efforts or levels, the lowest first
  bool effort_is_beta = false;
  std::int64_t least_budget = 0;
  std::int64_t most_budget = 0;
  bool is_bound = false;  // its blocks of thinking fit only the conversation that they came from
};

struct model_facts {
  std::vector<std::string> match;
  thinking_facts thinking;
  std::vector<std::string> drop_params;
  bool one_sampling = false;
  bool takes_prefill = true;
  bool takes_forced_calls = true;
  bool takes_fast = false;
  std::vector<std::string> refused_tools;  // beginnings of the types that it refuses
  bool calls_beside_json = false;   // accepts tools in requests for a JSON answer
  bool demands_signatures = false;  // refuses calls without a signature, also calls that other models made
  token_limits known;            // the limits at this provider
  std::uint64_t max_output = 0;  // the largest answer that requests ask for, in tokens; 0: not known
  std::string as_of;             // YYYY-MM-DD
  bool is_catch_all = false;     // a row for models that no other row names
  bool takes_tiers = true;       // accepts Gemini's tiers flex and priority
};

// The parts of Converse that a model at Amazon Bedrock accepts, as far as its name shows. By default it refuses
// nothing.
struct converse_facts {
  std::vector<std::string> match;
  std::string think;  // for example "reasoning.effort"; empty: requests contain no effort
  std::vector<std::string> efforts;
  std::string top_k;  // for example "inferenceConfig.topK"; empty: top_k is left out
  std::vector<std::string> drop_params;
  bool takes_forced_calls = true;
  bool takes_schema = true;
  bool takes_result_status = true;
  bool takes_cache_points = false;
  bool wants_results_alone = false;
  bool wants_short_ids = false;
  bool wants_inline_refs = false;
  std::vector<std::string> result_media{"image", "document"};
  std::string as_of;  // YYYY-MM-DD
  bool takes_tiers = true;  // accepts flex and priority
};

// The assistant's messages in a history that must contain their reasoning.
enum class demanded_reasoning : std::uint8_t { none, of_calls, of_all };

// The conditions under which a model accepts function tools on chat.
enum class chat_tools : std::uint8_t { always, without_effort, with_none };

// The place that serves a model, as far as it changes the model's rules for tools.
enum class serving_place : std::uint8_t { openai, foundry, elsewhere };

enum class forced_calls : std::uint8_t {
  taken,
  unthinking,  // accepted only without thinking
  chat,        // accepted only on chat
  refused,
};

// The parameter that turns thinking off on chat.
enum class off_switch : std::uint8_t { effort_none, thinking, enable_thinking };

// Parameters that a model refuses.
struct refused_params {
  std::vector<std::string> drop;
  std::vector<std::string> reject;
  std::vector<std::string> never;         // dropped whether or not the model thinks
  std::vector<std::string> never_reject;  // rejected whether or not the model thinks
  bool only_thinking = false;             // `drop` and `reject` apply only while the model thinks
};

// The parameters that control thinking of a model that OpenAI's APIs serve.
struct openai_thinking {
  bool is_possible = false;    // requests may ask for its encrypted reasoning
  std::string default_effort;  // empty: not known
  known_efforts efforts;
  std::map<std::string, std::string, std::less<>> effort_as;
  bool max_on_chat = true;
  bool is_always_on = false;
  off_switch off = off_switch::effort_none;
  bool is_adaptive = false;  // its word for the type `enabled` of `thinking` is `adaptive`
  demanded_reasoning demands = demanded_reasoning::none;
};

// A model's rules for tools.
struct openai_tools {
  std::array<chat_tools, 3> on_chat{};  // indexed by serving_place
  forced_calls forced = forced_calls::taken;
  bool chooses_auto = false;  // refuses every tool_choice except auto
  bool wants_stream = false;  // sends arguments in parts only if the parameter tool_stream is set
};

// The parts of OpenAI's own APIs that a model accepts, as far as its name shows. By default it refuses nothing.
struct openai_facts {
  std::vector<std::string> match;
  std::vector<std::string> at;  // presets or ends of host names to which the row applies; empty: all
  bool serves_chat = true;      // false: only Responses serve it
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
  std::string conversation_header;  // the header that gets prompt_cache_key; empty: none
  bool applies_edits = true;        // false: not this model, though its provider has models that do
  std::string mantle_path;          // replaces /v1; empty: /v1
  token_limits known;               // the limits at this provider
  std::uint64_t max_output = 0;     // the largest answer that requests ask for, in tokens; 0: not known
  std::string as_of;  // YYYY-MM-DD
  bool is_catch_all = false;  // a row for models that no other row names
};

// The rules of a place other than Anthropic that serves Claude.
struct cloud_facts {
  bool takes_all_betas = true;
  // Unless all are accepted: Anthropic's name -> the place's name.
  std::map<std::string, std::string, std::less<>> betas;
  std::vector<std::string> refused_betas;                 // if all others are accepted
  std::vector<std::string> drop_params;
  std::vector<std::string> reject_params;
  std::vector<std::string> hosted_tools;  // beginnings of the types of tools that it does not run
  bool takes_top_mark = true;             // accepts cache_control of the whole request
};

}  // namespace photofinish::proxy
