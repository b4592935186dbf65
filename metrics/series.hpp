// The cells of one shard, grouped as their labels are: by provider, target, route, and route with client.
// Handed out by a shard, kept as handles, written on the shard's own thread only; they live as long as it.
#pragma once

#include "metrics/cells.hpp"
#include "metrics/names.hpp"
#include "metrics/outcomes.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::metrics {

struct provider_series {
  explicit provider_series(std::string_view its_name) : name(its_name) {}

  const std::string name;
  gauge_cell inflight_attempts;
  histogram<names::cancel> cancel;
  by<connection_kind, counter_cell> connections;
};

// Whether a target was declared by its name, or holds what was not.
enum class target_origin { declared, folded };

struct target_series {
  target_series(provider_series& its_provider, std::string_view its_model, target_origin its_origin)
      : provider(its_provider), model(its_model), origin(its_origin) {}

  provider_series& provider;
  const std::string model;
  const target_origin origin;

  by<attempt_outcome, by<attempt_reason, counter_cell>> attempts;
  by<ttft_sample, histogram<names::attempt_ttft>> ttft;
  histogram<names::attempt_abandoned> abandoned;
  histogram<names::attempt_first_byte> first_byte;
  histogram<names::attempt_first_visible> first_visible;
  by<reported_stage, histogram<names::attempt_reported>> reported;
  by<token_source, histogram<names::output_speed>> speed;
  by<token_source, counter_cell> output_tokens;
  by<token_source, counter_cell> decode_tokens;
  by<token_source, sum_cell> decode_seconds;
  counter_cell reasoning_tokens;
  by<unmeasurable_reason, counter_cell> unmeasurable;
  by<repeat_reason, counter_cell> repeated;
  by<billing, counter_cell> lost_input_tokens;
  by<billing, counter_cell> lost_output_tokens;
  by<cost_kind, sum_cell> cost;
  counter_cell unpriced;
  by<crawl_end, counter_cell> crawls;

  histogram<names::gen_ai_ttft> gen_ai_ttft;
  histogram<names::gen_ai_token_time> gen_ai_token_time;
  by<token_type, histogram<names::gen_ai_token_usage>> gen_ai_token_usage;
  by<attempt_reason, histogram<names::gen_ai_duration>> gen_ai_duration;
};

// Who called: the name of an access key.
struct client_series {
  client_series(std::string_view its_name, std::size_t its_index) : name(its_name), index(its_index) {}

  const std::string name;
  const std::size_t index;  // counts the clients of one shard from 0
};

// What one access key of a team used, and was refused.
struct usage_series {
  usage_series(std::string_view its_client, std::string_view its_team) : client(its_client), team(its_team) {}

  const std::string client, team;
  by<rejection, counter_cell> rejections;
  by<token_direction, counter_cell> tokens;
  by<cost_kind, sum_cell> cost;
};

// What one limit refused: of a key, a team or a route.
struct limit_series {
  limit_series(std::string_view its_scope, std::string_view its_name) : scope(its_scope), name(its_name) {}

  const std::string scope, name;
  by<rejection, counter_cell> rejections;
};

// What the requests of one project used, of all clients.
struct project_series {
  explicit project_series(std::string_view its_name) : name(its_name) {}

  const std::string name;
  by<token_direction, counter_cell> tokens;
  by<cost_kind, sum_cell> cost;
};

// One guardrail's verdicts.
struct guardrail_series {
  explicit guardrail_series(std::string_view its_name) : name(its_name) {}

  const std::string name;
  by<guardrail_verdict, histogram<names::guardrail_seconds>> seconds;
};

struct request_series;

struct route_series {
  explicit route_series(std::string_view its_name) : name(its_name) {}

  const std::string name;
  gauge_cell inflight_requests;
  histogram<names::request_ttft> ttft;
  histogram<names::request_duration> duration;
  histogram<names::overhead> overhead;
  histogram<names::race_margin> margin;

  // Of adaptive races.
  by<currency, by<spent_on, sum_cell>> speculation_cost;
  by<start_cause, counter_cell> starts;
  by<held_back, counter_cell> held_back_hedges;
  histogram<names::prediction_ratio> prediction_ratio;
  by<predicted, counter_cell> within;
  counter_cell choice_changes;
  by<deadline_end, counter_cell> deadlines;

  by<hold_why, counter_cell> holds;
  histogram<names::hold> hold;
  by<runner_up_end, counter_cell> runners_up;
  by<cache_result, counter_cell> cache;

  // By client_series::index; null until seen. Of the shard's thread alone: no scraper reads it.
  std::vector<request_series*> by_client;
};

// The requests of one client on one route.
struct request_series {
  request_series(const route_series& its_route, const client_series& its_client)
      : route(its_route), client(its_client) {}

  const route_series& route;
  const client_series& client;
  by<endpoint, by<request_outcome, counter_cell>> requests;
};

}  // namespace photofinish::metrics
