// The facts of models.yaml and model_facts.yaml as types: what a model takes and refuses. The files explain each field.
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
  const provider* at = nullptr;  // null, or without a list: only the files that people write count
};

enum class thinking_form : std::uint8_t {
  budget,    // of tokens
  adaptive,  // with an effort
  level,     // a word; it cannot be turned off
  none,      // the model does not think
  refused,   // the same, and any word about it is an error
};

// The effort of a model's reasoning. `are_known`: an empty list says that the model takes no word.
struct known_efforts {
  bool are_known = false;
  std::vector<std::string> words;  // the least first

  auto operator<=>(const known_efforts&) const = default;
};

struct token_limits {
  std::uint64_t context = 0;     // tokens of a prompt and its answer; 0: not known
  std::uint64_t max_output = 0;  // tokens; 0: not known

  auto operator<=>(const token_limits&) const = default;
};

// How a model is asked to think.
struct thinking_facts {
  thinking_form form = thinking_form::budget;
  bool takes_budget = false;  // although it is adaptive
  bool is_always_on = false;
  std::string off = "disabled";  // the type of `thinking` that turns it off
  std::string off_effort;        // the highest effort without thinking; empty: any
  std::vector<std::string> efforts;  // or levels, the least first
  bool effort_is_beta = false;
  std::int64_t least_budget = 0;
  std::int64_t most_budget = 0;
  bool is_bound = false;  // its blocks fit only the conversation that they came from
};

struct model_facts {
  std::vector<std::string> match;
  thinking_facts thinking;
  std::vector<std::string> drop_params;
  bool one_sampling = false;
  bool takes_prefill = true;
  bool takes_forced_calls = true;
  bool takes_fast = false;
  std::vector<std::string> refused_tools;  // beginnings of types
  bool calls_beside_json = false;   // tools may be offered where the answer is to be JSON
  bool demands_signatures = false;  // calls without one are refused, also those of other models
  token_limits known;            // at this provider
  std::uint64_t max_output = 0;  // the most that is asked for, in tokens; 0: not known
  std::string as_of;             // YYYY-MM-DD
  bool is_catch_all = false;     // for models that no other row names
  bool takes_tiers = true;       // Gemini's flex and priority
};

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
  bool wants_inline_refs = false;
  std::vector<std::string> result_media{"image", "document"};
  std::string as_of;  // YYYY-MM-DD
  bool takes_tiers = true;  // flex and priority
};

// Which messages of an assistant must bring what it had thought.
enum class demanded_reasoning : std::uint8_t { none, of_calls, of_all };

// When a model takes function tools on chat.
enum class chat_tools : std::uint8_t { always, without_effort, with_none };

// Where a model is served, as far as that changes its rules for tools.
enum class serving_place : std::uint8_t { openai, foundry, elsewhere };

enum class forced_calls : std::uint8_t {
  taken,
  unthinking,  // without thinking alone
  chat,        // on chat alone
  refused,
};

// What turns thinking off on chat.
enum class off_switch : std::uint8_t { effort_none, thinking, enable_thinking };

// Parameters that a model refuses.
struct refused_params {
  std::vector<std::string> drop;
  std::vector<std::string> reject;
  std::vector<std::string> never;         // dropped, thinking or not
  std::vector<std::string> never_reject;  // rejected, thinking or not
  bool only_thinking = false;             // without thinking the model refuses none of `drop` and `reject`
};

// How a model of OpenAI's APIs is asked to think.
struct openai_thinking {
  bool is_possible = false;    // its reasoning may be asked for, encrypted
  std::string default_effort;  // empty: not known
  known_efforts efforts;
  std::map<std::string, std::string, std::less<>> effort_as;
  bool max_on_chat = true;
  bool is_always_on = false;
  off_switch off = off_switch::effort_none;
  bool is_adaptive = false;  // `thinking` of the type enabled is called adaptive
  demanded_reasoning demands = demanded_reasoning::none;
};

// How a model takes tools.
struct openai_tools {
  std::array<chat_tools, 3> on_chat{};  // by serving_place
  forced_calls forced = forced_calls::taken;
  bool chooses_auto = false;  // any other tool_choice is refused
  bool wants_stream = false;  // the parameter tool_stream
};

// What a model takes of OpenAI's own APIs, as far as its name tells: by default it refuses nothing.
struct openai_facts {
  std::vector<std::string> match;
  std::vector<std::string> at;  // presets or ends of hosts for which this holds; empty: wherever the model is
  bool serves_chat = true;      // false: it is reached by Responses alone
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
  std::string conversation_header;  // gets prompt_cache_key; empty: none
  bool applies_edits = true;        // false: not it, though its provider has models that do
  std::string mantle_path;          // in place of /v1; empty: that
  token_limits known;               // at this provider
  std::uint64_t max_output = 0;     // the most that is asked for, in tokens; 0: not known
  std::string as_of;  // YYYY-MM-DD
  bool is_catch_all = false;  // for models that no other row names
};

// Claude somewhere else than at Anthropic: what that place takes.
struct cloud_facts {
  bool takes_all_betas = true;
  std::map<std::string, std::string, std::less<>> betas;  // asked -> as it is called there; not taking all
  std::vector<std::string> refused_betas;                 // taking all but these
  std::vector<std::string> drop_params;
  std::vector<std::string> reject_params;
  std::vector<std::string> hosted_tools;  // beginnings of types that it does not run
  bool takes_top_mark = true;             // cache_control of the whole request
};

}  // namespace photofinish::proxy
