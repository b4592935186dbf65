// Every metric that photofinish exposes. Tests check documentation, dashboards and alerts against this table. A new
// metric is first added here. docs/metrics explains the metrics to users. [pure]
#pragma once

#include "metrics/buckets.hpp"
#include "metrics/metric.hpp"
#include "metrics/outcomes.hpp"

#include <array>
#include <string_view>

namespace photofinish::metrics {

// The types of series that contain cells. They are declared in series.hpp and shard.hpp.
class shard;
struct guardrail_series;
struct limit_series;
struct project_series;
struct provider_series;
struct request_series;
struct route_series;
struct target_series;
struct usage_series;

namespace labels {
using name = std::string_view;
inline constexpr std::array<name, 0> none{};
inline constexpr std::array request{name{"route"}, name{"endpoint"}, name{"client"}, name{"outcome"}};
inline constexpr std::array route{name{"route"}};
inline constexpr std::array provider{name{"provider"}};
inline constexpr std::array connection{name{"provider"}, name{"kind"}};
inline constexpr std::array target{name{"provider"}, name{"model"}};
inline constexpr std::array attempt{name{"provider"}, name{"model"}, name{"outcome"}, name{"reason"}};
inline constexpr std::array sample{name{"provider"}, name{"model"}, name{"sample"}};
inline constexpr std::array stage{name{"provider"}, name{"model"}, name{"stage"}};
inline constexpr std::array source{name{"provider"}, name{"model"}, name{"source"}};
inline constexpr std::array reason{name{"provider"}, name{"model"}, name{"reason"}};
inline constexpr std::array billing{name{"provider"}, name{"model"}, name{"billing"}};
inline constexpr std::array target_result{name{"provider"}, name{"model"}, name{"result"}};
inline constexpr std::array prefix{name{"provider"}, name{"model"}, name{"expected"}, name{"found"}};
inline constexpr std::array route_cause{name{"route"}, name{"cause"}};
inline constexpr std::array cost{name{"provider"}, name{"model"}, name{"kind"}};
inline constexpr std::array route_why{name{"route"}, name{"why"}};
inline constexpr std::array route_reason{name{"route"}, name{"reason"}};
inline constexpr std::array route_result{name{"route"}, name{"result"}};
inline constexpr std::array guardrail{name{"name"}, name{"verdict"}};
inline constexpr std::array route_end{name{"route"}, name{"end"}};
inline constexpr std::array target_end{name{"provider"}, name{"model"}, name{"end"}};
inline constexpr std::array route_quantile{name{"route"}, name{"quantile"}};
inline constexpr std::array route_cost{name{"route"}, name{"kind"}, name{"currency"}};
inline constexpr std::array client_kind{name{"client"}, name{"team"}, name{"kind"}};
inline constexpr std::array client_tokens{name{"client"}, name{"team"}, name{"direction"}};
inline constexpr std::array project_kind{name{"project"}, name{"kind"}};
inline constexpr std::array project_tokens{name{"project"}, name{"direction"}};
inline constexpr std::array budget{name{"scope"}, name{"name"}};
inline constexpr std::array limit{name{"scope"}, name{"name"}, name{"kind"}};
inline constexpr std::array result{name{"result"}};
inline constexpr std::array issuer{name{"issuer"}};
inline constexpr std::array store_reason{name{"reason"}};
inline constexpr std::array probe{name{"provider"}, name{"model"}, name{"outcome"}};
inline constexpr std::array why{name{"reason"}};
inline constexpr std::array build{name{"version"}, name{"commit"}, name{"compiler"}};
inline constexpr std::array region{name{"region"}};
inline constexpr std::array config_hash{name{"hash"}};
inline constexpr std::array gen_ai{name{"gen_ai_operation_name"}, name{"gen_ai_provider_name"},
                                   name{"gen_ai_request_model"}};
inline constexpr std::array gen_ai_token{gen_ai[0], gen_ai[1], gen_ai[2], name{"gen_ai_token_type"}};
inline constexpr std::array gen_ai_error{gen_ai[0], gen_ai[1], gen_ai[2], name{"error_type"}};
}  // namespace labels

namespace names {
using enum metric_kind;

// A row has template arguments if workers count its metric. The first argument is the type of series that contains the
// metric's cells. Each further argument is a type with the possible values of a label that these series do not have.
// The constructor's arguments are name, kind, unit, labels, help and buckets.

// clang-format off

inline constexpr row<request_series, endpoint, request_outcome> requests_total{
    "photofinish_requests_total", counter, "requests", labels::request, "Requests answered, by outcome."};
inline constexpr row<route_series> request_ttft{
    "photofinish_request_ttft_seconds", histogram, "seconds", labels::route,
    "Time from the request until its first token is written to the client, for streamed requests.", ttft_edges};
inline constexpr row<route_series> request_duration{
    "photofinish_request_duration_seconds", histogram, "seconds", labels::route,
    "Time from the request until the last byte of its answer is written.", request_edges};
inline constexpr row<route_series> overhead{
    "photofinish_overhead_seconds", histogram, "seconds", labels::route,
    "Time spent in the gateway: from the request to the first attempt, and from reading the first token to writing it.",
    own_time_edges};
inline constexpr row<target_series, attempt_outcome, attempt_reason> attempts_total{
    "photofinish_attempts_total", counter, "attempts", labels::attempt,
    "Attempts that have ended, by outcome and reason."};
inline constexpr row<target_series, ttft_sample> attempt_ttft{
    "photofinish_attempt_ttft_seconds", histogram, "seconds", labels::sample,
    "Time from the attempt's start, before DNS, connect and TLS, until its first token is read.", ttft_edges};
inline constexpr row<target_series> attempt_abandoned{
    "photofinish_attempt_abandoned_seconds", histogram, "seconds", labels::target,
    "Age of a losing attempt when it was cancelled: its first token would have taken at least this long.", ttft_edges};
inline constexpr row<target_series> attempt_first_byte{
    "photofinish_attempt_first_byte_seconds", histogram, "seconds", labels::target,
    "Time from the attempt's start until the first byte of its response is read.", ttft_edges};
inline constexpr row<target_series> attempt_first_visible{
    "photofinish_attempt_first_visible_seconds", histogram, "seconds", labels::target,
    "Time from the winner's start until its first token is read, not counting reasoning tokens.", ttft_edges};
inline constexpr row<target_series, reported_stage> attempt_reported{
    "photofinish_attempt_reported_seconds", histogram, "seconds", labels::stage,
    "Times that the winner's provider reports: the request's time in the queue, and the time to process the "
    "prompt.", ttft_edges};
inline constexpr row<target_series, token_source> output_speed{
    "photofinish_output_tokens_per_second", histogram, "tokens per second", labels::source,
    "Output speed of one answer after its first token, by the source of the token count.", speed_edges};
inline constexpr row<target_series, token_source> output_tokens_total{
    "photofinish_output_tokens_total", counter, "tokens", labels::source,
    "Output tokens of winners, by the source of the count."};
inline constexpr row<target_series> reasoning_tokens_total{
    "photofinish_reasoning_tokens_total", counter, "tokens", labels::target,
    "Reasoning tokens among the output tokens of winners, if the provider reports them."};
inline constexpr row<target_series, token_source> decode_tokens_total{
    "photofinish_decode_tokens_total", counter, "tokens", labels::source,
    "Output tokens after the first chunk, for the answers whose speed was measured."};
inline constexpr sum_row<target_series, token_source> decode_seconds_total{
    "photofinish_decode_seconds_total", counter, "seconds", labels::source,
    "Time from the first token to the last, for the answers whose speed was measured."};
inline constexpr row<target_series, unmeasurable_reason> unmeasurable_total{
    "photofinish_unmeasurable_total", counter, "answers", labels::reason,
    "Answers whose speed was not measured, by reason."};
inline constexpr row<target_series, repeat_reason> repeated_total{
    "photofinish_repeated_attempts_total", counter, "attempts", labels::reason,
    "Attempts that were repeated without the part of the request that the target had refused, by part."};
inline constexpr row<target_series, billing> lost_input_tokens_total{
    "photofinish_lost_input_tokens_total", counter, "tokens", labels::billing,
    "Estimated input tokens of attempts that did not win."};
inline constexpr row<target_series, billing> lost_output_tokens_total{
    "photofinish_lost_output_tokens_total", counter, "tokens", labels::billing,
    "Estimated output tokens of attempts that did not win."};
inline constexpr sum_row<target_series, cost_kind> cost_usd_total{
    "photofinish_cost_usd_total", counter, "US dollars", labels::cost,
    "Cost of attempts at their providers' prices: computed from the usage of winners, estimated for losers."};
inline constexpr row<target_series> unpriced_total{
    "photofinish_unpriced_attempts_total", counter, "attempts", labels::target,
    "Attempts whose cost is not counted, because their model's price is unknown."};
inline constexpr sum_row<route_series, spent_on, currency> speculation_cost_total{
    "photofinish_speculation_cost_total", counter, "USD or tokens", labels::route_cost,
    "Cost of attempts in adaptive races, as counted in the budget for hedges: winners, and losers by the reason why "
    "they were started."};
inline constexpr metric max_extra_cost{
    "photofinish_max_extra_cost", gauge, "1", labels::route,
    "Share of the winners' cost that an adaptive route may spend on losers: max_extra_cost."};
inline constexpr metric budget_fill{
    "photofinish_budget_fill", gauge, "1", labels::route,
    "Fill level of an adaptive route's budget for hedges, from 0 to 1."};
inline constexpr row<route_series, start_cause> starts_total{
    "photofinish_starts_total", counter, "attempts", labels::route_why,
    "Attempts of adaptive races started, by reason."};
inline constexpr row<route_series, held_back> hedges_held_back_total{
    "photofinish_hedges_held_back_total", counter, "hedges", labels::route_reason,
    "Hedges that did not start when they were due, by reason."};
inline constexpr row<route_series, move_reason> moves_total{
    "photofinish_moves_total", counter, "races", labels::route_cause,
    "Races that did not begin at the target whose cache has the largest part of the prompt, by cause."};
inline constexpr sum_row<route_series> move_cost_usd_total{
    "photofinish_move_cost_usd_total", counter, "US dollars", labels::route,
    "Expected extra cost of races that did not begin at the target whose cache has the largest part of the prompt."};
inline constexpr row<target_series, prompt_part> prompt_cache_tokens_total{
    "photofinish_prompt_cache_tokens_total", counter, "tokens", labels::target_result,
    "Input tokens of winners, as providers report them: read from the prompt cache, written into it, or neither."};
inline constexpr row<target_series, expected_prefix, found_prefix> prompt_cache_matches_total{
    "photofinish_prompt_cache_matches_total", counter, "attempts", labels::prefix,
    "Winners of races that prefer targets with the cached prompt, by whether the gateway expected most of the prompt "
    "in the cache, and whether the provider found it there."};
inline constexpr row<target_series> prefill_finished_total{
    "photofinish_prefill_finished_total", counter, "attempts", labels::target,
    "Losers that were allowed to run to their first token, so that their target has the prompt in its cache."};
inline constexpr metric prefixes{
    "photofinish_prefixes", gauge, "prefixes", labels::none, "Conversation prefixes that are remembered now."};
inline constexpr metric prefixes_dropped_total{
    "photofinish_prefixes_dropped_total", counter, "prefixes", labels::none,
    "Conversation prefixes that were not remembered because their caller had used up its share of max_prefixes."};
inline constexpr row<route_series> prediction_ratio{
    "photofinish_prediction_ratio", histogram, "1", labels::route,
    "Time to the first token in adaptive races, divided by the predicted median.", ratio_edges};
inline constexpr row<route_series, predicted> predictions_within_total{
    "photofinish_predictions_within_total", counter, "races", labels::route_quantile,
    "Adaptive races whose first token came within the predicted quantile."};
inline constexpr row<route_series> choice_changes_total{
    "photofinish_choice_changes_total", counter, "changes", labels::route,
    "Adaptive races that began at another target than the previous race."};
inline constexpr row<route_series, deadline_end> deadlines_total{
    "photofinish_deadlines_total", counter, "races", labels::route_end,
    "Adaptive races with a deadline, by result."};
inline constexpr row<route_series, hold_why> holds_total{
    "photofinish_holds_total", counter, "races", labels::route_why,
    "Races whose first token was held back to wait for a target that was expected to finish sooner, by the reason why "
    "the wait ended."};
inline constexpr row<route_series> hold{
    "photofinish_hold_seconds", histogram, "seconds", labels::route,
    "Time for which a race's first token was held back to wait for a target that was expected to finish "
    "sooner.", ttft_edges};
inline constexpr row<route_series, runner_up_end> runners_up_total{
    "photofinish_runners_up_total", counter, "attempts", labels::route_end,
    "Losers that kept running in case the winner fails (keep_runner_up), by result."};
inline constexpr row<target_series, crawl_end> crawls_total{
    "photofinish_crawls_total", counter, "answers", labels::target_end,
    "Winners that were slower than min_tokens_per_second, by what happened to their answer."};
inline constexpr row<provider_series> cancel{
    "photofinish_cancel_seconds", histogram, "seconds", labels::provider,
    "Time from the win, or from the client's disconnect, until a losing attempt is closed.", own_time_edges};
inline constexpr row<route_series> race_margin{
    "photofinish_race_margin_seconds", histogram, "seconds", labels::route,
    "Time between the winner's first token and the runner-up's first token, in observed races.", ttft_edges};
inline constexpr row<route_series> inflight_requests{
    "photofinish_inflight_requests", gauge, "requests", labels::route, "Requests being answered now."};
inline constexpr row<provider_series> inflight_attempts{
    "photofinish_inflight_attempts", gauge, "attempts", labels::provider, "Attempts running now."};
inline constexpr row<provider_series, connection_kind> upstream_connections_total{
    "photofinish_upstream_connections_total", counter, "connections", labels::connection,
    "Attempts started, by connection: new or warm."};
inline constexpr row<usage_series, rejection> limit_rejections_total{
    "photofinish_limit_rejections_total", counter, "requests", labels::client_kind,
    "Requests refused by the limits of an access key, its team or a route, by limit."};
inline constexpr row<limit_series, rejection> limit_reached_total{
    "photofinish_limit_reached_total", counter, "requests", labels::limit,
    "Requests refused by the limits of an access key, its team or a route, by the limit and its owner."};
inline constexpr row<shard, overload_reason> overload_refusals_total{
    "photofinish_overload_refusals_total", counter, "requests", labels::why,
    "Requests answered with gateway_overloaded, by the limit that was reached."};
inline constexpr row<usage_series, token_direction> client_tokens_total{
    "photofinish_client_tokens_total", counter, "tokens", labels::client_tokens,
    "Tokens of an access key's requests: those of winners, and an estimate for attempts that did not win."};
inline constexpr sum_row<usage_series, cost_kind> client_cost_usd_total{
    "photofinish_client_cost_usd_total", counter, "US dollars", labels::client_kind,
    "Cost of an access key's requests, if prices are known: computed from the usage of winners, estimated for losers."};
inline constexpr row<project_series, token_direction> project_tokens_total{
    "photofinish_project_tokens_total", counter, "tokens", labels::project_tokens,
    "Tokens of requests that name a project: those of winners, and an estimate for attempts that did not win."};
inline constexpr sum_row<project_series, cost_kind> project_cost_usd_total{
    "photofinish_project_cost_usd_total", counter, "US dollars", labels::project_kind,
    "Cost of requests that name a project, if prices are known: computed from the usage of winners, estimated for "
    "losers."};
inline constexpr metric budget_usd{
    "photofinish_budget_usd", gauge, "US dollars", labels::budget,
    "The configured max_budget of an access key, a team or a route."};
inline constexpr metric budget_spend_usd{
    "photofinish_budget_spend_usd", gauge, "US dollars", labels::budget,
    "Amount of max_budget that has been spent since the budget's window began."};
inline constexpr metric identity_keys_age{
    "photofinish_identity_keys_age_seconds", gauge, "seconds", labels::issuer,
    "Time since an identity provider's keys were fetched."};
inline constexpr metric audit_lines_total{
    "photofinish_audit_lines_total", counter, "lines", labels::result,
    "Lines of the audit log, written or dropped."};
inline constexpr metric content_log_lines_total{
    "photofinish_content_log_lines_total", counter, "lines", labels::result,
    "Requests to be recorded in the content log, by whether their lines were written or dropped."};
inline constexpr metric state_folder_writable{
    "photofinish_state_folder_writable", gauge, "1", labels::none,
    "1 if the last write to the state folder succeeded, 0 if it failed."};
inline constexpr metric egress_works{
    "photofinish_egress_works", gauge, "1", labels::none,
    "0 if this gateway can reach none of its routes' providers, otherwise 1."};
inline constexpr metric store_up{
    "photofinish_store_up", gauge, "1", labels::none,
    "1 if the store shared by several gateways answers, otherwise 0."};
inline constexpr metric store_call_seconds{
    "photofinish_store_call_seconds", histogram, "seconds", labels::none,
    "Time of exchanges with the store, including connections and failed exchanges.", store_edges};
inline constexpr metric store_errors_total{
    "photofinish_store_errors_total", counter, "errors", labels::store_reason,
    "Exchanges with the store that failed, and commands that it refused, by reason."};
inline constexpr metric limits_degraded{
    "photofinish_limits_degraded", gauge, "1", labels::none,
    "1 if limits and budgets are not shared now, because the store is down or refuses some of them."};
inline constexpr metric limit_waits_total{
    "photofinish_limit_waits_total", counter, "requests", labels::result,
    "Requests that waited for the store because the gateway's lease of a limit was used up, by result: answered or "
    "late."};
inline constexpr metric replicas{
    "photofinish_replicas", gauge, "gateways", labels::none, "Number of gateways that are known to share the store."};
inline constexpr metric budgets_restored_total{
    "photofinish_budgets_restored_total", counter, "budgets", labels::none,
    "Spent amounts of budgets that the store had lost and this gateway restored."};
inline constexpr metric store_access_keys{
    "photofinish_store_access_keys", gauge, "keys", labels::none,
    "Access keys in the store when the gateway last read it."};
inline constexpr metric spans_total{
    "photofinish_spans_total", counter, "spans", labels::result,
    "Spans of traces: exported, dropped because the buffer was full, or failed at the collector."};
inline constexpr metric probes_total{
    "photofinish_probes_total", counter, "probes", labels::probe,
    "Probes that the gateway has sent to measure targets, by outcome."};
inline constexpr metric probe_cost_usd_total{
    "photofinish_probe_cost_usd_total", counter, "US dollars", labels::target,
    "Cost of probes by their targets' prices; other cost metrics do not include it."};
inline constexpr metric probe_budget_usd{
    "photofinish_probe_budget_usd", gauge, "US dollars", labels::none,
    "Limit on the cost of probes per day (UTC): max_cost_per_day; 0 if no probes are sent."};
inline constexpr metric probe_spend_usd{
    "photofinish_probe_spend_usd", gauge, "US dollars", labels::none, "Cost of probes on the current day (UTC)."};
inline constexpr row<route_series, cache_result> cache_requests_total{
    "photofinish_cache_requests_total", counter, "requests", labels::route_result,
    "Requests to routes with a cache, by the cache's result."};
inline constexpr metric cache_answers{
    "photofinish_cache_answers", gauge, "answers", labels::none,
    "Answers in the cache, for all routes."};
inline constexpr metric cache_bytes{
    "photofinish_cache_bytes", gauge, "bytes", labels::none, "Memory used by the answers in the cache."};
inline constexpr row<guardrail_series, guardrail_verdict> guardrail_seconds{
    "photofinish_guardrail_seconds", histogram, "seconds", labels::guardrail,
    "Time until a guardrail returned its verdict, by verdict.", store_edges};
inline constexpr metric memory_used{
    "photofinish_memory_used_bytes", gauge, "bytes", labels::none,
    "Memory used by all requests: bodies, whole answers, buffered events, and data that clients have not read yet."};
inline constexpr metric memory_limit{
    "photofinish_memory_limit_bytes", gauge, "bytes", labels::none, "Limit on the memory of all requests: max_memory."};
inline constexpr metric memory_refusals_total{
    "photofinish_memory_refusals_total", counter, "refusals", labels::none,
    "Requests refused, and answers cut short, because max_memory was reached."};
inline constexpr metric refused_connections_total{
    "photofinish_refused_connections_total", counter, "connections", labels::why,
    "Client connections closed before their first request, by reason: address, PROXY header, TLS handshake."};
inline constexpr metric tls_certificate_expiry{
    "photofinish_tls_certificate_expiry_timestamp_seconds", gauge, "seconds", labels::none,
    "Time at which the gateway's TLS certificate expires, in seconds since 1970."};
inline constexpr metric config_reload{
    "photofinish_config_last_reload_successful", gauge, "1", labels::none,
    "1 if the newest configuration is in use, 0 if it was refused."};
inline constexpr metric config_reloaded_at{
    "photofinish_config_last_reload_success_timestamp_seconds", gauge, "seconds", labels::none,
    "Time at which the running configuration was loaded, in seconds since 1970."};
inline constexpr metric config_info{
    "photofinish_config_info", gauge, "1", labels::config_hash,
    "Always 1; the label is a hash of the running configuration, without secrets."};
inline constexpr metric unpriced_targets{
    "photofinish_unpriced_targets", gauge, "targets", labels::none,
    "Targets of routes and models of providers whose price is unknown: their costs are not counted."};
inline constexpr metric catalogue_age{
    "photofinish_catalogue_age_seconds", gauge, "seconds", labels::none,
    "Age of the list of prices and limits of models: seconds since its date."};
inline constexpr metric build_info{
    "photofinish_build_info", gauge, "1", labels::build, "Always 1; the labels name the running version."};

inline constexpr metric region_info{
    "photofinish_region_info", gauge, "1", labels::region,
    "Always 1 if the configuration has a region; the label names it."};

inline constexpr row<target_series> gen_ai_ttft{
    "gen_ai_server_time_to_first_token_seconds", histogram, "seconds", labels::gen_ai,
    "Time until the winner's first token.", otel_ttft_edges};
inline constexpr row<target_series> gen_ai_token_time{
    "gen_ai_server_time_per_output_token_seconds", histogram, "seconds", labels::gen_ai,
    "The winner's time per output token after the first token.", token_time_edges};
inline constexpr row<target_series, token_type> gen_ai_token_usage{
    "gen_ai_client_token_usage", histogram, "tokens", labels::gen_ai_token,
    "Tokens of one answer, as the winner's provider counted them.", otel_token_edges};
inline constexpr row<target_series, gen_ai_error> gen_ai_duration{
    "gen_ai_client_operation_duration_seconds", histogram, "seconds", labels::gen_ai_error,
    "Duration of the winner's attempt.", otel_duration_edges};

inline constexpr metric process_cpu_seconds_total{
    "process_cpu_seconds_total", counter, "seconds", labels::none, "User and system CPU time spent."};
inline constexpr metric process_resident_memory{
    "process_resident_memory_bytes", gauge, "bytes", labels::none, "Resident memory."};
inline constexpr metric process_virtual_memory{
    "process_virtual_memory_bytes", gauge, "bytes", labels::none, "Virtual memory."};
inline constexpr metric process_open_fds{
    "process_open_fds", gauge, "files", labels::none, "Open file descriptors."};
inline constexpr metric process_max_fds{
    "process_max_fds", gauge, "files", labels::none, "Limit of open file descriptors."};
inline constexpr metric process_start_time{
    "process_start_time_seconds", gauge, "seconds", labels::none,
    "Time at which the process started, in seconds since 1970."};

// All metrics, in the order in which a page shows them.
using table = row_list<
    requests_total, request_ttft, request_duration, overhead, race_margin, inflight_requests,
    attempts_total, attempt_ttft, attempt_abandoned, attempt_first_byte,
    attempt_first_visible, attempt_reported, inflight_attempts, cancel,
    upstream_connections_total, output_speed, output_tokens_total, reasoning_tokens_total,
    decode_tokens_total, decode_seconds_total, unmeasurable_total, repeated_total, lost_input_tokens_total,
    lost_output_tokens_total, cost_usd_total, unpriced_total,
    speculation_cost_total, max_extra_cost, budget_fill, starts_total, hedges_held_back_total, moves_total,
    move_cost_usd_total, prompt_cache_tokens_total, prompt_cache_matches_total, prefill_finished_total, prefixes,
    prefixes_dropped_total, prediction_ratio, predictions_within_total, choice_changes_total, deadlines_total,
    holds_total, hold, runners_up_total, crawls_total,
    limit_rejections_total, limit_reached_total, overload_refusals_total,
    client_tokens_total, client_cost_usd_total, project_tokens_total, project_cost_usd_total,
    budget_usd, budget_spend_usd,
    identity_keys_age, audit_lines_total, content_log_lines_total, state_folder_writable, egress_works,
    gen_ai_ttft, gen_ai_token_time, gen_ai_token_usage, gen_ai_duration,
    store_up, store_call_seconds, store_errors_total, limits_degraded, limit_waits_total, replicas,
    store_access_keys, budgets_restored_total,
    probes_total, probe_cost_usd_total, probe_budget_usd, probe_spend_usd,
    spans_total, cache_requests_total, cache_answers, cache_bytes, guardrail_seconds,
    memory_used, memory_limit, memory_refusals_total,
    refused_connections_total, tls_certificate_expiry, config_reload, config_reloaded_at, config_info,
    unpriced_targets, catalogue_age, build_info,
    region_info,
    process_cpu_seconds_total, process_resident_memory, process_virtual_memory, process_open_fds,
    process_max_fds, process_start_time>;
inline constexpr auto all = table::pointers;
// clang-format on
}  // namespace names

// Label values for series whose route, target or client has no name of its own.
inline constexpr std::string_view other_label = "_other";    // undeclared names, or names beyond the maximum number
inline constexpr std::string_view direct_label = "_direct";  // the route of requests that name a single target
inline constexpr std::string_view list_label = "_list";      // the route of requests that name a list of targets
inline constexpr std::string_view none_label = "_none";      // requests without a route, or without an access key

// Returns OpenTelemetry's name of a provider, if it differs from the name of the gateway's preset.
std::string_view gen_ai_provider_name(std::string_view provider);

}  // namespace photofinish::metrics
