// The settings of the server.
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
     "[127.0.0.1:7777, '[::1]:7777']", "Where clients connect"})),
    compared<&config::server, &server_settings::admin>(machine_row({"admin", address, "",
     "Moves /metrics and the probes to an address of their own"})),
    compared<&config::server, &server_settings::ingress, &ingress_settings::tls>({"tls", one, "{}",
     "Clients connect by TLS", section::tls}),
    compared<&config::server, &server_settings::ingress, &ingress_settings::allow_from>({"allow_from", texts, "[]",
     "The only addresses that may connect to listen, as 10.0.0.0/8; with none, any"}),
    plain<&config::server, &server_settings::ingress, &ingress_settings::proxy_protocol>("proxy_protocol",
     "Each connection to listen begins with a PROXY header, v1 or v2, and comes from one of trusted_proxies"),
    compared<&config::server, &server_settings::ingress, &ingress_settings::trusted_proxies>({"trusted_proxies", texts,
     "[]", "The addresses of proxies whose X-Forwarded-For and PROXY header count, as 10.0.0.0/8"}),
    plain<&config::server, &server_settings::workers>("workers",
     "Threads that serve; by default the CPUs allowed by affinity and cgroup quota",
     {.least = 1, .most = 1024, .is_of_one_machine = true}),
    {"access_keys", list_or_file, "[]", "Who may call, or file:PATH of such a list, which is watched; with none, any "
     "client that reaches the listener", section::access_key},
    {"sealed_keys", one, "{}", "Keys that carry their own claims, encrypted", section::sealed_keys},
    compared<&config::access, &access_settings::jwt>({"jwt", list_of, "[]",
     "Identity providers whose tokens are taken as keys", section::jwt}),
    compared<&config::access, &access_settings::key_defaults>({"key_defaults", one, "{}",
     "Limits of access keys, where a key has none of its own", section::key_limits}),
    compared<&config::access, &access_settings::budget_timezone>({"budget_timezone", text, "UTC",
     "The time zone whose calendar budgets follow, as Europe/Berlin"}),
    plain<&config::access, &access_settings::unpriced>("unpriced",
     "Targets without a known price: allow, or refuse, for all requests; keys, teams and routes may be stricter"),
    compared<&config::access, &access_settings::teams>({"teams", map_of, "{}",
     "Limits that access keys share", section::team}),
    plain<&config::server, &server_settings::cors_origins>("cors_origins",
     "Browser origins allowed besides localhost's; '*' allows any"),
    plain<&config::server, &server_settings::allowed_hosts>("allowed_hosts",
     "Hosts served on a loopback address besides localhost, as a proxy in front passes them on; '*' allows any"),
    plain<&config::views, &view_settings::open_metrics>("open_metrics",
     "With access_keys and without admin: /metrics requires no key"),
    plain<&config::views, &view_settings::metrics_for_admins>("metrics_for_admins",
     "With access_keys and without admin: /metrics requires a key with admin: true"),
    compared<&config::views, &view_settings::has_client_label>({"metrics", one, "{}",
     "Which labels /metrics has", section::metrics}),
    plain<&config::views, &view_settings::page>("page",
     "The live page at /: auto (on loopback, at the admin address, and to admin: true keys), on or off"),
    plain<&config::server, &server_settings::open>("open",
     "Allows a listener beyond loopback with provider keys but without access keys"),
    plain<&config::source, &source_facts::allow_emptying>("allow_emptying",
     "A reload with this file may remove redis, or more than half of the providers, routes, teams or access keys"),
    plain<&config::access, &access_settings::share_keys>("share_keys",
     "A caller who sends some provider keys may use the configured ones for the rest"),
    plain<&config::forward_proxy>("proxy",
     "The HTTP proxy towards providers, http://user:password@host:port, or none; by default HTTPS_PROXY or HTTP_PROXY"),
    plain<&config::server, &server_settings::client_half_close>("half_close",
     "What a client's FIN after its request means: it has left, or it still listens"),
    compared<&config::limits>({"limits", one, "{}", "What the server accepts and keeps at most", section::limits}),
    plain<&config::server, &server_settings::drain_delay>("drain_delay",
     "After SIGTERM: how long it is not ready but still accepts requests", {.may_be_zero = true}),
    plain<&config::server, &server_settings::drain_timeout>("drain_timeout",
     "After that: how long running requests may take to end", {.may_be_zero = true}),
    plain<&config::log, &log_settings::level>("log_level",
     "The least severe line that is logged", {.type = choice, .words = log_levels}),
    plain<&config::log, &log_settings::format>("log_format",
     "How log lines look: for people, as key=value pairs, or a JSON object each"),
    plain<&config::state_dir>("state_dir", "The folder where statistics outlive a restart; by default the system's "
     "place for it; none keeps nothing", {.is_of_one_machine = true}),
    plain<&config::region>("region", "Where this gateway is: a label of photofinish_region_info, and cloud.region of "
     "traces", {.is_of_one_machine = true}),
    machine_row({"instance", text, "", "The name of this gateway in reports and traces; by default the host name"}),
    plain<&config::access, &access_settings::id_secret>("id_secret",
     "Signs the ids of stored responses, at least 32 characters; gateways that share clients share it; by default one "
     "is made in state_dir"),
    compared<&config::alerts>({"alerts", one, "{}",
     "Where an alert is sent when a target has become slower, or a soft_budget is spent", section::alerts}),
    compared<&config::log, &log_settings::audit_file>({"audit_log", one, "{}",
     "Where it is written who changed what, and who was refused", section::audit_log}),
    compared<&config::log, &log_settings::content>({"content_log", one, "{}",
     "Where it is kept what was asked and answered, for auditors; off by default", section::content_log}),
    compared<&config::store>({"redis", one, "", "The store that several gateways share", section::redis}),
    compared<&config::tracing>({"tracing", one, "{}", "Where traces of races are sent", section::tracing}),
    compared<&config::guardrails>({"guardrails", list_of, "[]",
     "Services that judge what clients ask before it is answered", section::guardrail}),
    compared<&config::probes>({"probes", one, "",
     "Measuring requests to targets that hardly any client asks; without it none are sent", section::probes}),
    compared<&config::catalogue>({"catalogue", one, "",
     "A newer list of prices and limits of models, in place of the one in the binary", section::catalogue}),
    compared<&config::providers>({"providers", map_of, "{}",
     "Providers by name; a preset's name is enough", section::provider}),
    compared<&config::race>({"race", one, "{}", "Defaults of every route's race", section::race}),
    compared<&config::routes>({"routes", map_of, "{}", "What a request's model may name", section::route}),
    plain<&config::names, &request_names::tasks>("tasks",
     "What x-race-task and the body's metadata.task may name, for routes' rules"),
    plain<&config::names, &request_names::projects>("projects",
     "What x-race-project may name: costs by project, rules, receipts"),
};

constexpr setting tls_rows[] = {
    {"cert_file", text, "", "A PEM file, which is watched: the server's certificate, then those that issued it"},
    {"key_file", text, "", "A PEM file, which is watched: its private key, without a passphrase"},
    {"client_ca_file", text, "", "A PEM file, which is watched: the authorities of clients' certificates"},
    plain<&tls_settings::clients>("client_auth",
     "Whether clients are asked for a certificate; one that is sent must be valid"),
    plain<&tls_settings::covers_admin>("admin",
     "The admin address speaks TLS, too, and asks for the same certificates"),
};

constexpr setting limits_rows[] = {
    plain<&config::limits, &server_limits::max_body>("max_body",
     "The longest request body", {.type = size, .least = 1}),
    plain<&config::limits, &server_limits::max_inflight>("max_inflight",
     "Requests at a time; further ones are answered 503", {.least = 1}),
    plain<&config::limits, &server_limits::max_connections>("max_connections",
     "Client connections at a time; at most a third of the process's descriptors", {.least = 1}),
    plain<&config::limits, &server_limits::max_memory>("max_memory", "What all requests hold together; by default half "
     "of what the machine or its cgroup has", {.type = size, .least = 1}),
    plain<&config::limits, &server_limits::max_prefixes>("max_prefixes",
     "Prefixes of conversations that are remembered, 64 bytes each; 0 remembers none", {.most = 1u << 24}),
    plain<&config::limits, &server_limits::max_header>("max_header",
     "The longest request head, at most 256KiB", {.type = size, .least = 1, .most = longest_header}),
    plain<&config::limits, &server_limits::header_timeout>("header_timeout",
     "A request's first byte to the last of its head"),
    plain<&config::limits, &server_limits::body_timeout>("body_timeout", "The longest pause within a request's body"),
    plain<&config::limits, &server_limits::idle_timeout>("idle_timeout",
     "The longest pause between two requests on a connection"),
};

constexpr setting metrics_rows[] = {
    plain<&config::views, &view_settings::has_client_label>("client_label",
     "Whether metrics of requests, tokens and costs have the label client, a series for each access key"),
};

constexpr setting alerts_rows[] = {
    plain<&alert_settings::webhook>("webhook", "The URL that alerts are posted to, as Alertmanager's webhooks are"),
    plain<&alert_settings::external_url>("external_url",
     "How people reach this gateway, for alerts' links; by default its first address"),
    plain<&alert_settings::labels>("labels", "Labels added to every alert"),
};

constexpr setting audit_log_rows[] = {
    plain<&config::log, &log_settings::audit_file>("file",
     "Lines of JSON are appended to it; it may be moved away, and is made again"),
};

constexpr setting content_log_rows[] = {
    plain<&content_log_settings::file>("file",
     "A file a day is written beside it: content.jsonl becomes content-2026-11-25.jsonl"),
    plain<&content_log_settings::routes>("routes", "The routes whose requests are kept; no others are"),
    plain<&content_log_settings::retention>("retention", "How long a day's file is kept behind its end, at least 1h"),
    plain<&content_log_settings::max_line>("max_line",
     "The longest line, from 4KiB to 64MiB; requests and answers are cut to it", {.type = size, .least = 1}),
};

constexpr setting redis_rows[] = {
    plain<&store_settings::url>("url", "Where it is: redis://user:password@host:6379/0, or rediss:// for TLS"),
    {"sentinel", one, "", "Sentinels that say where the primary is, in place of the URL's host", section::sentinel},
    plain<&store_settings::ca_file>("ca_file", "A PEM file of certificates trusted for it in addition to the system's"),
    plain<&store_settings::timeout>("timeout",
     "How long each exchange with it may take, at most 5s; no request waits for longer"),
    plain<&store_settings::prefix>("prefix", "What all names in it begin with; gateways that share have the same"),
    plain<&store_settings::on_failure>("on_failure", "While it does not answer: local lets each gateway use its part "
     "of limits and of what was left of budgets, deny refuses requests that have a limit or a budget"),
    plain<&store_settings::has_access_keys>("access_keys",
     "Keys that `photofinish keys new --redis` made open the gateway, too"),
};

constexpr setting sentinel_rows[] = {
    plain<&sentinel_settings::master>("master", "The primary's name, as its sentinels have it", {.is_required = true}),
    plain<&sentinel_settings::addresses>("addresses",
     "HOST:PORT of sentinels, asked in this order; the port is 26379 unless named", {.is_required = true}),
    plain<&sentinel_settings::password>("password", "That sentinels ask for"),
};

constexpr setting tracing_rows[] = {
    {"endpoint", text, "",
     "The OTLP endpoint, over HTTP, as http://collector:4318; by default OTEL_EXPORTER_OTLP_ENDPOINT"},
    {"headers", secret_map, "{}", "Headers added to each post; by default OTEL_EXPORTER_OTLP_HEADERS"},
    plain<&tracing_settings::resource>("resource",
     "Attributes of this gateway, as service.name; by default OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES"),
    plain<&tracing_settings::sample>("sample", "The share of traces that is recorded, where the caller has none"),
    {"keep", choices, "[error, slow]", "What is recorded beside that", {}, trace_kinds},
    plain<&tracing_settings::slow_after>("slow_after",
     "What slow means: a first token, or a whole answer, that takes longer"),
    plain<&tracing_settings::trust_parent>("trust_parent",
     "A caller's traceparent counts: its trace goes on, and its flag decides"),
    plain<&tracing_settings::is_compressed>("compression",
     "Of what is posted", {.type = choice, .words = compressions}),
};

constexpr setting probes_rows[] = {
    plain<&probe_settings::every>("every",
     "How often a target without clients is asked, with each prompt size, at least 10m"),
    plain<&probe_settings::input_tokens>("input_tokens",
     "The prompts' sizes, about; at most 8 of 16 to 100000", {.least = 16}),
    plain<&probe_settings::max_output>("max_output", "Tokens of each answer, 16 to 4096", {.least = 16, .most = 4096}),
    plain<&probe_settings::max_nano_usd_a_day>("max_cost_per_day",
     "US dollars that they may cost between two midnights of UTC"),
};

constexpr setting catalogue_rows[] = {
    plain<&catalogue_settings::file>("file",
     "A catalogue.json, which is watched; with public_key, its signature is in FILE.sig, which is watched as well"),
    plain<&catalogue_settings::sha256>("sha256", "The SHA-256 of the file, in hex: only this file is used"),
    plain<&catalogue_settings::public_key>("public_key",
     "An Ed25519 key, as PEM or base64: only files that it signed are used"),
    plain<&catalogue_settings::allow_jumps>("allow_jumps", "The file may have fewer models than the list before, "
     "prices that fall to zero, and prices that move more than tenfold"),
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
