// The settings of routes and their races.
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
    plain<&race_settings::policy>("policy", "all starts max_parallel targets at once, hedge one after each silent "
     "hedge_delay, adaptive by what is known of their speed and within max_extra_cost, fallback after a failure"),
    plain<&race_settings::sort>("sort", "In which order targets are considered: as listed, by the first token, by "
     "tok/s, by the end of the answer, or by cost; by default ttft with adaptive, else listed"),
    plain<&race_settings::max_extra_cost>("max_extra_cost",
     "With adaptive: what attempts that lose may add, as a share of what winners cost; 0 hedges nothing"),
    plain<&race_settings::deadline>("deadline", "With adaptive: for the first token, or for the whole answer where "
     "that is waited for; more targets start at once to meet it, within max_extra_cost and max_parallel"),
    plain<&race_settings::cache, &racing::cache_race_settings::prompt_cache>("prompt_cache",
     "Whether time and cost count what a target still has of a conversation in its prompt cache; by default follow "
     "with adaptive, else ignore"),
    plain<&race_settings::cache, &racing::cache_race_settings::twin_hedges>("twin_hedges",
     "With prompt_cache: follow, a hedge may be a second request to the same target"),
    plain<&race_settings::cache, &racing::cache_race_settings::finish_prefill>("finish_prefill",
     "With prompt_cache: follow, a loser that reads a long prompt without a cache runs to its first token where its "
     "input is billed anyway, 15 s at most"),
    plain<&race_settings::max_parallel>("max_parallel", "Attempts running at a time, in every policy", {.least = 1}),
    plain<&race_settings::max_attempts>("max_attempts", "Attempts in total; by default every target", {.least = 1}),
    {"hedge_delay", duration_or_auto, "300ms",
     "With hedge: the silence after which a further target starts; auto takes the first target's own 95th percentile"},
    plain<&race_settings::wins>("win_on", "What wins: any first token, only one that a person sees, or the attempt "
     "that is predicted to finish first; by default any, and finish for answers in one piece with sort: finish"),
    plain<&race_settings::stored>("stored",
     "A request with store: true: one attempt at a time, or 400; default also leaves an unset store as it is"),
    plain<&race_settings::observe_losers>("observe_losers",
     "The share of races, 0 to 1, whose losers run to their first token before they are cancelled"),
    plain<&race_settings::race_timeout>("race_timeout", "Request to first token, over all attempts"),
    plain<&race_settings::first_token_timeout>("first_token_timeout",
     "One attempt's; by default race_timeout, in fallback race_timeout / targets"),
    plain<&race_settings::stall_timeout>("stall_timeout",
     "A winner that is silent this long is cut", {.fallback = "240s"}),
    plain<&race_settings::crawl, &crawl_settings::min_tokens_per_second>("min_tokens_per_second",
     "A winner whose text comes slower than this over crawl_window crawls: it is counted, and on_crawl says what "
     "becomes of it; by default any speed will do", {.least = 1}),
    plain<&race_settings::crawl, &crawl_settings::window>("crawl_window",
     "The time that min_tokens_per_second is measured over; only time in which the answer's text is waited for counts"),
    plain<&race_settings::crawl, &crawl_settings::counts_reasoning>("crawl_in_reasoning",
     "Reasoning that comes as text is watched, too: only where no target thinks unseen or sends summaries"),
    plain<&race_settings::crawl, &crawl_settings::action>("on_crawl",
     "What becomes of a winner that crawls: it goes on and is reported, or its answer is cut with an error"),
    plain<&race_settings::crawl, &crawl_settings::breaking>("on_break",
     "What becomes of an answer whose winner breaks off: an error ends it, or plain text goes on at a further target"),
    plain<&race_settings::keep_runner_up>("keep_runner_up", "So long behind the decision one loser runs on, and "
     "answers where the winner fails or crawls before a byte of it was sent; at providers with cancel_billing: stops; "
     "0s keeps none", {.may_be_zero = true}),
    plain<&race_settings::client_stall_timeout>("client_stall_timeout",
     "A client that takes no byte this long is cut", {.fallback = "60s"}),
    plain<&race_settings::keepalive_after>("keepalive_after",
     "Answer 200 after it and send comments; 0s never does", {.may_be_zero = true}),
    plain<&race_settings::total_timeout>("total_timeout", "One request from start to end"),
};

constexpr setting route_rows[] = {
    required_row({"targets", texts, "", "provider/model, in the order they start"}),
    {"aliases", texts, "[]",
     "Further names that clients may call it by; in a name, * stands for any characters, as in 'claude-*'"},
    {"race", one, "{}", "This route's race, where it differs from the default", section::race},
    {"rules", list_of, "[]", "Requests that run otherwise: the first rule whose conditions all hold", section::rule},
    {"require", one, "{}", "What its targets' facts must be; those that are not sit out", section::require},
    {"cache", one, "", "Answers are kept for equal requests; without it each request is raced", section::cache},
};

constexpr setting rule_rows[] = {
    required_row({"name", text, "", "Its name in receipts; unique in its route"}),
    {"task", text, "", "Holds for requests of that task: x-race-task, else the body's metadata.task"},
    {"project", text, "", "Holds for requests of that project: x-race-project"},
    plain<&route_rule::work>("class", "Holds for requests of that class: x-race-class, else interactive"),
    {"shape", choice, "", "Holds for an edit to apply: a last message of <code>, <update> and perhaps <instruction>, "
     "in any order", {}, rule_shapes},
    plain<&route_rule::min_input_tokens>("min_input_tokens",
     "Holds for prompts of at least so many tokens, as estimated", {.least = 1}),
    plain<&route_rule::max_input_tokens>("max_input_tokens",
     "Holds for prompts of at most so many tokens, as estimated", {.least = 1}),
    plain<&route_rule::max_tokens>("max_tokens",
     "Holds for requests that allow at most so many tokens of answer", {.least = 1}),
    plain<&route_rule::tools>("tools", "Holds for requests that name tools, or that name none"),
    plain<&route_rule::response_format>("response_format", "Holds for requests that ask for this form of answer"),
    {"targets", texts, "", "provider/model, in the order they start; by default the route's"},
    {"require", one, "{}", "What its targets' facts must be, where it differs from the route's", section::require},
    {"race", one, "{}", "Its race, where it differs from the route's", section::race},
};

constexpr setting cache_rows[] = {
    plain<&cache_settings::ttl>("ttl", "How long an answer is kept; 0s keeps none", {.may_be_zero = true}),
    plain<&cache_settings::max_entries>("max_entries", "Answers at a time", {.least = 1}),
    plain<&cache_settings::max_bytes>("max_bytes",
     "What they take; those of all routes never take more than an eighth of max_memory", {.type = size, .least = 1}),
    plain<&cache_settings::scope>("scope",
     "Who is given whose answer: the same key, the same team, or any caller who may use the route"),
    plain<&cache_settings::coalesce>("coalesce", "Equal requests share one race while it runs"),
};

constexpr setting require_rows[] = {
    plain<&required_facts::quantization>("quantization",
     "One of these", {.type = choices, .words = quantization_words}),
    plain<&required_facts::min_context>("min_context", "A context of at least so many tokens", {.least = 1}),
    plain<&required_facts::min_output>("min_output", "A max_output of at least so many tokens", {.least = 1}),
    plain<&required_facts::tier>("tier", "One of these", {.type = text_or_texts}),
    plain<&required_facts::allows_unknown>("unknown", "What becomes of a target of which such a fact is not known: it "
     "sits out, or runs", {.type = choice, .words = unknown_facts}),
};
// clang-format on

constexpr section_rows race_tables[] = {
    {section::race, race_rows}, {section::route, route_rows}, {section::rule, rule_rows},
    {section::cache, cache_rows}, {section::require, require_rows}};

}  // namespace

std::span<const section_rows> route_rows() { return race_tables; }

}  // namespace photofinish::gateway
