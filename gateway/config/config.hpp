// Everything a user can configure, as plain data with a default for every field. [pure]
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
  std::string model;  // with its tier, as in "gpt-6.1-sol@priority"
  std::optional<proxy::price_tier> tier = {};  // `model` ends in it; nothing: `model` is the name of a model

  bool operator==(const target_name& other) const { return provider == other.provider && model == other.model; }
  // The model's name at its provider.
  std::string_view sent_model() const {
    return tier ? std::string_view(model).substr(0, model.rfind('@')) : std::string_view(model);
  }
  std::string text() const {
    std::string name;
    name.reserve(provider.size() + 1 + model.size());
    name.append(provider).append(1, '/').append(model);
    return name;  // and not what append() returns, which would be copied
  }
};

// What a request says of itself by x-race-class: does a person wait for it?
enum class request_class { interactive, batch };
enum class answer_format { text, json_object, json_schema };

// Requests of a route that run elsewhere, or otherwise. All of its conditions that are set must hold.
struct route_rule {
  std::string name;
  std::string task, project;  // empty: any
  std::optional<request_class> work;
  std::optional<std::size_t> min_input_tokens, max_input_tokens;  // estimated
  std::optional<bool> tools;                      // whether it names some
  std::optional<answer_format> response_format;
  std::optional<std::size_t> max_tokens;          // that the request allows at most
  bool is_apply = false;                          // an edit to apply: <instruction>, <code>, <update>
  std::vector<target_name> targets;               // empty: the route's
  proxy::required_facts require;                  // of its targets; the route's where it has none of its own
  racing::race_settings race;

  bool operator==(const route_rule&) const = default;
};

// Who is given whose answer by a route's cache. Callers who bring keys of providers share with themselves alone.
enum class cache_scope {
  key,    // the same access key, or the same subject of a token
  team,   // the same team; a key without one by itself
  route,  // any caller who may use the route
};

// Answers of a route that are kept for equal requests, or shared while they come.
struct cache_settings {
  std::chrono::milliseconds ttl{600'000};  // 0: nothing is kept
  std::size_t max_entries = 10'000;
  std::size_t max_bytes = 256u << 20;  // of the route; all routes together have an eighth of max_memory
  cache_scope scope = cache_scope::team;
  bool coalesce = false;  // equal requests share one race while it runs

  bool operator==(const cache_settings&) const = default;
};

struct route {
  std::string name;
  std::vector<target_name> targets;  // at least one, distinct
  racing::race_settings race;        // policy is set
  limit_settings limits = {};        // over all its callers
  std::vector<route_rule> rules = {};  // the first that holds
  proxy::required_facts require = {};  // of its targets
  std::optional<cache_settings> cache = {};  // none: each request is raced

  bool operator==(const route&) const = default;
};

// As which what is known of its targets' speed is kept, and their budget: a rule with targets of its own has its own.
inline std::string name_compared(const route& each, const route_rule& rule) {
  return rule.targets.empty() ? each.name : each.name + "/" + rule.name;
}

// Whether one of the targets that it names is such, its rules' among them.
template <class Test>
bool names_target(const route& each, Test is_it) {
  const auto names = [&is_it](const auto& by) { return std::any_of(by.targets.begin(), by.targets.end(), is_it); };
  return names(each) || std::any_of(each.rules.begin(), each.rules.end(), names);
}

// Where an alert is sent when a target has become slower, or a soft budget is spent.
struct alert_settings {
  proxy::secret webhook;     // http or https; empty: none. Its path and query may be secret
  std::string external_url;  // how people reach this gateway, for links; empty: where it listens
  std::map<std::string, std::string> labels;  // added to every alert

  bool operator==(const alert_settings&) const = default;
};

// Where races are shown as traces, a span for each attempt (docs/decisions/0047).
struct tracing_settings {
  std::string endpoint = {};  // the URL that spans are posted to; empty: no traces
  std::vector<std::pair<std::string, proxy::secret>> headers = {};  // of each post
  std::map<std::string, std::string> resource = {};                 // what this gateway is: service.name and others
  double sample = 1;         // the share of new traces that is recorded
  bool keeps_errors = true;  // also of those that are not
  bool keeps_slow = true;    // likewise
  std::chrono::milliseconds slow_after{10'000};  // to the first token, or to the end of an answer that is no stream
  bool trust_parent = true;  // a caller's traceparent counts
  bool is_compressed = false;

  bool operator==(const tracing_settings&) const = default;
  bool is_on() const { return !endpoint.empty(); }
};

// Measuring requests that the gateway sends to targets that hardly any client asks.
struct probe_settings {
  std::chrono::milliseconds every{std::chrono::hours(3)};  // each target with each prompt size
  std::vector<std::size_t> input_tokens{100, 1'000, 10'000};
  std::size_t max_output = 300;                  // tokens of each answer
  std::int64_t max_nano_usd_a_day = 500'000'000;  // in UTC's days

  bool operator==(const probe_settings&) const = default;
};

// Where the live page is served: page_rules.hpp.
enum class page_setting { automatic, on, off };

// Those of each request, and what all of them share.
struct server_limits : request_limits {
  std::size_t max_inflight = 10'000;      // requests, over all workers
  std::size_t max_connections = 20'000;   // client connections, over all workers
  std::size_t max_memory = 0;             // what all requests hold; 0: half of what the machine or cgroup has
  std::size_t max_prefixes = 65'536;      // of conversations that are remembered; 64 bytes each

  bool operator==(const server_limits&) const = default;
};

// The addresses of the server, and how it serves and drains.
struct server_settings {
  std::vector<listen_address> listen{{"127.0.0.1", 7777}, {"::1", 7777}};
  bool is_listen_default = true;  // [::1] may then be missing on a machine without IPv6
  std::optional<listen_address> admin;
  ingress_settings ingress;
  std::size_t workers = 0;  // 0: the CPUs allowed by affinity and cgroup quota
  std::vector<std::string> cors_origins;   // in addition to localhost's; "*": any
  std::vector<std::string> allowed_hosts;  // on loopback, after its own names: name[:port], "*.name[:port]", "*": any
  bool open = false;  // may listen beyond loopback with provider keys and without access keys
  half_close client_half_close = half_close::abort;
  std::chrono::milliseconds drain_delay{5'000};
  std::chrono::milliseconds drain_timeout{600'000};

  bool operator==(const server_settings&) const = default;
};

// The callers of the gateway, and their limits.
struct access_settings {
  access_key_list keys;  // the configuration's own, then those that the store has
  stored_keys_state stored_state = stored_keys_state::awaited;  // the state of the store's keys
  sealed_key_settings sealed_keys;
  std::vector<jwt_issuer> jwt;
  limit_settings key_defaults;  // of callers with tokens; in `keys` they are filled in already
  std::string budget_timezone = "UTC";  // whose calendar budgets follow: their own `every.zone` is made of it
  std::map<std::string, limit_settings> teams;
  unpriced_use unpriced = unpriced_use::allow;  // for all callers, also without a key
  bool has_strict_team = false;                 // some team has `unpriced: refuse`
  proxy::secret id_secret;  // signs the ids of responses that providers keep; empty: the gateway's own is used
  bool share_keys = false;  // a caller who brings some keys may use the configured ones for the rest

  bool operator==(const access_settings&) const = default;
};

// Access to the live page and to /metrics, and the labels of the metrics.
struct view_settings {
  page_setting page = page_setting::automatic;
  bool metrics_for_admins = false;  // of the access keys only those with admin: true open /metrics
  bool open_metrics = false;  // /metrics asks for no key although there are access keys
  bool has_client_label = true;  // the setting metrics.client_label

  bool operator==(const view_settings&) const = default;
};

// The log, the audit log and the content log.
struct log_settings {
  std::string level = "info";
  log_form format = log_form::text;
  std::string audit_file;  // empty: no audit log
  content_log_settings content;

  bool operator==(const log_settings&) const = default;
};

// The source of a configuration, and what a reload with it may do.
struct source_facts {
  std::string text_hash;  // of the file it was read from: SHA-256 in hex; empty: of none
  std::vector<std::string> watched_files;  // secrets by file:PATH, certificates; a change reloads
  bool is_zero_config = false;  // metric labels then come from targets that answered
  bool allow_emptying = false;  // a reload may remove all providers, all routes or all access keys

  bool operator==(const source_facts&) const = default;
};

// Names that requests may use, in addition to the names of routes.
struct request_names {
  route_aliases aliases;
  std::vector<std::string> tasks, projects;  // what x-race-task and x-race-project may name

  bool operator==(const request_names&) const = default;
};

struct config {
  server_settings server;
  access_settings access;
  source_facts source;
  view_settings views;
  proxy::secret forward_proxy;  // the setting `proxy`, as written: a URL, "none", or empty. It may hold a password
  server_limits limits;
  std::string region;  // where this gateway is, for metrics and traces; empty: not said
  log_settings log;
  std::string state_dir;  // where statistics outlive a restart; empty: state_dir.hpp knows a place; "none": nowhere
  alert_settings alerts;
  store_settings store;  // the setting `redis`
  tracing_settings tracing;
  std::vector<guardrail_settings> guardrails;  // none: no request is judged
  std::optional<probe_settings> probes;  // none: none are sent
  catalogue_settings catalogue;  // prices and facts of models
  std::map<std::string, proxy::provider> providers;
  racing::race_settings race;  // defaults of every route
  std::map<std::string, route> routes;
  request_names names;
  std::vector<std::string> route_order;    // names of `routes` as the file has them: for people

  bool operator==(const config&) const = default;

  // Whether callers must bring a key of this gateway's.
  bool asks_for_keys() const {
    return !access.keys.empty() || !access.sealed_keys.secrets.empty() || !access.jwt.empty() || store.has_access_keys;
  }
  // Whether a key that is not among these may be one of the store's.
  bool awaits_stored_keys() const { return store.has_access_keys && access.stored_state != stored_keys_state::known; }
  // Of those the store has; it ends with the store's answer or its failure.
  bool is_first_reading() const { return store.has_access_keys && access.stored_state == stored_keys_state::awaited; }
};

}  // namespace photofinish::gateway
