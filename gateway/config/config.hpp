// All settings of a user, as plain data with a default for every field. [pure]
// config_parser.hpp fills it from YAML; names and meanings: docs/configuration.md.
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

// `provider/model`, split at the first slash.
struct target_name {
  std::string provider;
  std::string model;  // the model with its tier, as in "gpt-6.1-sol@priority"
  std::optional<proxy::price_tier> tier = {};  // the tier at the end of `model`; empty: `model` has none

  bool operator==(const target_name& other) const { return provider == other.provider && model == other.model; }
  // The model's name at its provider.
  std::string_view sent_model() const {
    return tier ? std::string_view(model).substr(0, model.rfind('@')) : std::string_view(model);
  }
  std::string text() const {
    std::string name;
    name.reserve(provider.size() + 1 + model.size());
    name.append(provider).append(1, '/').append(model);
    return name;  // returning append()'s result would copy it
  }
};

// The value of x-race-class: whether a person waits for the request.
enum class request_class { interactive, batch };
enum class answer_format { text, json_object, json_schema };

// Selects requests of a route that use other targets or another race. All conditions that are set must match.
struct route_rule {
  std::string name;
  std::string task, project;  // empty: any value
  std::optional<request_class> work;
  std::optional<std::size_t> min_input_tokens, max_input_tokens;  // limits of the estimated number of tokens
  std::optional<bool> tools;                      // matches requests that name tools, or that name none
  std::optional<answer_format> response_format;
  std::optional<std::size_t> max_tokens;          // matches requests whose own limit is at most this
  bool is_apply = false;  // true if the request is an edit to apply: <instruction>, <code>, <update>
  std::vector<target_name> targets;               // empty: the route's targets
  proxy::required_facts require;  // facts that its targets must have; if it has no own targets, facts for the route's
  racing::race_settings race;

  bool operator==(const route_rule&) const = default;
};

// The callers that share answers in a route's cache. A caller with its own provider keys shares only with itself.
enum class cache_scope {
  key,    // callers with the same access key, or the same subject of a token
  team,   // callers of the same team; a key without a team shares only with itself
  route,  // any caller who may use the route
};

// Answers of a route that are stored for equal requests, or shared while they arrive.
struct cache_settings {
  std::chrono::milliseconds ttl{600'000};  // 0: nothing is stored
  std::size_t max_entries = 10'000;
  std::size_t max_bytes = 256u << 20;  // limit per route; all routes together have an eighth of max_memory
  cache_scope scope = cache_scope::team;
  bool coalesce = false;  // true: equal requests share one race while it runs

  bool operator==(const cache_settings&) const = default;
};

struct route {
  std::string name;
  std::vector<target_name> targets;  // at least one; all are different
  racing::race_settings race;        // the policy is always set
  limit_settings limits = {};        // limits over all callers of the route
  std::vector<route_rule> rules = {};  // the first rule that matches applies
  proxy::required_facts require = {};  // facts that its targets must have
  std::optional<cache_settings> cache = {};  // empty: each request is raced

  bool operator==(const route&) const = default;
};

// The name under which the speed of its targets and its budget are kept. A rule with its own targets has its own name.
inline std::string name_compared(const route& each, const route_rule& rule) {
  return rule.targets.empty() ? each.name : each.name + "/" + rule.name;
}

// True if the test holds for one of its targets, including the targets of its rules.
template <class Test>
bool names_target(const route& each, Test is_it) {
  const auto names = [&is_it](const auto& by) { return std::any_of(by.targets.begin(), by.targets.end(), is_it); };
  return names(each) || std::any_of(each.rules.begin(), each.rules.end(), names);
}

// The receiver of alerts: a target has become slower, or a soft budget is spent.
struct alert_settings {
  proxy::secret webhook;     // http or https; empty: no webhook. Path and query may be secret
  std::string external_url;  // the gateway's URL in links for people; empty: the address at which it listens
  std::map<std::string, std::string> labels;  // labels that are added to every alert

  bool operator==(const alert_settings&) const = default;
};

// The export of races as traces, with a span for each attempt (docs/decisions/0047).
struct tracing_settings {
  std::string endpoint = {};  // the URL that spans are posted to; empty: no traces
  std::vector<std::pair<std::string, proxy::secret>> headers = {};  // headers of each post
  std::map<std::string, std::string> resource = {};  // attributes of this gateway: service.name and others
  double sample = 1;         // the share of new traces that is recorded
  bool keeps_errors = true;  // true: also record unsampled traces with errors
  bool keeps_slow = true;    // true: also record unsampled slow traces
  // Measured to the first token, or to the end of an answer that is not streamed.
  std::chrono::milliseconds slow_after{10'000};
  bool trust_parent = true;  // true: continue a caller's traceparent
  bool is_compressed = false;

  bool operator==(const tracing_settings&) const = default;
  bool is_on() const { return !endpoint.empty(); }
};

// Measuring requests that the gateway sends to targets that hardly get any requests from clients.
struct probe_settings {
  std::chrono::milliseconds every{std::chrono::hours(3)};  // interval for each target with each prompt size
  std::vector<std::size_t> input_tokens{100, 1'000, 10'000};
  std::size_t max_output = 300;                  // limit of tokens per answer
  std::int64_t max_nano_usd_a_day = 500'000'000;  // limit per UTC day

  bool operator==(const probe_settings&) const = default;
};

// Whether the live page is served: see page_rules.hpp.
enum class page_setting { automatic, on, off };

// Limits per request, and limits over all requests.
struct server_limits : request_limits {
  std::size_t max_inflight = 10'000;      // limit of requests over all workers
  std::size_t max_connections = 20'000;   // limit of client connections over all workers
  std::size_t max_memory = 0;             // memory of all requests; 0: half of the machine's or cgroup's memory
  std::size_t max_prefixes = 65'536;      // limit of remembered conversations; each takes 64 bytes

  bool operator==(const server_limits&) const = default;
};

// The addresses of the server, and how it serves and drains.
struct server_settings {
  std::vector<listen_address> listen{{"127.0.0.1", 7777}, {"::1", 7777}};
  bool is_listen_default = true;  // if true, [::1] may be missing on a machine without IPv6
  std::optional<listen_address> admin;
  ingress_settings ingress;
  std::size_t workers = 0;  // 0: the number of CPUs that affinity and cgroup quota allow
  std::vector<std::string> cors_origins;   // allowed origins in addition to localhost; "*" allows any
  // Host names that loopback listeners accept in addition to their own: name[:port], "*.name[:port]", or "*" for any.
  std::vector<std::string> allowed_hosts;
  bool open = false;  // true: the gateway may listen beyond loopback with provider keys and without access keys
  half_close client_half_close = half_close::abort;
  std::chrono::milliseconds drain_delay{5'000};
  std::chrono::milliseconds drain_timeout{600'000};

  bool operator==(const server_settings&) const = default;
};

// The callers of the gateway, and their limits.
struct access_settings {
  access_key_list keys;  // the configuration's own keys, then the store's keys
  stored_keys_state stored_state = stored_keys_state::awaited;  // the state of the store's keys
  sealed_key_settings sealed_keys;
  std::vector<jwt_issuer> jwt;
  limit_settings key_defaults;  // limits of callers with tokens; `keys` already includes them
  std::string budget_timezone = "UTC";  // the calendar of budgets; each `every.zone` is made from it
  std::map<std::string, limit_settings> teams;
  unpriced_use unpriced = unpriced_use::allow;  // applies to all callers, even without a key
  bool has_strict_team = false;                 // true if some team has `unpriced: refuse`
  // Secret that signs the ids of responses that providers store; empty: the gateway's own secret is used.
  proxy::secret id_secret;
  bool share_keys = false;  // true: a caller with some keys of its own may use the configured keys for other providers

  bool operator==(const access_settings&) const = default;
};

// Access to the live page and to /metrics, and the labels of the metrics.
struct view_settings {
  page_setting page = page_setting::automatic;
  bool metrics_for_admins = false;  // true: only access keys with admin: true open /metrics
  bool open_metrics = false;  // true: /metrics needs no key even if there are access keys
  bool has_client_label = true;  // the setting metrics.client_label

  bool operator==(const view_settings&) const = default;
};

// The log, the audit log and the content log.
struct log_settings {
  std::string level = "info";
  log_form format = log_form::text;
  std::string audit_file;  // empty: there is no audit log
  content_log_settings content;

  bool operator==(const log_settings&) const = default;
};

// The source of a configuration, and the changes that a reload with it may make.
struct source_facts {
  std::string text_hash;  // SHA-256 of the file in hex; empty if there is no file
  // Files of secrets (file:PATH) and certificates; a change of one causes a reload.
  std::vector<std::string> watched_files;
  bool is_zero_config = false;  // true: metric labels come from targets that answered
  bool allow_emptying = false;  // true: a reload may remove all providers, all routes or all access keys

  bool operator==(const source_facts&) const = default;
};

// Names that requests may use, in addition to the names of routes.
struct request_names {
  route_aliases aliases;
  std::vector<std::string> tasks, projects;  // allowed values of x-race-task and x-race-project

  bool operator==(const request_names&) const = default;
};

struct config {
  server_settings server;
  access_settings access;
  source_facts source;
  view_settings views;
  proxy::secret forward_proxy;  // the setting `proxy`, as written: a URL, "none", or empty. It may contain a password
  server_limits limits;
  std::string region;  // the region of this gateway, for metrics and traces; empty: unknown
  log_settings log;
  std::string state_dir;  // folder of stored statistics; empty: the default of state_dir.hpp; "none": nothing is stored
  alert_settings alerts;
  store_settings store;  // the setting `redis`
  tracing_settings tracing;
  std::vector<guardrail_settings> guardrails;  // empty: no guardrail judges requests
  std::optional<probe_settings> probes;  // empty: no probes are sent
  catalogue_settings catalogue;  // prices and facts of models
  std::map<std::string, proxy::provider> providers;
  racing::race_settings race;  // defaults of every route
  std::map<std::string, route> routes;
  request_names names;
  std::vector<std::string> route_order;    // names of `routes` in the file's order, for people

  bool operator==(const config&) const = default;

  // True if callers must send an access key.
  bool asks_for_keys() const {
    return !access.keys.empty() || !access.sealed_keys.secrets.empty() || !access.jwt.empty() || store.has_access_keys;
  }
  // True if a key that is not in the list may be one of the store's keys.
  bool awaits_stored_keys() const { return store.has_access_keys && access.stored_state != stored_keys_state::known; }
  // True while the store's keys are read for the first time; it ends with the store's answer or its failure.
  bool is_first_reading() const { return store.has_access_keys && access.stored_state == stored_keys_state::awaited; }
};

}  // namespace photofinish::gateway
