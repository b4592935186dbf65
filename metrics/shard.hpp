// A shard holds the numbers of one worker. Callers look up the series once, keep references to them, and report each
// finished request in one call. The shard's own cells count for the whole worker. Only the worker writes its shard, and
// a scraper on another thread reads the shard without waiting. Only two operations take a lock, for microseconds:
// creating a series and listing all series.
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
  // All shards share `budget`, which must outlive the shards.
  explicit shard(series_budget& budget);
  shard(const shard&) = delete;
  shard& operator=(const shard&) = delete;
  ~shard();

  static constexpr label_list<0> label_names{};
  static label_list<0> label_values() { return {}; }

  // Only the thread that owns the shard may call the following functions. Until this thread has started, any thread may
  // call them. References stay valid as long as the shard exists.

  // Gives a name its own series, or returns the series `_other` if the limit of names is reached. Repeated calls change
  // nothing. Call this function for names from the configuration. In zero-config mode, also call it for targets that
  // have answered.
  provider_series& declare_provider(std::string_view provider);
  target_series& declare_target(std::string_view provider, std::string_view model);
  route_series& declare_route(std::string_view route);
  client_series& declare_client(std::string_view client);
  // Declares the usage series of a client, and also the client itself. `team` is `_none` if the client has no team.
  usage_series& declare_usage(std::string_view client, std::string_view team);
  guardrail_series& declare_guardrail(std::string_view guardrail);
  project_series& declare_project(std::string_view project);

  // Returns the series with this name, or the series `_other` if the name is not declared. Each declared provider has
  // its own `_other` for its undeclared targets. The names `_direct`, `_list` and `_none` for routes, and `_none` for a
  // client, always have a series. These functions never create a series.
  target_series& target(std::string_view provider, std::string_view model);
  route_series& route(std::string_view route);
  client_series& client(std::string_view client);
  usage_series& usage(std::string_view client, std::string_view team);
  guardrail_series& guardrail(std::string_view guardrail);
  project_series& project(std::string_view project);

  // Returns the series of a limit. The first rejected request creates the series. If there are too many series, returns
  // a series with the same scope and the name `_other`. `scope` must be a string literal, and there are few different
  // scopes.
  limit_series& limit(std::string_view scope, std::string_view name);

  void observe(const request_observation& request);

  // Lists all series for reading. Any thread may call this function. The list is valid as long as the shard exists.
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
  // A map of series. Its keys are views of names that the series store.
  template <class Key, class Series>
  using series_map = std::map<Key, std::unique_ptr<Series>>;
  using target_key = std::pair<std::string_view, std::string_view>;
  using usage_key = std::pair<std::string_view, std::string_view>;
  using limit_key = std::pair<std::string_view, std::string_view>;
  // The maximum number of usage series. It is twice the maximum number of named clients, because few keys change their
  // team.
  static constexpr std::size_t most_usages = 2000;

  // Adds a series with the given name to `all`. `others` are further arguments of the series' constructor.
  template <class Series>
  Series& add(series_map<std::string_view, Series>& all, std::string_view name, auto... others);
  target_series& add_target(provider_series& provider, std::string_view model, target_origin origin);
  usage_series& add_usage(std::string_view client, std::string_view team);
  request_series& requests_of(route_series& route, const client_series& client);

  series_budget& budget_;
  // The owner changes the following members only while it holds this mutex. Scrapers hold the mutex while they read the
  // members.
  mutable std::mutex structure_;
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
