#include "metrics/shard.hpp"

#include <cassert>

namespace photofinish::metrics {

namespace {

// Finds a series. Returns null if there is none. The thread that owns the shard reads the shard's maps without the
// lock, because no other thread changes these maps.
auto find(const auto& map, const auto& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second.get();
}

auto& find_or_other(const auto& map, std::string_view name) {
  auto* const known = find(map, name);
  return known ? *known : *find(map, other_label);
}

// Moves a new series into its map under the lock, and returns a reference to it.
auto& keep(std::mutex& structure, auto& map, const auto& key, auto series) {
  auto& lent = *series;
  const std::scoped_lock lock(structure);
  map.emplace(key, std::move(series));
  return lent;
}

void observe_if(auto& histogram, const std::optional<seconds>& value) {
  if (value) histogram.observe(*value);
}

void observe_speed(target_series& target, token_source source, const decode_sample& sample) {
  assert(sample.duration.count() > 0);
  const double speed = static_cast<double>(sample.tokens) / sample.duration.count();
  target.cell<names::output_speed>(source).observe(speed);
  target.cell<names::decode_tokens_total>(source).add(sample.tokens);
  target.cell<names::decode_seconds_total>(source).add(sample.duration.count());
}

void observe_output(target_series& target, const attempt_observation& attempt) {
  attempt.output.for_each([&](token_source source, const std::optional<std::uint64_t>& tokens) {
    if (tokens) target.cell<names::output_tokens_total>(source).add(*tokens);
  });
  attempt.speed.for_each([&](token_source source, const std::optional<decode_sample>& sample) {
    if (sample) observe_speed(target, source, *sample);
  });
  if (attempt.unmeasurable) target.cell<names::unmeasurable_total>(*attempt.unmeasurable).add(1);
  target.cell<names::reasoning_tokens_total>().add(attempt.reasoning_tokens);
}

void observe_prompt_cache(target_series& target, const prompt_cache_observation& seen) {
  seen.tokens.for_each([&](prompt_part part, std::uint64_t tokens) {
    if (tokens > 0) target.cell<names::prompt_cache_tokens_total>(part).add(tokens);
  });
  if (seen.expected) target.cell<names::prompt_cache_matches_total>(*seen.expected, seen.found).add(1);
  if (seen.is_prefill_finished) target.cell<names::prefill_finished_total>().add(1);
}

void observe_attempt(const attempt_observation& attempt) {
  target_series& target = attempt.target;
  target.cell<names::attempts_total>(attempt.outcome, attempt.reason).add(1);
  attempt.repeated.for_each(
      [&](repeat_reason reason, bool was) { target.cell<names::repeated_total>(reason).add(was ? 1 : 0); });
  if (attempt.connection) target.provider.cell<names::upstream_connections_total>(*attempt.connection).add(1);
  observe_if(target.cell<names::attempt_first_byte>(), attempt.first_byte);
  observe_if(target.cell<names::attempt_first_visible>(), attempt.first_visible);
  attempt.reported.for_each([&](reported_stage stage, const auto& duration) {
    observe_if(target.cell<names::attempt_reported>(stage), duration);
  });
  observe_if(target.cell<names::attempt_ttft>(attempt.sample), attempt.ttft);
  observe_if(target.cell<names::attempt_abandoned>(), attempt.abandoned_after);
  observe_if(target.provider.cell<names::cancel>(), attempt.cancel);
  observe_output(target, attempt);
  if (attempt.lost) {
    target.cell<names::lost_input_tokens_total>(attempt.lost->billed).add(attempt.lost->input_tokens);
    target.cell<names::lost_output_tokens_total>(attempt.lost->billed).add(attempt.lost->output_tokens);
  }
  if (const auto* known = std::get_if<cost>(&attempt.price))
    target.cell<names::cost_usd_total>(known->kind).add(known->usd);
  if (std::holds_alternative<unpriced>(attempt.price)) target.cell<names::unpriced_total>().add(1);
  if (attempt.crawl) target.cell<names::crawls_total>(*attempt.crawl).add(1);
  observe_prompt_cache(target, attempt.prompt_cache);
}

void observe_tokens(target_series& winner, token_type type, const std::optional<std::uint64_t>& tokens) {
  if (tokens) winner.cell<names::gen_ai_token_usage>(type).observe(static_cast<double>(*tokens));
}

void observe_gen_ai(const gen_ai_observation& answer) {
  target_series& winner = answer.winner;
  observe_if(winner.cell<names::gen_ai_ttft>(), answer.ttft);
  observe_if(winner.cell<names::gen_ai_token_time>(), answer.time_per_output_token);
  observe_if(winner.cell<names::gen_ai_duration>(gen_ai_error_of(answer.error)), answer.duration);
  observe_tokens(winner, token_type::input, answer.input_tokens);
  observe_tokens(winner, token_type::output, answer.output_tokens);
}

void observe_speculation(const speculation_observation& race, route_series& route) {
  race.cost.for_each([&](spent_on what, double cost) {
    route.cell<names::speculation_cost_total>(what, race.currency).add(cost);
  });
  race.starts.for_each(
      [&](start_cause why, std::uint64_t count) { route.cell<names::starts_total>(why).add(count); });
  race.held_back_hedges.for_each(
      [&](held_back why, std::uint64_t count) { route.cell<names::hedges_held_back_total>(why).add(count); });
  route.cell<names::choice_changes_total>().add(race.is_choice_new ? 1 : 0);
  if (race.deadline) route.cell<names::deadlines_total>(*race.deadline).add(1);
  if (race.moved) {
    route.cell<names::moves_total>(*race.moved).add(1);
    route.cell<names::move_cost_usd_total>().add(race.move_cost_usd);
  }
  if (!race.prediction_ratio) return;
  route.cell<names::prediction_ratio>().observe(*race.prediction_ratio);
  race.within.for_each([&](predicted quantile, bool is_within) {
    route.cell<names::predictions_within_total>(quantile).add(is_within ? 1 : 0);
  });
}

}  // namespace

template <class Series>
Series& shard::add(series_map<std::string_view, Series>& all, std::string_view name, auto... others) {
  auto series = std::make_unique<Series>(name, others...);
  const std::string_view key = series->name;
  return keep(structure_, all, key, std::move(series));
}

shard::shard(series_budget& budget) : budget_(budget) {
  add_target(add(providers_, other_label), other_label, target_origin::folded);
  for (const std::string_view name : {direct_label, list_label, none_label, other_label}) add(routes_, name);
  for (const std::string_view name : {none_label, other_label}) add(clients_, name, clients_.size());
  add_usage(other_label, other_label);
  add(guardrails_, other_label);
  add(projects_, other_label);
}

shard::~shard() = default;

provider_series& shard::declare_provider(std::string_view provider) {
  if (auto* known = find(providers_, provider)) return *known;
  if (!budget_.admits_provider(provider)) return *find(providers_, other_label);
  provider_series& added = add(providers_, provider);
  add_target(added, other_label, target_origin::folded);
  return added;
}

target_series& shard::declare_target(std::string_view provider, std::string_view model) {
  if (auto* known = find(targets_, target_key{provider, model})) return *known;
  provider_series& owner = declare_provider(provider);
  if (owner.name != provider || !budget_.admits_target(provider, model)) return target(provider, model);
  return add_target(owner, model, target_origin::declared);
}

route_series& shard::declare_route(std::string_view name) {
  if (auto* known = find(routes_, name)) return *known;
  return budget_.admits_route(name) ? add(routes_, name) : route(other_label);
}

client_series& shard::declare_client(std::string_view name) {
  if (auto* known = find(clients_, name)) return *known;
  return budget_.admits_client(name) ? add(clients_, name, clients_.size()) : client(other_label);
}

usage_series& shard::declare_usage(std::string_view client, std::string_view team) {
  if (auto* known = find(usages_, usage_key{client, team})) return *known;
  const bool has_client = &declare_client(client) != find(clients_, other_label) && usages_.size() < most_usages;
  const bool has_team = has_client && (team == none_label || budget_.admits_team(team));
  return has_team ? add_usage(client, team) : usage(client, team);
}

guardrail_series& shard::declare_guardrail(std::string_view name) {
  if (auto* known = find(guardrails_, name)) return *known;
  return budget_.admits_guardrail(name) ? add(guardrails_, name) : guardrail(name);
}

project_series& shard::declare_project(std::string_view name) {
  if (auto* known = find(projects_, name)) return *known;
  return budget_.admits_project(name) ? add(projects_, name) : project(name);
}

target_series& shard::target(std::string_view provider, std::string_view model) {
  if (auto* exact = find(targets_, target_key{provider, model})) return *exact;
  if (auto* folded = find(targets_, target_key{provider, other_label})) return *folded;
  return *find(targets_, target_key{other_label, other_label});
}

route_series& shard::route(std::string_view name) { return find_or_other(routes_, name); }
client_series& shard::client(std::string_view name) { return find_or_other(clients_, name); }

usage_series& shard::usage(std::string_view client, std::string_view team) {
  auto* known = find(usages_, usage_key{client, team});
  return known ? *known : *find(usages_, usage_key{other_label, other_label});
}

guardrail_series& shard::guardrail(std::string_view name) { return find_or_other(guardrails_, name); }
project_series& shard::project(std::string_view name) { return find_or_other(projects_, name); }

limit_series& shard::limit(std::string_view scope, std::string_view name) {
  if (auto* known = find(limits_, limit_key{scope, name})) return *known;
  if (name != other_label && !budget_.admits_limit(scope, name)) return limit(scope, other_label);
  auto series = std::make_unique<limit_series>(scope, name);
  const limit_key key{series->scope, series->name};
  return keep(structure_, limits_, key, std::move(series));
}

void shard::observe(const request_observation& request) {
  route_series& route = request.route;
  requests_of(route, request.client).cell<names::requests_total>(request.endpoint, request.outcome).add(1);
  observe_if(route.cell<names::request_ttft>(), request.ttft);
  observe_if(route.cell<names::request_duration>(), request.duration);
  observe_if(route.cell<names::overhead>(), request.overhead);
  observe_if(route.cell<names::race_margin>(), request.margin);
  for (const attempt_observation& attempt : request.attempts) observe_attempt(attempt);
  if (request.gen_ai) observe_gen_ai(*request.gen_ai);
  if (request.speculation) observe_speculation(*request.speculation, route);
  if (request.hold) {
    route.cell<names::holds_total>(request.hold->why).add(1);
    route.cell<names::hold>().observe(request.hold->duration);
  }
  if (request.cache) route.cell<names::cache_requests_total>(*request.cache).add(1);
  if (request.runner_up) route.cell<names::runners_up_total>(*request.runner_up).add(1);
}

shard::listing shard::list() const {
  listing all;
  const std::scoped_lock lock(structure_);
  for (const auto& [name, series] : providers_) all.providers.push_back(series.get());
  for (const auto& [name, series] : targets_) all.targets.push_back(series.get());
  for (const auto& [name, series] : routes_) all.routes.push_back(series.get());
  for (const auto& [names, series] : usages_) all.usages.push_back(series.get());
  for (const auto& [name, series] : guardrails_) all.guardrails.push_back(series.get());
  for (const auto& [name, series] : projects_) all.projects.push_back(series.get());
  for (const auto& [names, series] : limits_) all.limits.push_back(series.get());
  for (const auto& series : requests_) all.requests.push_back(series.get());
  return all;
}

target_series& shard::add_target(provider_series& provider, std::string_view model, target_origin origin) {
  auto series = std::make_unique<target_series>(provider, model, origin);
  const target_key key{provider.name, series->model};
  return keep(structure_, targets_, key, std::move(series));
}

usage_series& shard::add_usage(std::string_view client, std::string_view team) {
  auto series = std::make_unique<usage_series>(client, team);
  const usage_key key{series->client, series->team};
  return keep(structure_, usages_, key, std::move(series));
}

request_series& shard::requests_of(route_series& route, const client_series& client) {
  if (client.index >= route.by_client.size()) route.by_client.resize(client.index + 1);
  request_series*& known = route.by_client[client.index];
  if (!known) {
    auto series = std::make_unique<request_series>(route, client);
    const std::scoped_lock lock(structure_);
    known = requests_.emplace_back(std::move(series)).get();
  }
  return *known;
}

}  // namespace photofinish::metrics
