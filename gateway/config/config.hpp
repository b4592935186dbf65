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
  // The model's name without the tier, as the gateway sends it to the provider.
  std::string_view sent_model() const {
    return tier ? std::string_view(model).substr(0, model.rfind('@')) : std::string_view(model);
  }
  std::string text() const {
    std::string name;
    name.reserve(provider.size() + 1 + model.size());
    name.append(provider).append(1, '/').append(model);
    return name;  // `return name.append(…)` would copy the text instead of moving it
  }
};

// The value of x-race-class, which tells if a person waits for the request.
enum class request_class { interactive, batch };
enum class answer_format { text, json_object, json_schema };

// A rule of a route. Requests that match the rule use other targets or another race policy. A request matches if it
// meets all conditions that are set.
struct route_rule {
  std::string name;
  std::string task, project;  // the required values of x-race-task and x-race-project; if empty, any value matches
  std::optional<request_class> work;
  std::optional<std::size_t> min_input_tokens, max_input_tokens;  // the limits for the estimated number of input tokens
  // If set, only requests with tools (true) or only requests without tools (false) match.
  std::optional<bool> tools;
  std::optional<answer_format> response_format;
  std::optional<std::size_t> max_tokens;          // matches requests whose max_tokens is at most this number
  bool is_apply = false;  // if true, only code-edit requests match, which consist of <instruction>, <code> and <update>
  std::vector<target_name> targets;               // the targets of the rule; if empty, the targets of the route
  // The requirements that targets must meet. They apply to the rule's own targets, or to the route's targets if the
  // rule has none.
  proxy::required_facts require;
  racing::race_settings race;

  bool operator==(const route_rule&) const = default;
};

// The callers who share answers in a route's cache. A caller with its own provider keys does not share answers with
// other callers.
enum class cache_scope {
  key,    // callers with the same access key, or with tokens of the same subject
  team,   // callers of the same team; a caller without a team does not share answers with other callers
  route,  // all callers who may use the route
};

// The cache of a route: it stores answers for equal requests, or shares answers while they arrive.
struct cache_settings {
  std::chrono::milliseconds ttl{600'000};  // the lifetime of a stored answer; 0 means that nothing is stored
  std::size_t max_entries = 10'000;
  // The maximum size of a route's cache. In addition, the caches of all routes together may use at most an eighth of
  // max_memory.
  std::size_t max_bytes = 256u << 20;
  cache_scope scope = cache_scope::team;
  bool coalesce = false;  // if true, equal requests share one race while it runs

  bool operator==(const cache_settings&) const = default;
};

struct route {
  std::string name;
  std::vector<target_name> targets;  // the targets of the route: at least one, without duplicates
  racing::race_settings race;        // the race settings of the route; they always contain a policy
  limit_settings limits = {};        // the limits that all callers of the route share
  // The rules in the order of the file; the first rule that matches a request applies.
  std::vector<route_rule> rules = {};
  proxy::required_facts require = {};  // the requirements that the route's targets must meet
  std::optional<cache_settings> cache = {};  // the settings of the route's cache; empty if it has none

  bool operator==(const route&) const = default;
};

// Returns the name under which the speeds and the budget of a rule are stored. A rule that has targets of its own has a
// separate name. All other rules use the route's name.
inline std::string name_compared(const route& each, const route_rule& rule) {
  return rule.targets.empty() ? each.name : each.name + "/" + rule.name;
}

// True if the condition `is_it` is true for a target of the route, or for a target of the route's rules.
template <class Test>
bool names_target(const route& each, Test is_it) {
  const auto names = [&is_it](const auto& by) { return std::any_of(by.targets.begin(), by.targets.end(), is_it); };
  return names(each) || std::any_of(each.rules.begin(), each.rules.end(), names);
}

// The receiver of alerts. The gateway sends an alert if a target has become slower, or if a soft budget is spent.
struct alert_settings {
  proxy::secret webhook;     // an http or https URL whose path and query may be secret; empty if there is no webhook
  // The gateway's URL for links in alerts; if empty, the address at which the gateway listens.
  std::string external_url;
  std::map<std::string, std::string> labels;  // labels that are added to every alert

  bool operator==(const alert_settings&) const = default;
};

// Settings of traces: the gateway exports each race as a trace, with a span for each attempt (docs/decisions/0047).
struct tracing_settings {
  std::string endpoint = {};  // the URL to which spans are posted; if empty, no traces are exported
  std::vector<std::pair<std::string, proxy::secret>> headers = {};  // headers that are added to each post of spans
  std::map<std::string, std::string> resource = {};  // attributes that describe this gateway, such as service.name
  double sample = 1;         // the share of new traces that the gateway records
  bool keeps_errors = true;  // if true, unsampled traces with errors are also recorded
  bool keeps_slow = true;    // if true, slow unsampled traces are also recorded
  // A trace is slow if it lasts at least this long. The duration is measured until the first token, or until the end of
  // an answer that is not streamed.
  std::chrono::milliseconds slow_after{10'000};
  // If true, and a caller sends a traceparent header, the gateway continues the caller's trace.
  bool trust_parent = true;
  bool is_compressed = false;

  bool operator==(const tracing_settings&) const = default;
  bool is_on() const { return !endpoint.empty(); }
};

// Settings of probes: requests that the gateway sends to measure targets that get hardly any requests from clients.
struct probe_settings {
  // The interval between probes of the same target with the same prompt size.
  std::chrono::milliseconds every{std::chrono::hours(3)};
  std::vector<std::size_t> input_tokens{100, 1'000, 10'000};
  std::size_t max_output = 300;                  // the maximum number of output tokens of a probe
  std::int64_t max_nano_usd_a_day = 500'000'000;  // the maximum cost of all probes in one UTC day

  bool operator==(const probe_settings&) const = default;
};

// Decides whether the gateway serves the live page. The rules are in page_rules.hpp.
enum class page_setting { automatic, on, off };

// Limits for each request, and limits for all requests together.
struct server_limits : request_limits {
  std::size_t max_inflight = 10'000;      // the maximum number of running requests over all workers
  std::size_t max_connections = 20'000;   // the maximum number of client connections over all workers
  // The maximum memory of all requests together. 0 means half of the memory of the machine or its cgroup.
  std::size_t max_memory = 0;
  std::size_t max_prefixes = 65'536;      // the maximum number of remembered conversations; each takes 64 bytes

  bool operator==(const server_limits&) const = default;
};

// The addresses at which the server listens, and settings for serving and draining.
struct server_settings {
  std::vector<listen_address> listen{{"127.0.0.1", 7777}, {"::1", 7777}};
  // If true, the gateway also starts if the machine has no IPv6, and therefore no address [::1].
  bool is_listen_default = true;
  std::optional<listen_address> admin;
  ingress_settings ingress;
  // The number of workers; 0 means the number of CPUs that the CPU affinity and the cgroup quota allow.
  std::size_t workers = 0;
  std::vector<std::string> cors_origins;   // the allowed origins in addition to localhost; "*" allows all origins
  // The host names that loopback listeners accept in addition to their own: name[:port], "*.name[:port]", or "*" for
  // all names.
  std::vector<std::string> allowed_hosts;
  // If true, the gateway may listen on addresses beyond loopback, even with provider keys and without access keys.
  bool open = false;
  half_close client_half_close = half_close::abort;
  std::chrono::milliseconds drain_delay{5'000};
  std::chrono::milliseconds drain_timeout{600'000};

  bool operator==(const server_settings&) const = default;
};

// The callers of the gateway, and their limits.
struct access_settings {
  access_key_list keys;  // the keys from the configuration, followed by the keys from the store
  // Shows whether this gateway has read the access keys in the shared store.
  stored_keys_state stored_state = stored_keys_state::awaited;
  sealed_key_settings sealed_keys;
  std::vector<jwt_issuer> jwt;
  limit_settings key_defaults;  // the default limits of callers with tokens; the limits of keys are already in `keys`
  std::string budget_timezone = "UTC";  // the name of the time zone in which budget periods begin and end
  std::map<std::string, limit_settings> teams;
  // Decides whether targets may be used if their price is unknown. Applies to all callers, including callers without a
  // key.
  unpriced_use unpriced = unpriced_use::allow;
  bool has_strict_team = false;                 // true if a team has `unpriced: refuse`
  // The secret that signs the ids of responses that providers store. If the setting is empty, the gateway generates a
  // secret.
  proxy::secret id_secret;
  bool share_keys = false;  // if true, a caller who sends provider keys may use the configured keys for other providers

  bool operator==(const access_settings&) const = default;
};

// Settings of the live page and of /metrics: who may read them, and the labels of the metrics.
struct view_settings {
  page_setting page = page_setting::automatic;
  bool metrics_for_admins = false;  // if true, only access keys with admin: true may read /metrics
  bool open_metrics = false;  // if true, /metrics needs no key even if there are access keys
  bool has_client_label = true;  // the value of the setting metrics.client_label

  bool operator==(const view_settings&) const = default;
};

// Settings of the log, the audit log and the content log.
struct log_settings {
  std::string level = "info";
  log_form format = log_form::text;
  std::string audit_file;  // the path of the audit log; if empty, there is no audit log
  content_log_settings content;

  bool operator==(const log_settings&) const = default;
};

// The source of a configuration, and the changes that are allowed when the gateway reloads it.
struct source_facts {
  std::string text_hash;  // The SHA-256 of the configuration file in hex. Empty if there is no file.
  // Files with secrets (file:PATH) and certificates. If one of them changes, the gateway reloads its configuration.
  std::vector<std::string> watched_files;
  bool is_zero_config = false;  // if true, the metrics have labels only for targets that have already answered
  bool allow_emptying = false;  // if true, a reload may remove most providers, routes or access keys

  bool operator==(const source_facts&) const = default;
};

// Names that requests may use in addition to the names of routes.
struct request_names {
  route_aliases aliases;
  std::vector<std::string> tasks, projects;  // the allowed values of the headers x-race-task and x-race-project

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
  std::string state_dir;  // the folder for stored data; if empty, the default folder of state_dir.hpp; if "none",
                          // nothing is stored
  alert_settings alerts;
  store_settings store;  // the settings of the section `redis`
  tracing_settings tracing;
  std::vector<guardrail_settings> guardrails;  // services that judge requests; empty if there are none
  std::optional<probe_settings> probes;  // the settings of probes; if empty, no probes are sent
  catalogue_settings catalogue;  // the list with prices and facts of models
  std::map<std::string, proxy::provider> providers;
  racing::race_settings race;  // the default race settings of every route
  std::map<std::string, route> routes;
  request_names names;
  std::vector<std::string> route_order;    // the names of `routes` in the order of the file, for display

  bool operator==(const config&) const = default;

  // True if callers must send an access key.
  bool asks_for_keys() const {
    return !access.keys.empty() || !access.sealed_keys.secrets.empty() || !access.jwt.empty() || store.has_access_keys;
  }
  // True if the store may contain a key that is missing in `access.keys`, because its keys are not read yet or cannot
  // be read now.
  bool awaits_stored_keys() const { return store.has_access_keys && access.stored_state != stored_keys_state::known; }
  // True until the gateway has read the store's keys for the first time, or has failed to read them.
  bool is_first_reading() const { return store.has_access_keys && access.stored_state == stored_keys_state::awaited; }
};

}  // namespace photofinish::gateway
