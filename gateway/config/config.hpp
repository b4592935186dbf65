// All settings of a user, as plain data with a default for every field. [pure] config_parser.hpp fills the struct from
// YAML. docs/configuration.md explains the names and meanings.
#pragma once

#include "gateway/config/access/access_key_list.hpp"
#include "gateway/config/access/guardrail_settings.hpp"
#include "gateway/config/access/jwt_issuer.hpp"
#include "gateway/config/access/limit_settings.hpp"
#include "gateway/config/access/sealed_keys.hpp"
#include "gateway/config/access/stored_keys.hpp"
#include "gateway/config/catalogue_settings.hpp"
#include "gateway/config/content_log_settings.hpp"
#include "gateway/config/routes/route_aliases.hpp"
#include "gateway/http/client_limits.hpp"
#include "gateway/http/listen_address.hpp"
#include "gateway/ingress/ingress_settings.hpp"
#include "gateway/log/log_form.hpp"
#include "gateway/store/store_settings.hpp"
#include "proxy/failures/secret.hpp"
#include "proxy/providers/price_tier.hpp"
#include "proxy/providers/provider.hpp"
#include "racing/race_plan.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// The name of a target: `provider/model`, split at the first slash.
struct target_name {
  std::string provider;
  std::string model;  // the model with its tier, as in "gpt-6.1-sol@priority"
  std::optional<proxy::price_tier> tier = {};  // the tier at the end of `model`; empty if `model` has no tier

  bool operator==(const target_name& other) const { return provider == other.provider && model == other.model; }
  // The name of the model that the provider gets, without the tier.
  std::string_view sent_model() const {
    return tier ? std::string_view(model).substr(0, model.rfind('@')) : std::string_view(model);
  }
  std::string text() const {
    std::string name;
    name.reserve(provider.size() + 1 + model.size());
    name.append(provider).append(1, '/').append(model);
    return name;  // a return of append()'s result would copy the text
  }
};

// The value of x-race-class: whether a person waits for the request.
enum class request_class { interactive, batch };
enum class answer_format { text, json_object, json_schema };

// A rule of a route. Requests that match it use other targets or another race. All conditions that are set must match.
struct route_rule {
  std::string name;
  std::string task, project;  // values of the request's headers; if empty, any value matches
  std::optional<request_class> work;
  std::optional<std::size_t> min_input_tokens, max_input_tokens;  // limits for the estimated number of input tokens
  // Whether a matching request has tools: true means with tools, false means without tools.
  std::optional<bool> tools;
  std::optional<answer_format> response_format;
  std::optional<std::size_t> max_tokens;          // matches requests whose own max_tokens is at most this number
  bool is_apply = false;  // if true, matches requests to apply an edit: <instruction>, <code>, <update>
  std::vector<target_name> targets;               // targets of the rule; if empty, the targets of the route
  // Facts that the rule's targets must have; they apply to the route's targets if the rule has no targets.
  proxy::required_facts require;
  racing::race_settings race;

  bool operator==(const route_rule&) const = default;
};

// Which callers share answers in a route's cache. A caller with its own provider keys shares answers only with itself.
enum class cache_scope {
  key,    // callers with the same access key, or with tokens of the same subject
  team,   // callers of the same team; a caller whose key has no team shares only with itself
  route,  // all callers who may use the route
};

// The cache of a route: it stores answers for equal requests, or shares answers while they arrive.
struct cache_settings {
  std::chrono::milliseconds ttl{600'000};  // lifetime of a stored answer; 0 means that nothing is stored
  std::size_t max_entries = 10'000;
  // Limit for a route's cache; the caches of all routes have an eighth of max_memory.
  std::size_t max_bytes = 256u << 20;
  cache_scope scope = cache_scope::team;
  bool coalesce = false;  // if true, equal requests share one race while it runs

  bool operator==(const cache_settings&) const = default;
};

struct route {
  std::string name;
  std::vector<target_name> targets;  // at least one target, without duplicates
  racing::race_settings race;        // the policy in these settings is always set
  limit_settings limits = {};        // limits that all callers of the route share
  std::vector<route_rule> rules = {};  // rules in their order; the first rule that matches a request applies
  proxy::required_facts require = {};  // facts that the route's targets must have
  std::optional<cache_settings> cache = {};  // settings of the route's cache; empty if it has none

  bool operator==(const route&) const = default;
};

// Returns the name under which a route's speeds and budget are stored. A rule with its own targets has its own name.
inline std::string name_compared(const route& each, const route_rule& rule) {
  return rule.targets.empty() ? each.name : each.name + "/" + rule.name;
}

// True if the test holds for a target of the route, or for a target of its rules.
template <class Test>
bool names_target(const route& each, Test is_it) {
  const auto names = [&is_it](const auto& by) { return std::any_of(by.targets.begin(), by.targets.end(), is_it); };
  return names(each) || std::any_of(each.rules.begin(), each.rules.end(), names);
}

// The receiver of alerts. An alert says that a target has become slower, or that a soft budget is spent.
struct alert_settings {
  proxy::secret webhook;     // http or https URL whose path and query may be secret; empty if there is no webhook
  std::string external_url;  // the gateway's URL in links for people; if empty, the address at which it listens
  std::map<std::string, std::string> labels;  // labels that are added to every alert

  bool operator==(const alert_settings&) const = default;
};

// Settings of traces: the gateway exports each race as a trace, with a span for each attempt (docs/decisions/0047).
struct tracing_settings {
  std::string endpoint = {};  // the URL to which spans are posted; if empty, there are no traces
  std::vector<std::pair<std::string, proxy::secret>> headers = {};  // headers that each post of spans has
  std::map<std::string, std::string> resource = {};  // attributes that describe this gateway, such as service.name
  double sample = 1;         // the share of new traces that the gateway records
  bool keeps_errors = true;  // if true, unsampled traces with errors are also recorded
  bool keeps_slow = true;    // if true, slow unsampled traces are also recorded
  // A trace is slow from this time on. The time ends at the first token, or at the end of an answer
  // that is not streamed.
  std::chrono::milliseconds slow_after{10'000};
  bool trust_parent = true;  // if true, the gateway continues the trace in a caller's traceparent
  bool is_compressed = false;

  bool operator==(const tracing_settings&) const = default;
  bool is_on() const { return !endpoint.empty(); }
};

// Settings of probes. They are measuring requests to targets that get hardly any requests from clients.
struct probe_settings {
  std::chrono::milliseconds every{std::chrono::hours(3)};  // interval of the probes of a target with one prompt size
  std::vector<std::size_t> input_tokens{100, 1'000, 10'000};
  std::size_t max_output = 300;                  // limit for the output tokens of a probe
  std::int64_t max_nano_usd_a_day = 500'000'000;  // limit for the cost of probes per UTC day

  bool operator==(const probe_settings&) const = default;
};

// Whether the gateway serves the live page; page_rules.hpp has the rules.
enum class page_setting { automatic, on, off };

// Limits of a single request, and limits over all requests.
struct server_limits : request_limits {
  std::size_t max_inflight = 10'000;      // limit for running requests over all workers
  std::size_t max_connections = 20'000;   // limit for client connections over all workers
  // Limit for the memory of all requests; 0 means half of the machine's or cgroup's memory.
  std::size_t max_memory = 0;
  std::size_t max_prefixes = 65'536;      // limit for remembered conversations; each takes 64 bytes

  bool operator==(const server_limits&) const = default;
};

// The addresses at which the server listens, and settings for serving and draining.
struct server_settings {
  std::vector<listen_address> listen{{"127.0.0.1", 7777}, {"::1", 7777}};
  bool is_listen_default = true;  // if true, [::1] may be missing on a machine without IPv6
  std::optional<listen_address> admin;
  ingress_settings ingress;
  std::size_t workers = 0;  // number of workers; 0 means the number of CPUs that affinity and the cgroup quota allow
  std::vector<std::string> cors_origins;   // allowed origins in addition to localhost; "*" allows all origins
  // Host names that loopback listeners accept in addition to their own: name[:port], "*.name[:port]", or
  // "*" for all names.
  std::vector<std::string> allowed_hosts;
  bool open = false;  // if true, the gateway may listen beyond loopback with provider keys and without access keys
  half_close client_half_close = half_close::abort;
  std::chrono::milliseconds drain_delay{5'000};
  std::chrono::milliseconds drain_timeout{600'000};

  bool operator==(const server_settings&) const = default;
};

// The callers of the gateway, and their limits.
struct access_settings {
  access_key_list keys;  // the keys of the configuration, then the keys of the store
  stored_keys_state stored_state = stored_keys_state::awaited;  // whether the store's keys are known
  sealed_key_settings sealed_keys;
  std::vector<jwt_issuer> jwt;
  limit_settings key_defaults;  // limits of callers with tokens; the keys in `keys` already include these limits
  std::string budget_timezone = "UTC";  // the time zone of budgets; each `every.zone` is made from this name
  std::map<std::string, limit_settings> teams;
  // Whether targets without a price may run; applies to all callers, even without a key.
  unpriced_use unpriced = unpriced_use::allow;
  bool has_strict_team = false;                 // true if a team has `unpriced: refuse`
  // The secret that signs the ids of responses that providers store. If it is empty, the gateway uses a
  // secret of its own.
  proxy::secret id_secret;
  bool share_keys = false;  // if true, a caller with keys of its own may use the configured keys for other providers

  bool operator==(const access_settings&) const = default;
};

// Settings of the live page and of /metrics: who may read them, and the labels of the metrics.
struct view_settings {
  page_setting page = page_setting::automatic;
  bool metrics_for_admins = false;  // if true, only access keys with admin: true open /metrics
  bool open_metrics = false;  // if true, /metrics needs no key even if there are access keys
  bool has_client_label = true;  // the value of the setting metrics.client_label

  bool operator==(const view_settings&) const = default;
};

// Settings of the log, the audit log and the content log.
struct log_settings {
  std::string level = "info";
  log_form format = log_form::text;
  std::string audit_file;  // path of the audit log; if empty, there is no audit log
  content_log_settings content;

  bool operator==(const log_settings&) const = default;
};

// The source of a configuration, and the changes that a reload from this source may make.
struct source_facts {
  std::string text_hash;  // SHA-256 of the configuration file in hex; empty if there is no file
  // Files with secrets (file:PATH) and certificates. If one of them changes, the gateway reloads its configuration.
  std::vector<std::string> watched_files;
  bool is_zero_config = false;  // if true, metric labels come only from targets that have answered
  bool allow_emptying = false;  // if true, a reload may remove all providers, all routes or all access keys

  bool operator==(const source_facts&) const = default;
};

// Names that requests may use in addition to the names of routes.
struct request_names {
  route_aliases aliases;
  std::vector<std::string> tasks, projects;  // the values that x-race-task and x-race-project may have

  bool operator==(const request_names&) const = default;
};

struct config {
  server_settings server;
  access_settings access;
  source_facts source;
  view_settings views;
  // The setting `proxy` as written: a URL with an optional password, "none", or an empty text.
  proxy::secret forward_proxy;
  server_limits limits;
  std::string region;  // the region of this gateway in metrics and traces; empty if it is unknown
  log_settings log;
  std::string state_dir;  // the folder for stored data; if empty, the default of state_dir.hpp; "none" stores nothing
  alert_settings alerts;
  store_settings store;  // the settings of the section `redis`
  tracing_settings tracing;
  std::vector<guardrail_settings> guardrails;  // services that judge requests; empty if there are none
  std::optional<probe_settings> probes;  // settings of probes; if empty, no probes are sent
  catalogue_settings catalogue;  // the list with prices and facts of models
  std::map<std::string, proxy::provider> providers;
  racing::race_settings race;  // the default race of every route
  std::map<std::string, route> routes;
  request_names names;
  std::vector<std::string> route_order;    // the names of `routes` in the order of the file, to show them

  bool operator==(const config&) const = default;

  // True if callers must send an access key.
  bool asks_for_keys() const {
    return !access.keys.empty() || !access.sealed_keys.secrets.empty() || !access.jwt.empty() || store.has_access_keys;
  }
  // True if a key that is not in the list may be a key of the store.
  bool awaits_stored_keys() const { return store.has_access_keys && access.stored_state != stored_keys_state::known; }
  // True while the gateway reads the store's keys for the first time. It becomes false when the store answers or fails.
  bool is_first_reading() const { return store.has_access_keys && access.stored_state == stored_keys_state::awaited; }
};

}  // namespace photofinish::gateway
