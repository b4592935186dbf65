// Types for the facts in models.yaml and model_facts.yaml, which describe the requests that a model accepts and
// refuses. [pure] The files explain each field.
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

// The model whose facts are requested, and its provider.
struct asked_model {
  std::string_view name;
  std::string_view place;        // the provider's preset, or its host if it has no preset; may be empty
  // The model's provider. If there is no provider, or the provider has no catalogue, facts are only taken from the YAML
  // files.
  const provider* at = nullptr;
};

enum class thinking_form : std::uint8_t {
  budget,    // a thinking budget, which is a number of tokens
  adaptive,  // the model decides how long it thinks, and an effort guides it
  level,     // the model has levels of effort, and thinking cannot be turned off
  none,      // the model cannot think
  refused,   // the model cannot think, and refuses any thinking parameter
};

// The reasoning efforts that a model accepts. If `are_known` is true and the list is empty, the model accepts none.
struct known_efforts {
  bool are_known = false;
  std::vector<std::string> words;  // the accepted efforts, from the lowest to the highest

  auto operator<=>(const known_efforts&) const = default;
};

struct token_limits {
  std::uint64_t context = 0;     // the maximum size of a prompt and its answer together, in tokens; 0 if unknown
  std::uint64_t max_output = 0;  // the maximum size of an answer in tokens; 0 if unknown

  auto operator<=>(const token_limits&) const = default;
};

// The parameters by which requests control a model's thinking.
struct thinking_facts {
  thinking_form form = thinking_form::budget;
  bool takes_budget = false;  // true if thinking is adaptive, and the model also accepts a thinking budget
  bool is_always_on = false;
  std::string off = "disabled";      // the value of `thinking.type` that turns thinking off
  std::string off_effort;            // the highest effort that is accepted without thinking; empty if there is no limit
  std::vector<std::string> efforts;  // the reasoning efforts or levels, from the lowest to the highest
  bool effort_is_beta = false;
  std::int64_t least_budget = 0;
  std::int64_t most_budget = 0;
  bool is_bound = false;  // true if a thinking block is valid only in the conversation in which the model wrote it
};

struct model_facts {
  std::vector<std::string> match;
  thinking_facts thinking;
  std::vector<std::string> drop_params;
  bool one_sampling = false;
  bool takes_prefill = true;
  bool takes_forced_calls = true;
  bool takes_fast = false;
  std::vector<std::string> refused_tools;  // prefixes of tool types; the model refuses tools of these types
  bool calls_beside_json = false;          // true if the model accepts tools in requests for a JSON answer
  // True if the model refuses calls without a signature, even calls that another model made.
  bool demands_signatures = false;
  token_limits known;                      // the model's limits at this provider
  std::uint64_t max_output = 0;            // the highest answer limit to send; a higher limit is lowered; 0 if unknown
  std::string as_of;                       // the date of the newest source of these facts, as YYYY-MM-DD
  bool is_catch_all = false;               // true for the row of all models that have no row of their own
  bool takes_tiers = true;                 // true if the model accepts Gemini's tiers flex and priority
};

// The features of Converse that a model at Amazon Bedrock accepts, derived from the model's name. By default, the model
// refuses nothing.
struct converse_facts {
  std::vector<std::string> match;
  // The path of the effort's field, such as "reasoning.effort"; if empty, requests contain no effort.
  std::string think;
  std::vector<std::string> efforts;
  // The path of the top_k field, such as "inferenceConfig.topK"; if empty, requests contain no top_k.
  std::string top_k;
  std::vector<std::string> drop_params;
  bool takes_forced_calls = true;
  bool takes_schema = true;
  bool takes_result_status = true;
  bool takes_cache_points = false;
  bool wants_results_alone = false;
  bool wants_short_ids = false;
  bool wants_inline_refs = false;
  std::vector<std::string> result_media{"image", "document"};
  std::string as_of;        // the date of the newest source of these facts, as YYYY-MM-DD
  bool takes_tiers = true;  // true if the model accepts the tiers flex and priority
};

// Selects the assistant messages that must contain the model's reasoning in a conversation's history.
enum class demanded_reasoning : std::uint8_t { none, of_calls, of_all };

// The conditions under which a model accepts function tools in the chat API.
enum class chat_tools : std::uint8_t { always, without_effort, with_none };

// The kind of host that serves a model. Some rules for tools depend on the kind.
enum class serving_place : std::uint8_t { openai, foundry, elsewhere };

enum class forced_calls : std::uint8_t {
  taken,
  unthinking,  // forced calls are accepted only if thinking is off
  chat,        // forced calls are accepted only in the chat API
  refused,
};

// The parameter that turns thinking off in the chat API.
enum class off_switch : std::uint8_t { effort_none, thinking, enable_thinking };

// The parameters that a model refuses.
struct refused_params {
  std::vector<std::string> drop;
  std::vector<std::string> reject;
  std::vector<std::string> never;         // parameters that are always dropped, whether thinking is on or off
  std::vector<std::string> never_reject;  // parameters that are always rejected, whether thinking is on or off
  bool only_thinking = false;             // if true, `drop` and `reject` apply only while thinking is on
};

// The parameters by which requests in OpenAI's APIs control a model's thinking.
struct openai_thinking {
  bool is_possible = false;    // true if requests may ask for the model's encrypted reasoning
  std::string default_effort;  // the effort that the model uses by default; empty if unknown
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
  std::array<chat_tools, 3> on_chat{};  // the rule for each kind of serving_place
  forced_calls forced = forced_calls::taken;
  bool chooses_auto = false;  // true if the model refuses every tool_choice except auto
  bool wants_stream = false;  // true if the model streams arguments only with the parameter tool_stream
};

// The features of OpenAI's own APIs that a model accepts, derived from the model's name. By default, the model refuses
// nothing.
struct openai_facts {
  std::vector<std::string> match;
  // the presets, or ends of host names, to which the row applies; empty if it applies to all
  std::vector<std::string> at;
  bool serves_chat = true;      // if false, only the Responses API serves the model
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
  // The name of the header that contains prompt_cache_key; empty if there is no such header.
  std::string conversation_header;
  // False if this model cannot apply code edits, although its provider has models that can.
  bool applies_edits = true;
  std::string mantle_path;          // replaces /v1; empty: /v1
  token_limits known;               // the model's limits at this provider
  std::uint64_t max_output = 0;     // the highest answer limit to send; a higher limit is lowered; 0 if unknown
  std::string as_of;                // the date of the newest source of these facts, as YYYY-MM-DD
  bool is_catch_all = false;        // true for the row of all models that have no row of their own
};

// The rules of a cloud that serves Claude, such as Bedrock or Vertex AI, but not Anthropic's own API.
struct cloud_facts {
  bool takes_all_betas = true;
  // Maps Anthropic's name for a beta feature to this cloud's name. Not used if the cloud accepts all beta features.
  std::map<std::string, std::string, std::less<>> betas;
  std::vector<std::string> refused_betas;  // the beta features that the cloud refuses, if it accepts all others
  std::vector<std::string> drop_params;
  std::vector<std::string> reject_params;
  std::vector<std::string> hosted_tools;  // prefixes of tool types; the cloud does not run tools of these types
  bool takes_top_mark = true;             // true if the cloud accepts cache_control at the top level of a request
};

}  // namespace photofinish::proxy
