#include "gateway/config/settings.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

using enum setting_type;
constexpr auto top = section::top;
constexpr auto tls = section::tls;
constexpr auto access_key = section::access_key;
constexpr auto sealed_keys = section::sealed_keys;
constexpr auto jwt = section::jwt;
constexpr auto key_limits = section::key_limits;
constexpr auto team = section::team;
constexpr auto limits = section::limits;
constexpr auto alerts = section::alerts;
constexpr auto audit_log = section::audit_log;
constexpr auto redis = section::redis;
constexpr auto tracing = section::tracing;
constexpr auto probes = section::probes;
constexpr auto provider = section::provider;
constexpr auto race = section::race;
constexpr auto route = section::route;
constexpr auto rule = section::rule;
constexpr auto cache = section::cache;
constexpr auto guardrail = section::guardrail;

// clang-format off: a row is one or two lines
constexpr setting table[] = {
    {top, "listen", addresses, "[127.0.0.1:7777, '[::1]:7777']", "Where clients connect"},
    {top, "admin", address, "", "Moves /metrics and the probes to an address of their own"},
    {top, "tls", one, "{}", "Clients connect by TLS", {}, tls},
    {top, "allow_from", texts, "[]", "The only addresses that may connect to listen, as 10.0.0.0/8; with none, any"},
    {top, "proxy_protocol", boolean, "false",
     "Each connection to listen begins with a PROXY header, v1 or v2, and comes from one of trusted_proxies"},
    {top, "trusted_proxies", texts, "[]", "The addresses of balancers whose PROXY header counts, as 10.0.0.0/8"},
    {top, "workers", number, "",
     "Threads that serve; by default the CPUs allowed by affinity and cgroup quota", {}, {}, 1},
    {top, "access_keys", list_or_file, "[]",
     "Who may call, or file:PATH of such a list, which is watched; with none, any client that reaches the listener", {},
     access_key},
    {top, "sealed_keys", one, "{}", "Keys that carry their own claims, encrypted", {}, sealed_keys},
    {top, "jwt", list_of, "[]", "Identity providers whose tokens are taken as keys", {}, jwt},
    {top, "key_defaults", one, "{}", "Limits of access keys, where a key has none of its own", {}, key_limits},
    {top, "teams", map_of, "{}", "Limits that access keys share", {}, team},
    {top, "cors_origins", texts, "[]", "Browser origins allowed besides localhost's; '*' allows any"},
    {top, "allowed_hosts", texts, "[]",
     "Hosts served on a loopback address besides localhost, as a proxy in front passes them on; '*' allows any"},
    {top, "open_metrics", boolean, "false", "With access_keys and without admin: /metrics requires no key"},
    {top, "page", choice, "auto",
     "The live page at /: auto (on loopback, on the admin address, and to access keys with admin: true), on or off",
     "auto|on|off"},
    {top, "open", boolean, "false",
     "Allows a listener beyond loopback with provider keys but without access keys"},
    {top, "allow_emptying", boolean, "false",
     "A reload with this file may remove all providers, all routes or all access keys"},
    {top, "share_keys", boolean, "false",
     "A caller who sends some provider keys may use the configured ones for the rest"},
    {top, "proxy", secret, "",
     "The HTTP proxy towards providers, http://user:password@host:port, or none; by default HTTPS_PROXY or HTTP_PROXY"},
    {top, "half_close", choice, "abort",
     "What a client's FIN after its request means: it has left, or it still listens", "abort|tolerate"},
    {top, "limits", one, "{}", "What the server accepts and keeps at most", {}, limits},
    {top, "drain_delay", duration, "5s",
     "After SIGTERM: how long it is not ready but still accepts requests"},
    {top, "drain_timeout", duration, "10m", "After that: how long running requests may take to end"},
    {top, "log_level", choice, "info", "The least severe line that is logged", "debug|info|warn|error"},
    {top, "log_format", choice, "text", "How log lines look: for people, as key=value pairs, or a JSON object each",
     "text|logfmt|json"},
    {top, "state_dir", text, "",
     "The folder where statistics outlive a restart; by default the system's place for it; none keeps nothing"},
    {top, "id_secret", secret, "",
     "Signs the ids of stored responses, at least 32 characters; gateways that share clients share it; by default one "
     "is made in state_dir"},
    {top, "alerts", one, "{}", "Where an alert is sent when a target has become slower", {}, alerts},
    {top, "audit_log", one, "{}", "Where it is written who changed what, and who was refused", {}, audit_log},
    {top, "redis", one, "", "The store that several gateways share", {}, redis},
    {top, "tracing", one, "{}", "Where traces of races are sent", {}, tracing},
    {top, "guardrails", list_of, "[]", "Services that judge what clients ask before it is answered", {}, guardrail},
    {top, "probes", one, "", "Measuring requests to targets that hardly any client asks; without it none are sent", {},
     probes},
    {top, "providers", map_of, "{}", "Providers by name; a preset's name is enough", {}, provider},
    {top, "race", one, "{}", "Defaults of every route's race", {}, race},
    {top, "routes", map_of, "{}", "What a request's model may name", {}, route},
    {top, "tasks", texts, "[]", "What x-race-task and the body's metadata.task may name, for routes' rules"},
    {top, "projects", texts, "[]", "What x-race-project may name, for routes' rules and receipts"},

    {tls, "cert_file", text, "", "A PEM file, which is watched: the server's certificate, then those that issued it"},
    {tls, "key_file", text, "", "A PEM file, which is watched: its private key, without a passphrase"},
    {tls, "client_ca_file", text, "", "A PEM file, which is watched: the authorities of clients' certificates"},
    {tls, "client_auth", choice, "none",
     "Whether clients are asked for a certificate; one that is sent must be valid", "none|optional|require"},
    {tls, "admin", boolean, "false", "The admin address speaks TLS, too, and asks for the same certificates"},

    {access_key, "name", text, "", "The metrics' client label; unique"},
    {access_key, "key", secret, "", "What the client sends"},
    {access_key, "key_hash", text_or_texts, "",
     "In place of the key or beside it: sha256: and the key's SHA-256 in hex; of several each opens"},
    {access_key, "cert_subject", text, "",
     "In place of a key or beside it: a name in the client's certificate, as CN=alice,O=Example or URI:spiffe://…"},
    {access_key, "routes", texts, "[]", "The routes it may use; with none, every route and direct targets"},
    {access_key, "team", text, "", "The team whose limits it shares"},
    {access_key, "expires", text, "", "From then on it is refused: 2027-03-31, or 2027-03-31T18:00:00Z"},
    {access_key, "blocked", boolean, "false", "It is refused"},
    {access_key, "admin", boolean, "false",
     "It opens the live page and the advice, and sees the races and the use of all callers"},
    {access_key, "by_route", map_of, "{}", "Further limits of it, on one route each", {}, key_limits},
    {access_key, "rpm_limit", number, "", "Requests a minute", {}, {}, 1},
    {access_key, "tpm_limit", number, "", "Tokens a minute, of prompts and answers", {}, {}, 1},
    {access_key, "max_parallel_requests", number, "", "Requests at a time", {}, {}, 1},
    {access_key, "max_budget", money, "", "US dollars that may be spent in a window"},
    {access_key, "budget_duration", text, "1mo",
     "How long a window is: 1mo, 1w or 1d of UTC's calendar, or shorter, as 5h"},

    {sealed_keys, "secrets", secrets, "[]",
     "What opens them, at least 32 characters each; the first seals new ones"},
    {sealed_keys, "audience", text, "photofinish", "Which keys are taken: those that were sealed for it"},
    {sealed_keys, "revoked", secret, "", "Ids of keys that are refused, between spaces or lines; file:PATH is watched"},

    {jwt, "issuer", text, "", "The claim iss of its tokens, to the letter"},
    {jwt, "audience", text_or_texts, "", "What the claim aud must name: one of these"},
    {jwt, "jwks_url", text, "", "Where it shows its public keys, https; its openid-configuration names it as jwks_uri"},
    {jwt, "ca_file", text, "", "A PEM file of certificates trusted for that URL in addition to the system's"},
    {jwt, "name", text, "", "How its callers are named, _jwt/NAME/TEAM/SUBJECT; by default the issuer's host"},
    {jwt, "name_claim", text, "sub", "The claim that says who calls"},
    {jwt, "team_claim", text, "",
     "The claim that names the team: a text or a list, whose first configured team counts"},
    {jwt, "team", text, "", "The team where that claim names none; without it such a token is refused"},
    {jwt, "routes_claim", text, "",
     "The claim that lists the routes its caller may use; without it, every route and direct targets"},

    {key_limits, "rpm_limit", number, "", "Requests a minute", {}, {}, 1},
    {key_limits, "tpm_limit", number, "", "Tokens a minute, of prompts and answers", {}, {}, 1},
    {key_limits, "max_parallel_requests", number, "", "Requests at a time", {}, {}, 1},
    {key_limits, "max_budget", money, "", "US dollars that may be spent in a window"},
    {key_limits, "budget_duration", text, "1mo",
     "How long a window is: 1mo, 1w or 1d of UTC's calendar, or shorter, as 5h"},

    {team, "rpm_limit", number, "", "Requests a minute", {}, {}, 1},
    {team, "tpm_limit", number, "", "Tokens a minute, of prompts and answers", {}, {}, 1},
    {team, "max_parallel_requests", number, "", "Requests at a time", {}, {}, 1},
    {team, "max_budget", money, "", "US dollars that may be spent in a window"},
    {team, "budget_duration", text, "1mo",
     "How long a window is: 1mo, 1w or 1d of UTC's calendar, or shorter, as 5h"},

    {limits, "max_body", size, "32MiB", "The longest request body", {}, {}, 1},
    {limits, "max_inflight", number, "10000", "Requests at a time; further ones are answered 503", {}, {}, 1},
    {limits, "max_connections", number, "20000",
     "Client connections at a time; at most a third of the process's descriptors", {}, {}, 1},
    {limits, "max_memory", size, "",
     "What all requests hold together; by default half of what the machine or its cgroup has", {}, {}, 1},
    {limits, "max_header", size, "64KiB", "The longest request head, at most 256KiB", {}, {}, 1},
    {limits, "header_timeout", duration, "10s", "A request's first byte to the last of its head"},
    {limits, "body_timeout", duration, "1m", "The longest pause within a request's body"},
    {limits, "idle_timeout", duration, "2m", "The longest pause between two requests on a connection"},

    {alerts, "webhook", secret, "", "The URL that alerts are posted to, as Alertmanager's webhooks are"},
    {alerts, "external_url", text, "",
     "How people reach this gateway, for alerts' links; by default its first address"},
    {alerts, "labels", text_map, "{}", "Labels added to every alert"},

    {audit_log, "file", text, "", "Lines of JSON are appended to it; it may be moved away, and is made again"},
    {redis, "url", secret, "", "Where it is: redis://user:password@host:6379/0, or rediss:// for TLS"},
    {redis, "ca_file", text, "", "A PEM file of certificates trusted for it in addition to the system's"},
    {redis, "timeout", duration, "100ms",
     "How long each exchange with it may take, at most 5s; no request waits for longer"},
    {redis, "prefix", text, "pf", "What all names in it begin with; gateways that share have the same"},
    {redis, "on_failure", choice, "local",
     "While it does not answer: local lets each gateway use its part of limits and of what was left of budgets, deny "
     "refuses requests that have a limit or a budget",
     "local|deny"},
    {tracing, "endpoint", text, "",
     "The OTLP endpoint, over HTTP, as http://collector:4318; by default OTEL_EXPORTER_OTLP_ENDPOINT"},
    {tracing, "headers", secret_map, "{}", "Headers added to each post; by default OTEL_EXPORTER_OTLP_HEADERS"},
    {tracing, "resource", text_map, "{}",
     "Attributes of this gateway, as service.name; by default OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES"},
    {tracing, "sample", share, "1", "The share of traces that is recorded, where the caller has none"},
    {tracing, "keep", choices, "[error, slow]", "What is recorded beside that", "error|slow|none"},
    {tracing, "slow_after", duration, "10s",
     "What slow means: a first token, or a whole answer, that takes longer"},
    {tracing, "trust_parent", boolean, "true",
     "A caller's traceparent counts: its trace goes on, and its flag decides"},
    {tracing, "compression", choice, "none", "Of what is posted", "none|gzip"},
    {probes, "every", duration, "3h",
     "How often a target without clients is asked, with each prompt size, at least 10m"},
    {probes, "input_tokens", numbers, "[100, 1000, 10000]", "The prompts' sizes, about; at most 8 of 16 to 100000", {},
     {}, 16},
    {probes, "max_output", number, "300", "Tokens of each answer, 16 to 4096", {}, {}, 16},
    {probes, "max_cost_per_day", money, "0.5", "US dollars that they may cost between two midnights of UTC"},

    {provider, "preset", text, "", "The known provider this is; by default the one of the same name, if any"},
    {provider, "base_url", text, "", "Where it is: https://host/v1; needed without a preset"},
    {provider, "params", text_map, "{}", "Values of the {placeholders} in the preset's URL"},
    {provider, "api_key", secret, "",
     "Its key, or none if it needs none; by default the preset's variable"},
    {provider, "dialect", choice, "openai", "The API it speaks", "openai|anthropic|gemini|bedrock"},
    {provider, "chat_path", text, "/chat/completions", "Appended to base_url; may contain a query"},
    {provider, "apis", choices, "[chat]",
     "What it serves in OpenAI's own shape; a request to another API runs without it",
     "chat|responses|completions|embeddings|rerank|moderations|images|audio"},
    {provider, "auth", choice, "bearer",
     "How it expects its key: Authorization: Bearer, in the header auth_header, as AWS's signature, or as a token of "
     "Google's or Entra's, which is renewed",
     "bearer|header|none|aws|google|entra"},
    {provider, "auth_header", text, "", "With auth: header, the header that carries the key"},
    {provider, "aws_access_key_id", secret, "",
     "With auth: aws, whose signature it is; by default AWS_ACCESS_KEY_ID where the preset's variable is not set"},
    {provider, "aws_secret_access_key", secret, "", "With auth: aws, what signs; by default AWS_SECRET_ACCESS_KEY"},
    {provider, "aws_session_token", secret, "",
     "With auth: aws, of temporary credentials; by default AWS_SESSION_TOKEN"},
    {provider, "aws_region", text, "",
     "With auth: aws, the region that is signed for; by default that of the URL's host"},
    {provider, "aws_profile", text, "",
     "With auth: aws, the profile of AWS's credentials and config files; by default AWS_PROFILE, or default"},
    {provider, "google_credentials", text, "",
     "With auth: google, the JSON file of a service account, a user or a federation; by default "
     "GOOGLE_APPLICATION_CREDENTIALS"},
    {provider, "entra_tenant_id", text, "", "With auth: entra, the tenant; by default AZURE_TENANT_ID"},
    {provider, "entra_client_id", text, "",
     "With auth: entra, the application, or the managed identity; by default AZURE_CLIENT_ID"},
    {provider, "entra_client_secret", secret, "",
     "With auth: entra, the application's secret; by default AZURE_CLIENT_SECRET"},
    {provider, "entra_token_file", text, "",
     "With auth: entra, a file with a federated token in place of the secret; by default AZURE_FEDERATED_TOKEN_FILE"},
    {provider, "entra_scope", text, "",
     "With auth: entra, what the token is for; by default https://cognitiveservices.azure.com/.default"},
    {provider, "headers", secret_map, "{}", "Headers added to every request"},
    {provider, "forward_headers", texts, "[]", "Client headers that may pass to it"},
    {provider, "trace_context", boolean, "false",
     "Sends it a traceparent: its attempt's own, or without tracing the caller's"},
    {provider, "accept_bearer", boolean, "false", "A client's plain bearer token may serve as its key"},
    {provider, "models", texts, "[]",
     "What may be called directly on the configured key, besides routes' targets; ['*'] for all"},
    {provider, "ca_file", text, "", "A PEM file of certificates trusted for it in addition to the system's"},
    {provider, "proxy", secret, "", "The HTTP proxy towards it, or none; by default the one for all"},
    {provider, "http2", choice, "auto",
     "HTTP/2 towards it: auto (agreed by TLS, and few attempts cancelled), on (also without TLS) or off",
     "auto|on|off"},
    {provider, "stream", choice, "auto",
     "Whether it is asked for streams: auto (unless it refuses to stream), always, or never: its answers come in one "
     "piece",
     "auto|always|never"},
    {provider, "usage", choice, "request",
     "Token usage in streams: on request, always (asking is an error), never", "request|always|never"},
    {provider, "rename_params", text_map, "{}", "Request parameters it knows by another name"},
    {provider, "drop_params", texts, "[]",
     "Hints that it refuses: these parameters are removed; messages[].reasoning_content reaches inside"},
    {provider, "accept_params", texts, "[]",
     "If it refuses unknown parameters: all that it accepts besides model, messages and stream; with none, "
     "anything passes"},
    {provider, "reject_params", texts, "[]",
     "Meaningful parameters it cannot honour: requests with one run without it"},
    {provider, "developer_role", boolean, "true",
     "Whether it accepts the role developer; if not, it becomes system"},
    {provider, "append_only", boolean, "true",
     "Whether its stream only appends; one that rewrites text cannot race"},
    {provider, "base64_embeddings", boolean, "true",
     "Whether embeddings may be requested in an encoding; if not, they come as floats and are converted"},
    {provider, "cancel_billing", choice, "unknown", "Whether closing a stream stops its billing",
     "stops|full|unknown"},
    {provider, "prices", text_map, "{}",
     "USD per million tokens, by model ('*': all others): input/output or input/cached input/output; by default "
     "the preset's known ones"},
    {provider, "connect_timeout", duration, "5s", "DNS and TCP"},
    {provider, "tls_timeout", duration, "5s", "The TLS handshake"},
    {provider, "idle_timeout", duration, "1m", "An unused connection is closed after this"},
    {provider, "max_connections", number, "1024", "Connections per worker", {}, {}, 1},
    {provider, "max_spares", number, "8", "Unused connections kept per worker"},
    {provider, "max_running", number, "",
     "Attempts at a time, over all workers: above it the target is skipped as busy; by default what connections allow",
     {}, {}, 1},
    {provider, "max_event", size, "16MiB", "The longest event of a stream; above it the attempt fails", {}, {}, 1},
    {provider, "max_buffered", size, "1MiB", "What is kept of an attempt before its first token, at most", {}, {}, 1},

    {race, "policy", choice, "",
     "all starts max_parallel targets at once, hedge one after each silent hedge_delay, adaptive by what is known of "
     "their speed and within max_extra_cost, fallback after a failure",
     "all|hedge|adaptive|fallback"},
    {race, "sort", choice, "",
     "In which order targets are considered: as listed, by the first token, by tok/s, by the end of the answer, or by "
     "cost; by default ttft with adaptive, else listed",
     "listed|ttft|tps|finish|cost"},
    {race, "max_extra_cost", share, "0.1",
     "With adaptive: what attempts that lose may add, as a share of what winners cost; 0 hedges nothing"},
    {race, "deadline", duration, "",
     "With adaptive: for the first token, or for the whole answer where that is waited for; more targets start at once "
     "to meet it, within max_extra_cost and max_parallel"},
    {race, "max_parallel", number, "3", "Attempts running at a time, in every policy", {}, {}, 1},
    {race, "max_attempts", number, "", "Attempts in total; by default every target", {}, {}, 1},
    {race, "hedge_delay", duration_or_auto, "300ms",
     "With hedge: the silence after which a further target starts; auto takes the first target's own 95th percentile"},
    {race, "win_on", choice, "",
     "What wins: any first token, only one that a person sees, or the attempt that is predicted to finish first; by "
     "default any, and finish for answers in one piece with sort: finish",
     "any|visible|finish"},
    {race, "stored", choice, "fallback",
     "A request with store: true, which each attempt's provider would keep: one attempt at a time, or 400",
     "fallback|refuse"},
    {race, "observe_losers", share, "0",
     "The share of races, 0 to 1, whose losers run to their first token before they are cancelled"},
    {race, "race_timeout", duration, "280s", "Request to first token, over all attempts"},
    {race, "first_token_timeout", duration, "",
     "One attempt's; by default race_timeout, in fallback race_timeout / targets"},
    {race, "stall_timeout", duration, "240s", "A winner that is silent this long is cut"},
    {race, "min_tokens_per_second", number, "",
     "A winner whose text comes slower than this over crawl_window crawls: it is counted, and on_crawl says what "
     "becomes of it; by default any speed will do", {}, {}, 1},
    {race, "crawl_window", duration, "10s",
     "The time that min_tokens_per_second is measured over; only time in which the answer's text is waited for counts"},
    {race, "crawl_in_reasoning", boolean, "false",
     "Reasoning that comes as text is watched, too: only where no target thinks unseen or sends summaries"},
    {race, "on_crawl", choice, "report",
     "What becomes of a winner that crawls: it goes on and is reported, or its answer is cut with an error",
     "report|cut"},
    {race, "keep_runner_up", duration, "0s",
     "So long behind the decision one loser runs on, and answers where the winner fails or crawls before a byte of it "
     "was sent; at providers with cancel_billing: stops; 0s keeps none"},
    {race, "client_stall_timeout", duration, "60s", "A client that takes no byte this long is cut"},
    {race, "keepalive_after", duration, "0s", "Answer 200 after it and send comments; 0s never does"},
    {race, "total_timeout", duration, "30m", "One request from start to end"},

    {route, "targets", texts, "", "provider/model, in the order they start"},
    {route, "race", one, "{}", "This route's race, where it differs from the default", {}, race},
    {route, "rules", list_of, "[]", "Requests that run otherwise: the first rule whose conditions all hold", {}, rule},
    {route, "cache", one, "", "Answers are kept for equal requests; without it each request is raced", {}, cache},
    {route, "rpm_limit", number, "", "Requests a minute", {}, {}, 1},
    {route, "tpm_limit", number, "", "Tokens a minute, of prompts and answers", {}, {}, 1},
    {route, "max_parallel_requests", number, "", "Requests at a time", {}, {}, 1},
    {route, "max_budget", money, "", "US dollars that may be spent in a window"},
    {route, "budget_duration", text, "1mo",
     "How long a window is: 1mo, 1w or 1d of UTC's calendar, or shorter, as 5h"},

    {rule, "name", text, "", "Its name in receipts; unique in its route"},
    {rule, "task", text, "", "Holds for requests of that task: x-race-task, else the body's metadata.task"},
    {rule, "project", text, "", "Holds for requests of that project: x-race-project"},
    {rule, "class", choice, "", "Holds for requests of that class: x-race-class, else interactive",
     "interactive|batch"},
    {rule, "shape", choice, "",
     "Holds for an edit to apply: a message that begins with <instruction> or <code>, and has <code> and <update>",
     "apply"},
    {rule, "min_input_tokens", number, "", "Holds for prompts of at least so many tokens, as estimated", {}, {}, 1},
    {rule, "max_input_tokens", number, "", "Holds for prompts of at most so many tokens, as estimated", {}, {}, 1},
    {rule, "max_tokens", number, "", "Holds for requests that allow at most so many tokens of answer", {}, {}, 1},
    {rule, "tools", boolean, "", "Holds for requests that name tools, or that name none"},
    {rule, "response_format", choice, "", "Holds for requests that ask for this form of answer",
     "text|json_object|json_schema"},
    {rule, "targets", texts, "", "provider/model, in the order they start; by default the route's"},
    {rule, "race", one, "{}", "Its race, where it differs from the route's", {}, race},

    {cache, "ttl", duration, "10m", "How long an answer is kept; 0s keeps none"},
    {cache, "max_entries", number, "10000", "Answers at a time", {}, {}, 1},
    {cache, "max_bytes", size, "256MiB",
     "What they take; those of all routes never take more than an eighth of max_memory", {}, {}, 1},
    {cache, "scope", choice, "team",
     "Who is given whose answer: the same key, the same team, or any caller who may use the route", "key|team|route"},
    {cache, "coalesce", boolean, "false", "Equal requests share one race while it runs"},

    {guardrail, "name", text, "", "Its name in metrics, the log and refusals; unique; by default the URL's host"},
    {guardrail, "url", text, "", "Where it is, as http://pii.internal:8000; requests go to /request below it"},
    {guardrail, "mode", choice, "parallel",
     "Whether it judges while the race runs, whose answer waits for the verdict, or before any provider is asked, "
     "which masks need",
     "parallel|before"},
    {guardrail, "timeout", duration, "1s", "For the whole verdict, connecting included; at most 60s"},
    {guardrail, "on_failure", choice, "deny", "What becomes of a request that gets no verdict", "deny|allow"},
    {guardrail, "headers", secret_map, "{}", "Headers added to each request to it"},
    {guardrail, "routes", texts, "[]", "The routes whose requests it judges; with none, every request"},
};
// clang-format on

}  // namespace

std::span<const setting> settings() { return table; }

std::vector<std::string> setting_names(section where) {
  std::vector<std::string> names;
  for (const setting& each : table)
    if (each.where == where) names.emplace_back(each.name);
  return names;
}

const setting* find_setting(section where, std::string_view name) {
  const auto is_it = [&](const setting& each) { return each.where == where && each.name == name; };
  const auto found = std::find_if(std::begin(table), std::end(table), is_it);
  return found == std::end(table) ? nullptr : &*found;
}

std::vector<std::string_view> words_of(const setting& choice) {
  std::vector<std::string_view> words;
  std::string_view rest = choice.words;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    words.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return words;
}

}  // namespace photofinish::gateway
