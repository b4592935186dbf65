// The functions that read the sections of a configuration into structs and report problems. [pure] config_parser.cpp
// calls them in an order in which later sections can use earlier sections.
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

// Reads all top-level settings of the file that are plain values and not sections.
void read_server(const section_reader& top, config& into);
void read_ingress(const section_reader& top, ingress_settings& into);
void read_alerts(const section_reader& top, alert_settings& into);
void read_audit_log(const section_reader& top, config& into);
void read_store(const section_reader& top, store_settings& into);
void read_tracing(const section_reader& top, tracing_settings& into);
void read_probes(const section_reader& top, std::optional<probe_settings>& into);
// Call read_catalogue() before providers are read.
void read_catalogue(const section_reader& top, catalogue_settings& into);
// Call read_budget_zone() before sections with budgets are read.
void read_budget_zone(const section_reader& top, std::string& name);
void read_limits(const section_reader& top, config& into);
void read_providers(const section_reader& top, config& into);
// Reads the facts of a provider, or the requirements of a route or rule. Missing settings stay unchanged.
void read_facts(const section_reader& provider, std::map<std::string, proxy::target_facts, std::less<>>& into);
void read_require(const section_reader& parent, proxy::required_facts& into);
// Looks up the facts of all targets in routes, so that no request needs to read the list of models. Call this after the
// routes have been read.
void find_facts(const config& settings);
// Reads the section `race` of the top level or of a route.
void read_race(const section_reader& parent, racing::race_settings& into);
// Returns nothing if the route has no section `cache`.
std::optional<cache_settings> read_cache(const section_reader& route);
// Call read_routes() after the providers and the section race have been read.
void read_routes(const section_reader& top, config& into);
// Call read_guardrails() after the routes have been read.
void read_guardrails(const section_reader& top, config& into);
// Call read_content_log() after the routes have been read.
void read_content_log(const section_reader& top, content_log_settings& into);
void read_teams(const section_reader& top, config& into);
void read_sealed_keys(const section_reader& top, sealed_key_settings& into);
// Call read_jwt() after the teams have been read.
void read_jwt(const section_reader& top, config& into);
// Call read_access_keys() after the routes and teams have been read.
void read_access_keys(const section_reader& top, config& into);

// Adds the store's keys to the keys of the configuration. Keys with problems are not added, and the function returns
// them.
std::vector<left_out_key> add_stored_keys(const stored_keys& stored, config& into);

// Reads headers that are added to each request to a service.
void read_sent_headers(const section_reader& from, std::vector<std::pair<std::string, proxy::secret>>& into);

// Reads the limits of a key, a team or a route. Missing settings stay unchanged.
void read_limit_settings(const section_reader& from, limit_settings& into);

// Warns of settings that are valid but probably not meant, such as keys that are never used and delays that never end.
void check_use(const section_reader& top, const config& settings);

// True if the names in the map `map_name` are known, so that a reference to any other name is an error. False if the
// map is invalid. Also false if the map is missing and the file has an unknown setting, because this setting may be the
// map with a misspelled name.
bool knows_names(const section_reader& top, std::string_view map_name);

// Returns the names of all entries in `providers` or `routes`. Entries with problems are included, so that references
// to them cause no second message.
std::vector<std::string> declared_names(const section_reader& top, std::string_view map_name);

}  // namespace photofinish::gateway
