// One function per section of a configuration: it reads the section into its struct and reports problems. [pure]
// config_parser.cpp calls them in an order in which later sections can use earlier ones.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/config/config_reader.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

void read_server(const section_reader& top, config& into);  // reads all settings at the top that are not sections
void read_ingress(const section_reader& top, ingress_settings& into);
void read_alerts(const section_reader& top, alert_settings& into);
void read_audit_log(const section_reader& top, config& into);
void read_store(const section_reader& top, store_settings& into);
void read_tracing(const section_reader& top, tracing_settings& into);
void read_probes(const section_reader& top, std::optional<probe_settings>& into);
void read_catalogue(const section_reader& top, catalogue_settings& into);  // call it before providers are read
void read_budget_zone(const section_reader& top, std::string& name);  // call it before all sections with budgets
void read_limits(const section_reader& top, config& into);
void read_providers(const section_reader& top, config& into);
// Facts of a provider, or requirements of a route or rule. Missing settings stay unchanged.
void read_facts(const section_reader& provider, std::map<std::string, proxy::target_facts, std::less<>>& into);
void read_require(const section_reader& parent, proxy::required_facts& into);
// Looks up the facts of all targets of routes, so that no request reads the list of models. Call it after routes.
void find_facts(const config& settings);
void read_race(const section_reader& parent, racing::race_settings& into);  // reads the `race` of the top or of a route
std::optional<cache_settings> read_cache(const section_reader& route);   // returns none if the route has no cache
void read_routes(const section_reader& top, config& into);                  // call it after providers and race
void read_guardrails(const section_reader& top, config& into);              // call it after routes
void read_content_log(const section_reader& top, content_log_settings& into);  // call it after routes
void read_teams(const section_reader& top, config& into);
void read_sealed_keys(const section_reader& top, sealed_key_settings& into);
void read_jwt(const section_reader& top, config& into);                     // call it after teams
void read_access_keys(const section_reader& top, config& into);             // call it after routes and teams

// Appends the store's keys to the configuration's own. Keys with problems are left out and returned.
std::vector<left_out_key> add_stored_keys(const stored_keys& stored, config& into);

// Headers that are added to each request to a service.
void read_sent_headers(const section_reader& from, std::vector<std::pair<std::string, proxy::secret>>& into);

// The limits of a section that has limits. Missing settings stay unchanged.
void read_limit_settings(const section_reader& from, limit_settings& into);

// Warns of settings that are valid but cannot have been meant: keys that are never used, delays that never end.
void check_use(const section_reader& top, const config& settings);

// True if the names in that map are known: it can be read, or it is absent and not misspelled.
bool knows_names(const section_reader& top, std::string_view map_name);

// The names below `providers` or `routes`, including entries with problems, because a second message would not help.
std::vector<std::string> declared_names(const section_reader& top, std::string_view map_name);

}  // namespace photofinish::gateway
