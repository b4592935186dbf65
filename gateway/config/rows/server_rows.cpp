// Rows of the settings table for the settings of the server.
#include "gateway/config/rows/setting_rows.hpp"

#include <array>

namespace photofinish::gateway {
namespace {

using enum setting_type;

constexpr std::array<std::string_view, 4> log_levels{"debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 2> compressions{"none", "gzip"};
constexpr std::array<std::string_view, 3> trace_kinds{"error", "slow", "none"};

// clang-format off: a row is one or two lines
constexpr setting top_rows[] = {
    compared<&config::server, &server_settings::listen>(machine_row({"listen", addresses,
     "[127.0.0.1:7777, '[::1]:7777']", "The addresses to which clients connect"})),
    compared<&config::server, &server_settings::admin>(machine_row({"admin", address, "",
     "A separate address for /metrics and the health checks"})),
    compared<&config::server, &server_settings::ingress, &ingress_settings::tls>({"tls", one, "{}",
     "TLS for the connections of clients", section::tls}),
    compared<&config::server, &server_settings::ingress, &ingress_settings::allow_from>({"allow_from", texts, "[]",
     "The only client addresses that may connect to `listen`, for example 10.0.0.0/8; if empty, all addresses"}),
    plain<&config::server, &server_settings::ingress, &ingress_settings::proxy_protocol>("proxy_protocol",
     "Whether each connection to `listen` must begin with a PROXY header, v1 or v2, and come from one of "
     "`trusted_proxies`"),
    compared<&config::server, &server_settings::ingress, &ingress_settings::trusted_proxies>({"trusted_proxies", texts,
     "[]", "The addresses of proxies whose X-Forwarded-For and PROXY headers are trusted, for example 10.0.0.0/8"}),
    plain<&config::server, &server_settings::workers>("workers",
     "The number of threads that serve requests; by default the number of CPUs that CPU affinity and the cgroup's "
     "quota allow",
     {.least = 1, .most = 1024, .is_of_one_machine = true}),
    {"access_keys", list_or_file, "[]",
     "The keys of callers, or file:PATH of a watched file with a list of keys; if empty, any client that can connect "
     "may send requests", section::access_key},
    {"sealed_keys", one, "{}",
     "Settings of sealed keys, which contain their own claims in encrypted form", section::sealed_keys},
    compared<&config::access, &access_settings::jwt>({"jwt", list_of, "[]",
     "Identity providers whose tokens are accepted as keys", section::jwt}),
    compared<&config::access, &access_settings::key_defaults>({"key_defaults", one, "{}",
     "Default limits of access keys", section::key_limits}),
    compared<&config::access, &access_settings::budget_timezone>({"budget_timezone", text, "UTC",
     "The time zone of the calendar for budgets, for example Europe/Berlin"}),
    plain<&config::access, &access_settings::unpriced>("unpriced",
     "Whether requests may use targets without a known price: allow or refuse; keys, teams and routes may be stricter"),
    compared<&config::access, &access_settings::teams>({"teams", map_of, "{}",
     "Teams with limits that their access keys share", section::team}),
    plain<&config::server, &server_settings::cors_origins>("cors_origins",
     "Browser origins that are allowed in addition to localhost; '*' allows any origin"),
    plain<&config::server, &server_settings::allowed_hosts>("allowed_hosts",
     "Host names that are accepted on loopback addresses in addition to localhost, if a reverse proxy forwards them; "
     "'*' allows any host"),
    plain<&config::views, &view_settings::open_metrics>("open_metrics",
     "With `access_keys` and without `admin`: whether /metrics can be read without a key"),
    plain<&config::views, &view_settings::metrics_for_admins>("metrics_for_admins",
     "With `access_keys` and without `admin`: whether /metrics requires a key with `admin: true`"),
    compared<&config::views, &view_settings::has_client_label>({"metrics", one, "{}",
     "The labels of /metrics", section::metrics}),
    plain<&config::views, &view_settings::page>("page",
     "The live page at /: auto (on loopback, at the admin address, and for keys with `admin: true`), on or off"),
    plain<&config::server, &server_settings::open>("open",
     "Whether the gateway may listen beyond loopback with provider keys but without access keys"),
    plain<&config::source, &source_facts::allow_emptying>("allow_emptying",
     "Whether a reload with this file may remove redis, or more than half of the providers, routes, teams or access "
     "keys"),
    plain<&config::access, &access_settings::share_keys>("share_keys",
     "Whether a caller who sends keys of some providers may use the configured keys of the other providers"),
    plain<&config::forward_proxy>("proxy",
     "The HTTP proxy for providers, http://user:password@host:port, or none; by default HTTPS_PROXY or HTTP_PROXY"),
    plain<&config::server, &server_settings::client_half_close>("half_close",
     "What a TCP FIN after a client's request means: the client has left (abort), or it still reads the answer "
     "(tolerate)"),
    compared<&config::limits>({"limits", one, "{}",
     "Limits on requests, connections, memory and waiting times", section::limits}),
    plain<&config::server, &server_settings::drain_delay>("drain_delay",
     "How long the gateway still accepts requests after SIGTERM, while it reports that it is not "
     "ready", {.may_be_zero = true}),
    plain<&config::server, &server_settings::drain_timeout>("drain_timeout",
     "How long running requests may continue after `drain_delay`", {.may_be_zero = true}),
    plain<&config::log, &log_settings::level>("log_level",
     "The minimum level of log lines", {.type = choice, .words = log_levels}),
    plain<&config::log, &log_settings::format>("log_format",
     "The format of log lines: text for people, key=value pairs, or JSON objects"),
    plain<&config::state_dir>("state_dir",
     "The folder for statistics that outlast a restart; by default the system's folder for state files; none: nothing "
     "is stored", {.is_of_one_machine = true}),
    plain<&config::region>("region",
     "The region of this gateway: a label of photofinish_region_info, and cloud.region in "
     "traces", {.is_of_one_machine = true}),
    machine_row({"instance", text, "", "The name of this gateway in reports and traces; by default the host name"}),
    plain<&config::access, &access_settings::id_secret>("id_secret",
     "The secret that signs the ids of stored responses, at least 32 characters; gateways with the same clients need "
     "the same secret; by default a secret is created in `state_dir`"),
    compared<&config::alerts>({"alerts", one, "{}",
     "Where alerts are sent if a target becomes slower, or a `soft_budget` is spent", section::alerts}),
    compared<&config::log, &log_settings::audit_file>({"audit_log", one, "{}",
     "The audit log, which records who changed what, and who was refused", section::audit_log}),
    compared<&config::log, &log_settings::content>({"content_log", one, "{}",
     "The log of prompts and answers for auditors; off by default", section::content_log}),
    compared<&config::store>({"redis", one, "", "The store that several gateways share", section::redis}),
    compared<&config::tracing>({"tracing", one, "{}", "Where traces of races are sent", section::tracing}),
    compared<&config::guardrails>({"guardrails", list_of, "[]",
     "Services that judge clients' prompts before they are answered", section::guardrail}),
    compared<&config::probes>({"probes", one, "",
     "Probes measure targets that get hardly any client requests; without this setting, no probes are sent",
     section::probes}),
    compared<&config::catalogue>({"catalogue", one, "",
     "A newer list of prices and limits of models, which replaces photofinish's built-in list", section::catalogue}),
    compared<&config::providers>({"providers", map_of, "{}",
     "Providers, by name; for a preset, the name alone is enough", section::provider}),
    compared<&config::race>({"race", one, "{}", "Default settings of every route's race", section::race}),
    compared<&config::routes>({"routes", map_of, "{}",
     "Routes, by name; requests name a route as their model", section::route}),
    plain<&config::names, &request_names::tasks>("tasks",
     "Allowed values of x-race-task and of metadata.task in the body, for the rules of routes"),
    plain<&config::names, &request_names::projects>("projects",
     "Allowed values of x-race-project, for costs by project, rules and receipts"),
};

constexpr setting tls_rows[] = {
    {"cert_file", text, "",
     "A watched PEM file that contains the server's certificate, followed by the certificates of its issuers"},
    {"key_file", text, "", "A watched PEM file that contains the certificate's private key, without a passphrase"},
    {"client_ca_file", text, "", "A watched PEM file that contains the certificate authorities of clients"},
    plain<&tls_settings::clients>("client_auth",
     "Whether clients are asked for a certificate (optional, require) or not (none); a certificate that is sent must "
     "be valid"),
    plain<&tls_settings::covers_admin>("admin",
     "Whether the admin address also uses TLS and asks for the same certificates"),
};

constexpr setting limits_rows[] = {
    plain<&config::limits, &server_limits::max_body>("max_body",
     "The longest request body", {.type = size, .least = 1}),
    plain<&config::limits, &server_limits::max_inflight>("max_inflight",
     "The maximum number of requests that run at the same time; additional requests get status 503", {.least = 1}),
    plain<&config::limits, &server_limits::max_connections>("max_connections",
     "The maximum number of client connections; at most a third of the process's file descriptors", {.least = 1}),
    plain<&config::limits, &server_limits::max_memory>("max_memory",
     "The maximum memory of all requests together; by default half of the memory of the machine or its "
     "cgroup", {.type = size, .least = 1}),
    plain<&config::limits, &server_limits::max_prefixes>("max_prefixes",
     "The number of conversation prefixes that are remembered, 64 bytes each; 0: none", {.most = 1u << 24}),
    plain<&config::limits, &server_limits::max_header>("max_header",
     "The longest request head, at most 256KiB", {.type = size, .least = 1, .most = longest_header}),
    plain<&config::limits, &server_limits::header_timeout>("header_timeout",
     "The time limit from a request's first byte to the last byte of its head"),
    plain<&config::limits, &server_limits::body_timeout>("body_timeout", "The longest pause within a request's body"),
    plain<&config::limits, &server_limits::idle_timeout>("idle_timeout",
     "The longest pause between two requests on a connection"),
};

constexpr setting metrics_rows[] = {
    plain<&config::views, &view_settings::has_client_label>("client_label",
     "Whether metrics of requests, tokens and costs have the label client, which gives each access key its own series"),
};

constexpr setting alerts_rows[] = {
    plain<&alert_settings::webhook>("webhook",
     "The URL to which alerts are posted, in the format of Alertmanager's webhooks"),
    plain<&alert_settings::external_url>("external_url",
     "The URL of this gateway for links in alerts; by default the gateway's first address"),
    plain<&alert_settings::labels>("labels", "Labels that are added to every alert"),
};

constexpr setting audit_log_rows[] = {
    plain<&config::log, &log_settings::audit_file>("file",
     "The file to which lines of JSON are appended; if the file is moved away, the gateway creates a new file"),
};

constexpr setting content_log_rows[] = {
    plain<&content_log_settings::file>("file",
     "The path of the log's files, one for each day: content.jsonl becomes content-2026-11-25.jsonl"),
    plain<&content_log_settings::routes>("routes", "The routes whose requests are recorded"),
    plain<&content_log_settings::retention>("retention",
     "How long a day's file is kept after the end of the day, at least 1h"),
    plain<&content_log_settings::max_line>("max_line",
     "The longest line, from 4KiB to 64MiB; longer requests and answers are cut", {.type = size, .least = 1}),
};

constexpr setting redis_rows[] = {
    plain<&store_settings::url>("url", "The store's URL: redis://user:password@host:6379/0, or rediss:// for TLS"),
    {"sentinel", one, "",
     "Redis Sentinels that report the address of the primary, which replaces the URL's host", section::sentinel},
    plain<&store_settings::ca_file>("ca_file",
     "A PEM file of certificates that are trusted for the store in addition to the system's certificates"),
    plain<&store_settings::timeout>("timeout",
     "The time limit for each exchange with the store, at most 5s; no request waits longer for the store"),
    plain<&store_settings::prefix>("prefix",
     "The prefix of all names in the store; gateways that share data need the same prefix"),
    plain<&store_settings::on_failure>("on_failure",
     "What happens while the store does not answer: with local, each gateway uses its part of the limits and of the "
     "remaining budgets; with deny, requests with a limit or a budget are refused"),
    plain<&store_settings::has_access_keys>("access_keys",
     "Whether the gateway also accepts keys that `photofinish keys new --redis` made"),
};

constexpr setting sentinel_rows[] = {
    plain<&sentinel_settings::master>("master",
     "The primary's name in the configuration of the sentinels", {.is_required = true}),
    plain<&sentinel_settings::addresses>("addresses",
     "The sentinels as HOST:PORT, which are asked in the order of the list; the default port is "
     "26379", {.is_required = true}),
    plain<&sentinel_settings::password>("password", "The password for the sentinels"),
};

constexpr setting tracing_rows[] = {
    {"endpoint", text, "",
     "The OTLP endpoint, over HTTP, for example http://collector:4318; by default OTEL_EXPORTER_OTLP_ENDPOINT"},
    {"headers", secret_map, "{}", "Headers that are added to each POST request; by default OTEL_EXPORTER_OTLP_HEADERS"},
    plain<&tracing_settings::resource>("resource",
     "Attributes of this gateway, for example service.name; by default OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES"),
    plain<&tracing_settings::sample>("sample",
     "The share of traces that is recorded if the caller sends no traceparent"),
    {"keep", choices, "[error, slow]", "Traces that are recorded in addition to the sample", {}, trace_kinds},
    plain<&tracing_settings::slow_after>("slow_after",
     "The time to the first token, or to the whole answer, above which a request is slow"),
    plain<&tracing_settings::trust_parent>("trust_parent",
     "Whether a caller's traceparent is trusted: the gateway continues the caller's trace, and the caller's flag "
     "decides whether the trace is recorded"),
    plain<&tracing_settings::is_compressed>("compression",
     "The compression of the requests to the endpoint", {.type = choice, .words = compressions}),
};

constexpr setting probes_rows[] = {
    plain<&probe_settings::every>("every",
     "How often a target without client requests is probed with each prompt size, at least 10m"),
    plain<&probe_settings::input_tokens>("input_tokens",
     "The approximate sizes of the prompts: at most 8, each from 16 to 100000", {.least = 16}),
    plain<&probe_settings::max_output>("max_output",
     "The number of tokens of each answer, from 16 to 4096", {.least = 16, .most = 4096}),
    plain<&probe_settings::max_nano_usd_a_day>("max_cost_per_day",
     "The maximum cost of probes per day (UTC), in US dollars"),
};

constexpr setting catalogue_rows[] = {
    plain<&catalogue_settings::file>("file",
     "The path of a catalogue.json, which is watched; with `public_key`, the signature is in FILE.sig, which is also "
     "watched"),
    plain<&catalogue_settings::sha256>("sha256", "The SHA-256 of the file, in hex; only a file with this hash is used"),
    plain<&catalogue_settings::public_key>("public_key",
     "An Ed25519 key, as PEM or base64; only files with a signature by this key are used"),
    plain<&catalogue_settings::allow_jumps>("allow_jumps",
     "Whether the file may have fewer models than the previous list, prices that fall to zero, and prices that change "
     "more than tenfold"),
};
// clang-format on

constexpr section_rows server_tables[] = {
    {section::top, top_rows}, {section::tls, tls_rows}, {section::limits, limits_rows},
    {section::metrics, metrics_rows}, {section::alerts, alerts_rows}, {section::audit_log, audit_log_rows},
    {section::content_log, content_log_rows}, {section::redis, redis_rows}, {section::sentinel, sentinel_rows},
    {section::tracing, tracing_rows}, {section::probes, probes_rows},
    {section::catalogue, catalogue_rows}};

}  // namespace

std::span<const section_rows> server_rows() { return server_tables; }

}  // namespace photofinish::gateway
