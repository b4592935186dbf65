// One worker's numbers: handles to series, found once, and one call per finished request. The cells of the shard itself
// count for the worker as a whole.
// The worker that owns it writes; a scraper on another thread reads, and neither waits for the other: only
// making a new series, and listing them all, take a lock, and both hold it for microseconds.
#pragma once

#include "metrics/observations.hpp"
#include "metrics/series.hpp"
#include "metrics/series_budget.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::metrics {

class shard : public cells_of<shard> {
 public:
  // The budget is shared by all shards and outlives them.
  explicit shard(series_budget& budget);
  shard(const shard&) = delete;
  shard& operator=(const shard&) = delete;
  ~shard();

  static constexpr label_list<0> label_names{};
  static label_list<0> label_values() { return {}; }

  // All of these: the owner's thread only, or before it runs. References stay valid as long as the shard.

  // Gives a name its own series, or the folded one if the budget refuses. Idempotent. For names that come
  // from the configuration, and in zero-config for targets that have answered.
  provider_series& declare_provider(std::string_view provider);
  target_series& declare_target(std::string_view provider, std::string_view model);
  route_series& declare_route(std::string_view route);
  client_series& declare_client(std::string_view client);
  // Of a client that is declared, too. `team`: `_none` where it has none.
  usage_series& declare_usage(std::string_view client, std::string_view team);
  guardrail_series& declare_guardrail(std::string_view guardrail);
  project_series& declare_project(std::string_view project);

  // Finds what was declared, else `_other`: of the provider where that is known. `_direct`, `_list` and
  // `_none` are routes, `_none` is a client. Makes nothing, whatever it is asked for.
  target_series& target(std::string_view provider, std::string_view model);
  route_series& route(std::string_view route);
  client_series& client(std::string_view client);
  usage_series& usage(std::string_view client, std::string_view team);
  guardrail_series& guardrail(std::string_view guardrail);
  project_series& project(std::string_view project);

  // Made when it first refuses; `_other` of that scope if there are too many. Scopes are few, and literals.
  limit_series& limit(std::string_view scope, std::string_view name);

  void observe(const request_observation& request);

  // What there is to read. Any thread; valid as long as the shard.
  struct listing {
    std::vector<const provider_series*> providers;
    std::vector<const target_series*> targets;
    std::vector<const route_series*> routes;
    std::vector<const request_series*> requests;
    std::vector<const usage_series*> usages;
    std::vector<const guardrail_series*> guardrails;
    std::vector<const project_series*> projects;
    std::vector<const limit_series*> limits;
  };
  listing list() const;

 private:
  // Keys are views of the names that the series hold.
  template <class Key, class Series>
  using series_map = std::map<Key, std::unique_ptr<Series>>;
  using target_key = std::pair<std::string_view, std::string_view>;
  using usage_key = std::pair<std::string_view, std::string_view>;
  using limit_key = std::pair<std::string_view, std::string_view>;
  // Keys that change their team are few: twice the clients that have names of their own.
  static constexpr std::size_t most_usages = 2000;

  // Adds a series whose name is its key. `others`: what else its constructor takes.
  template <class Series>
  Series& add(series_map<std::string_view, Series>& all, std::string_view name, auto... others);
  target_series& add_target(provider_series& provider, std::string_view model, target_origin origin);
  usage_series& add_usage(std::string_view client, std::string_view team);
  request_series& requests_of(route_series& route, const client_series& client);

  series_budget& budget_;
  mutable std::mutex structure_;  // the owner changes what follows under it, scrapers read under it
  series_map<std::string_view, provider_series> providers_;
  series_map<target_key, target_series> targets_;
  series_map<std::string_view, route_series> routes_;
  series_map<std::string_view, client_series> clients_;
  series_map<usage_key, usage_series> usages_;
  series_map<std::string_view, guardrail_series> guardrails_;
  series_map<std::string_view, project_series> projects_;
  series_map<limit_key, limit_series> limits_;
  std::vector<std::unique_ptr<request_series>> requests_;
};

}  // namespace photofinish::metrics
