// The series of one shard, grouped by their labels: by provider, target, route, and route with client. names.hpp
// defines which metrics each type of series has. For example, `route.cell<names::starts_total>(why).add(1)` counts a
// start. A shard creates its series, and only the shard's own thread writes them. Callers keep references to the
// series, which live as long as the shard.
#pragma once

#include "metrics/cells.hpp"
#include "metrics/names.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::metrics {

// The names and values of the labels that all metrics of a series share.
template <std::size_t Count>
using label_list = std::array<std::string_view, Count>;

struct provider_series : cells_of<provider_series> {
  explicit provider_series(std::string_view its_name) : name(its_name) {}

  static constexpr label_list<1> label_names{"provider"};
  label_list<1> label_values() const { return {name}; }

  const std::string name;
};

// `declared`: the series belongs to a target that the configuration names. `folded`: all undeclared targets share this
// series.
enum class target_origin { declared, folded };

struct target_series : cells_of<target_series> {
  target_series(provider_series& its_provider, std::string_view its_model, target_origin its_origin)
      : provider(its_provider), model(its_model), origin(its_origin) {}

  static constexpr label_list<5> label_names{"provider", "model", "gen_ai_operation_name", "gen_ai_provider_name",
                                             "gen_ai_request_model"};
  label_list<5> label_values() const {
    // The operation is always "chat", because only chat requests race.
    return {provider.name, model, "chat", gen_ai_provider_name(provider.name), model};
  }

  provider_series& provider;
  const std::string model;
  const target_origin origin;
};

// A client, which is identified by the name of its access key.
struct client_series {
  client_series(std::string_view its_name, std::size_t its_index) : name(its_name), index(its_index) {}

  const std::string name;
  const std::size_t index;  // the client's index in its shard, from 0
};

// The usage and the rejected requests of one access key of a team.
struct usage_series : cells_of<usage_series> {
  usage_series(std::string_view its_client, std::string_view its_team) : client(its_client), team(its_team) {}

  static constexpr label_list<2> label_names{"client", "team"};
  label_list<2> label_values() const { return {client, team}; }

  const std::string client, team;
};

// The number of requests that one limit rejected. The limit belongs to a key, a team or a route.
struct limit_series : cells_of<limit_series> {
  limit_series(std::string_view its_scope, std::string_view its_name) : scope(its_scope), name(its_name) {}

  static constexpr label_list<2> label_names{"scope", "name"};
  label_list<2> label_values() const { return {scope, name}; }

  const std::string scope, name;
};

// The usage of one project's requests, over all clients.
struct project_series : cells_of<project_series> {
  explicit project_series(std::string_view its_name) : name(its_name) {}

  static constexpr label_list<1> label_names{"project"};
  label_list<1> label_values() const { return {name}; }

  const std::string name;
};

// The verdicts of one guardrail.
struct guardrail_series : cells_of<guardrail_series> {
  explicit guardrail_series(std::string_view its_name) : name(its_name) {}

  static constexpr label_list<1> label_names{"name"};
  label_list<1> label_values() const { return {name}; }

  const std::string name;
};

struct route_series : cells_of<route_series> {
  explicit route_series(std::string_view its_name) : name(its_name) {}

  static constexpr label_list<1> label_names{"route"};
  label_list<1> label_values() const { return {name}; }

  const std::string name;

  // The requests of each client, indexed by client_series::index. An entry is null until the client is seen. Only the
  // shard's thread uses the list, and no scraper reads it.
  std::vector<request_series*> by_client;
};

// The requests of one client on one route.
struct request_series : cells_of<request_series> {
  request_series(const route_series& its_route, const client_series& its_client)
      : route(its_route), client(its_client) {}

  static constexpr label_list<2> label_names{"route", "client"};
  label_list<2> label_values() const { return {route.name, client.name}; }

  const route_series& route;
  const client_series& client;
};

}  // namespace photofinish::metrics
