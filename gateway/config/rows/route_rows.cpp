// Rows of the settings table for the settings of routes and their races.
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
     "How targets start: with `all`, `max_parallel` targets start at the same time; with `hedge`, another target "
     "starts after each `hedge_delay` without a token; with `adaptive`, the gateway decides by the measured speeds of "
     "the targets, within `max_extra_cost`; with `fallback`, the next target starts after a failure"),
    plain<&race_settings::sort>("sort",
     "The order of the targets: as listed, by the time to the first token, by tokens per second, by the time to the "
     "end of the answer, or by cost; by default `ttft` with `policy: adaptive`, otherwise `listed`"),
    plain<&race_settings::max_extra_cost>("max_extra_cost",
     "With `policy: adaptive`, the maximum cost of losing attempts, as a share of the winners' cost; 0: no hedges"),
    plain<&race_settings::deadline>("deadline",
     "With `policy: adaptive`, the time limit for the first token, or for the whole answer if the client waits for the "
     "whole answer; to meet this limit, more targets start at the same time, within `max_extra_cost` and "
     "`max_parallel`"),
    plain<&race_settings::cache, &racing::cache_race_settings::prompt_cache>("prompt_cache",
     "Whether predicted times and costs consider how much of the prompt is in a target's prompt cache; by default "
     "`follow` with `policy: adaptive`, otherwise `ignore`"),
    plain<&race_settings::cache, &racing::cache_race_settings::twin_hedges>("twin_hedges",
     "With `prompt_cache: follow`, whether a hedge may be a second request to the same target"),
    plain<&race_settings::cache, &racing::cache_race_settings::finish_prefill>("finish_prefill",
     "With `prompt_cache: follow`, whether a loser with a long uncached prompt may run to its first token, at most 15 "
     "s, if its input is billed anyway"),
    plain<&race_settings::max_parallel>("max_parallel",
     "The maximum number of attempts of one request that run at the same time, with every policy", {.least = 1}),
    plain<&race_settings::max_attempts>("max_attempts",
     "The maximum number of attempts of a request; by default the number of targets", {.least = 1}),
    {"hedge_delay", duration_or_auto, "300ms",
     "With `policy: hedge`, the time without a token after which another target starts; auto: the 95th percentile of "
     "the first target's measured times"},
    plain<&race_settings::wins>("win_on",
     "Which attempt wins: the first with any token (any), the first with a token that a person sees (visible), or the "
     "attempt with the earliest predicted end (finish); by default `any`; with `sort: finish`, `finish` for answers in "
     "one piece"),
    plain<&race_settings::stored>("stored",
     "What happens to requests with `store: true`: they run one attempt at a time (fallback and default), or get "
     "status 400 (refuse); with default, the gateway does not set a missing `store` to false"),
    plain<&race_settings::observe_losers>("observe_losers",
     "The share of races, from 0 to 1, whose losers run to their first token before they are cancelled"),
    plain<&race_settings::race_timeout>("race_timeout",
     "The time limit from the request to the first token, over all attempts"),
    plain<&race_settings::first_token_timeout>("first_token_timeout",
     "The time limit for the first token of one attempt; by default `race_timeout`; with `policy: fallback`, "
     "`race_timeout` divided by the number of targets"),
    plain<&race_settings::stall_timeout>("stall_timeout",
     "The time without data from the winner after which its answer is cut", {.fallback = "240s"}),
    plain<&race_settings::crawl, &crawl_settings::min_tokens_per_second>("min_tokens_per_second",
     "The minimum speed of a winner's text, measured over `crawl_window`; a slower winner is counted as crawling, and "
     "`on_crawl` applies; by default every speed is accepted", {.least = 1}),
    plain<&race_settings::crawl, &crawl_settings::window>("crawl_window",
     "The time over which `min_tokens_per_second` is measured; only time in which the gateway waits for the answer's "
     "text counts"),
    plain<&race_settings::crawl, &crawl_settings::counts_reasoning>("crawl_in_reasoning",
     "Whether the minimum speed also applies to reasoning; use this only if all targets stream their full reasoning as "
     "text"),
    plain<&race_settings::crawl, &crawl_settings::action>("on_crawl",
     "What happens to a winner that is slower than `min_tokens_per_second`: it continues and is reported, or its "
     "answer is cut with an error"),
    plain<&race_settings::crawl, &crawl_settings::breaking>("on_break",
     "What happens if the winner breaks off: the answer ends with an error, or another target continues the answer if "
     "it is plain text"),
    plain<&race_settings::keep_runner_up>("keep_runner_up",
     "How long one loser keeps running, to replace a winner that fails or crawls before any byte was sent; only at "
     "providers with `cancel_billing: stops`; 0s: no loser keeps running", {.may_be_zero = true}),
    plain<&race_settings::client_stall_timeout>("client_stall_timeout",
     "The time after which a client that accepts no data is disconnected", {.fallback = "60s"}),
    plain<&race_settings::keepalive_after>("keepalive_after",
     "The time without an answer after which the gateway sends status 200 and then comments, which SSE clients skip; "
     "0s: never", {.may_be_zero = true}),
    plain<&race_settings::total_timeout>("total_timeout", "The time limit for one request from start to end"),
};

constexpr setting route_rows[] = {
    required_row({"targets", texts, "", "The targets, as provider/model, in the order in which they start"}),
    {"aliases", texts, "[]",
     "Other names by which clients may call the route; * matches any characters, as in 'claude-*'"},
    {"race", one, "{}", "The settings of this route's race that differ from the default", section::race},
    {"rules", list_of, "[]",
     "Rules with other settings for some requests; the first rule whose conditions are all met applies", section::rule},
    {"require", one, "{}", "Facts that the targets must have; the route does not use other targets", section::require},
    {"cache", one, "",
     "Stores answers and reuses them for equal requests; without this setting, each request is raced", section::cache},
};

constexpr setting rule_rows[] = {
    required_row({"name", text, "", "The rule's name, which must be unique in the route and appears in receipts"}),
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
    {"targets", texts, "",
     "The targets, as provider/model, in the order in which they start; by default the targets of the route"},
    {"require", one, "{}",
     "Facts that the targets must have, if they differ from those of the route", section::require},
    {"race", one, "{}", "The settings of the rule's race that differ from those of the route", section::race},
};

constexpr setting cache_rows[] = {
    plain<&cache_settings::ttl>("ttl", "How long an answer is stored; 0s: no answer is stored", {.may_be_zero = true}),
    plain<&cache_settings::max_entries>("max_entries", "The maximum number of stored answers", {.least = 1}),
    plain<&cache_settings::max_bytes>("max_bytes",
     "The maximum total size of the stored answers; the stored answers of all routes together use at most an eighth of "
     "`max_memory`", {.type = size, .least = 1}),
    plain<&cache_settings::scope>("scope",
     "Who may get a stored answer: callers with the same key, with the same team, or all callers who may use the "
     "route"),
    plain<&cache_settings::coalesce>("coalesce", "Whether a request that is equal to a running request shares its "
                                                 "race"),
};

constexpr setting require_rows[] = {
    plain<&required_facts::quantization>("quantization",
     "The accepted quantizations of targets", {.type = choices, .words = quantization_words}),
    plain<&required_facts::min_context>("min_context",
     "The minimum `context` of targets, in tokens", {.least = 1}),
    plain<&required_facts::min_output>("min_output",
     "The minimum `max_output` of targets, in tokens", {.least = 1}),
    plain<&required_facts::tier>("tier", "The accepted tiers of targets", {.type = text_or_texts}),
    plain<&required_facts::allows_unknown>("unknown",
     "What happens to a target if a required fact is unknown: the target is not used (skip), or is used "
     "(allow)", {.type = choice, .words = unknown_facts}),
};
// clang-format on

constexpr section_rows race_tables[] = {
    {section::race, race_rows}, {section::route, route_rows}, {section::rule, rule_rows},
    {section::cache, cache_rows}, {section::require, require_rows}};

}  // namespace

std::span<const section_rows> route_rows() { return race_tables; }

}  // namespace photofinish::gateway
