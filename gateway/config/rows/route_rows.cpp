// Table rows of the settings about routes and their races.
#include "gateway/config/rows/setting_rows.hpp"

#include <array>

namespace photofinish::gateway {
namespace {

using enum setting_type;

using proxy::required_facts;
using racing::crawl_settings;
using racing::race_settings;

constexpr std::array<std::string_view, 1> rule_shapes{"apply"};
constexpr std::array<std::string_view, 2> unknown_facts{"skip", "allow"};

// clang-format off: a row is one or two lines
constexpr setting race_rows[] = {
    plain<&race_settings::policy>("policy",
     "How targets start: all starts max_parallel targets at the same time; hedge starts one more after each "
     "hedge_delay without a token; adaptive decides by the known speeds of the targets, within max_extra_cost; "
     "fallback starts the next one after a failure"),
    plain<&race_settings::sort>("sort",
     "The order in which targets are considered: as listed, by the time to the first token, by tokens per second, by "
     "the end of the answer, or by cost; by default ttft with adaptive, otherwise listed"),
    plain<&race_settings::max_extra_cost>("max_extra_cost",
     "With adaptive: the cost that losing attempts may add, as a share of the winners' cost; 0: no hedges"),
    plain<&race_settings::deadline>("deadline",
     "With adaptive: the time limit for the first token, or for the whole answer if the client waits for that; to meet "
     "it, more targets start at the same time, within max_extra_cost and max_parallel"),
    plain<&race_settings::cache, &racing::cache_race_settings::prompt_cache>("prompt_cache",
     "Whether predicted times and costs consider the part of a conversation that is in a target's prompt cache; by "
     "default follow with adaptive, otherwise ignore"),
    plain<&race_settings::cache, &racing::cache_race_settings::twin_hedges>("twin_hedges",
     "With prompt_cache: follow, whether a hedge may be a second request to the same target"),
    plain<&race_settings::cache, &racing::cache_race_settings::finish_prefill>("finish_prefill",
     "With prompt_cache: follow, whether a loser that reads a long prompt without a cache runs to its first token if "
     "its input is billed anyway, for at most 15 s"),
    plain<&race_settings::max_parallel>("max_parallel",
     "Attempts that run at the same time, with every policy", {.least = 1}),
    plain<&race_settings::max_attempts>("max_attempts",
     "Attempts in total; by default as many as there are targets", {.least = 1}),
    {"hedge_delay", duration_or_auto, "300ms",
     "With hedge: the time without a token after which another target starts; auto: the 95th percentile of the first "
     "target's own times"},
    plain<&race_settings::wins>("win_on",
     "Which attempt wins: the one with any first token (any), with a first token that a person sees (visible), or with "
     "the earliest predicted end (finish); by default any, but finish for answers in one piece with sort: finish"),
    plain<&race_settings::stored>("stored",
     "What happens to a request with store: true: it runs one attempt at a time (fallback and default), or gets status "
     "400 (refuse); default also leaves an unset store as it is"),
    plain<&race_settings::observe_losers>("observe_losers",
     "The share of races, from 0 to 1, whose losers run to their first token before they are cancelled"),
    plain<&race_settings::race_timeout>("race_timeout",
     "The time limit from the request to the first token, over all attempts"),
    plain<&race_settings::first_token_timeout>("first_token_timeout",
     "The time limit for the first token of one attempt; by default race_timeout, with fallback race_timeout divided "
     "by the number of targets"),
    plain<&race_settings::stall_timeout>("stall_timeout",
     "An answer is cut if its winner sends nothing for this time", {.fallback = "240s"}),
    plain<&race_settings::crawl, &crawl_settings::min_tokens_per_second>("min_tokens_per_second",
     "A winner whose text is slower than this over crawl_window crawls: it is counted, and on_crawl decides what "
     "happens; by default every speed is accepted", {.least = 1}),
    plain<&race_settings::crawl, &crawl_settings::window>("crawl_window",
     "The time over which min_tokens_per_second is measured; only time in which the gateway waits for the answer's "
     "text counts"),
    plain<&race_settings::crawl, &crawl_settings::counts_reasoning>("crawl_in_reasoning",
     "Whether reasoning that comes as text is also watched; use this only if no target hides its reasoning or sends "
     "summaries"),
    plain<&race_settings::crawl, &crawl_settings::action>("on_crawl",
     "What happens to a winner that crawls: it continues and is reported, or its answer is cut with an error"),
    plain<&race_settings::crawl, &crawl_settings::breaking>("on_break",
     "What happens to an answer whose winner breaks off: it ends with an error, or another target continues plain "
     "text"),
    plain<&race_settings::keep_runner_up>("keep_runner_up",
     "How long one loser runs on after the decision, to answer if the winner fails or crawls before a byte was sent; "
     "only at providers with cancel_billing: stops; 0s: no loser runs on", {.may_be_zero = true}),
    plain<&race_settings::client_stall_timeout>("client_stall_timeout",
     "A client that accepts no byte for this time is cut", {.fallback = "60s"}),
    plain<&race_settings::keepalive_after>("keepalive_after",
     "After this time without an answer, the gateway sends status 200 and comments; 0s: never", {.may_be_zero = true}),
    plain<&race_settings::total_timeout>("total_timeout", "The time limit for one request from start to end"),
};

constexpr setting route_rows[] = {
    required_row({"targets", texts, "", "provider/model, in the order in which they start"}),
    {"aliases", texts, "[]",
     "Other names by which clients may call the route; * stands for any characters, for example in 'claude-*'"},
    {"race", one, "{}", "The settings of this route's race that differ from the default", section::race},
    {"rules", list_of, "[]",
     "Other settings for some requests: the first rule whose conditions are all met applies", section::rule},
    {"require", one, "{}", "Facts that the targets must have; other targets do not take part", section::require},
    {"cache", one, "",
     "Stores answers for equal requests; without this setting, each request is raced", section::cache},
};

constexpr setting rule_rows[] = {
    required_row({"name", text, "", "The rule's name in receipts; unique in its route"}),
    {"task", text, "", "Applies to requests with this task: x-race-task, otherwise metadata.task in the body"},
    {"project", text, "", "Applies to requests with this project: x-race-project"},
    plain<&route_rule::work>("class", "Applies to requests with this class: x-race-class, otherwise interactive"),
    {"shape", choice, "",
     "Applies to requests to apply an edit: the last message contains <code>, <update> and optionally <instruction>, "
     "in any order", {}, rule_shapes},
    plain<&route_rule::min_input_tokens>("min_input_tokens",
     "Applies to prompts with at least this number of tokens, as estimated", {.least = 1}),
    plain<&route_rule::max_input_tokens>("max_input_tokens",
     "Applies to prompts with at most this number of tokens, as estimated", {.least = 1}),
    plain<&route_rule::max_tokens>("max_tokens",
     "Applies to requests that allow at most this number of tokens for the answer", {.least = 1}),
    plain<&route_rule::tools>("tools", "Applies to requests with tools, or to requests without tools"),
    plain<&route_rule::response_format>("response_format", "Applies to requests for this format of the answer"),
    {"targets", texts, "", "provider/model, in the order in which they start; by default the route's"},
    {"require", one, "{}", "Facts that the targets must have, if they differ from the route's", section::require},
    {"race", one, "{}", "The settings of the rule's race that differ from the route's", section::race},
};

constexpr setting cache_rows[] = {
    plain<&cache_settings::ttl>("ttl", "How long an answer is kept; 0s: no answer is kept", {.may_be_zero = true}),
    plain<&cache_settings::max_entries>("max_entries", "The largest number of stored answers", {.least = 1}),
    plain<&cache_settings::max_bytes>("max_bytes",
     "The largest size of the stored answers; those of all routes together use at most an eighth of "
     "max_memory", {.type = size, .least = 1}),
    plain<&cache_settings::scope>("scope",
     "Who may get a stored answer: callers with the same key, with the same team, or all callers who may use the "
     "route"),
    plain<&cache_settings::coalesce>("coalesce", "Whether equal requests share one race while it runs"),
};

constexpr setting require_rows[] = {
    plain<&required_facts::quantization>("quantization",
     "The target's quantization must be one of these", {.type = choices, .words = quantization_words}),
    plain<&required_facts::min_context>("min_context",
     "The target's context must have at least this number of tokens", {.least = 1}),
    plain<&required_facts::min_output>("min_output",
     "The target's max_output must have at least this number of tokens", {.least = 1}),
    plain<&required_facts::tier>("tier", "The target's tier must be one of these", {.type = text_or_texts}),
    plain<&required_facts::allows_unknown>("unknown",
     "What happens to a target if such a fact is unknown: it does not take part (skip), or it runs "
     "(allow)", {.type = choice, .words = unknown_facts}),
};
// clang-format on

constexpr section_rows race_tables[] = {
    {section::race, race_rows}, {section::route, route_rows}, {section::rule, rule_rows},
    {section::cache, cache_rows}, {section::require, require_rows}};

}  // namespace

std::span<const section_rows> route_rows() { return race_tables; }

}  // namespace photofinish::gateway
