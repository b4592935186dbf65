// Tests refused configurations, and the positions of the reported errors. Each line of the tables contains one error.
#include "gateway/config/settings.hpp"
#include "gateway/config/sources/config_parser.hpp"

#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

namespace photofinish::gateway {
namespace {

struct fault {
  const char* name;
  const char* yaml;
  int line;
  int column;
  const char* message;
};

void PrintTo(const fault& each, std::ostream* out) { *out << each.name; }

config_result parse(const char* yaml) {
  const tests::table_environment table{.variables = {{"SET", "value"}, {"GROQ_API_KEY", "g-1"}, {"BROKEN", "a\r\nb"}},
                                       .files = {{"/empty", "\n"}}};
  return parse_config(yaml, "test.yaml", table.machine());
}

void expect_alone(const fault& each, severity expected) {
  const config_result result = parse(each.yaml);
  std::string all;
  for (const config_problem& problem : result.problems) all += to_string(problem) + "\n";
  ASSERT_EQ(result.problems.size(), 1u) << all;
  EXPECT_EQ(result.problems[0].line, each.line) << all;
  EXPECT_EQ(result.problems[0].column, each.column) << all;
  EXPECT_EQ(result.problems[0].severity, expected) << all;
  EXPECT_NE(result.problems[0].message.find(each.message), std::string::npos) << all;
}

std::string name_of(const testing::TestParamInfo<fault>& row) { return row.param.name; }

class RefusedConfig : public testing::TestWithParam<fault> {};
TEST_P(RefusedConfig, SaysWhereAndWhat) { expect_alone(GetParam(), severity::error); }

class DoubtfulConfig : public testing::TestWithParam<fault> {};
TEST_P(DoubtfulConfig, WarnsWhereAndOfWhat) { expect_alone(GetParam(), severity::warning); }

#define GROQ "providers: {groq: {models: ['*']}}\n"
#define TWO "providers: {groq: {models: ['*']}, xai: {api_key: k, models: ['*']}}\n"

const fault server_faults[] = {
    {"short_id_secret", GROQ "id_secret: abcdefghijklmnop", 2, 12, "at least 32 characters are needed"},
    {"unknown_key", GROQ "workres: 2", 2, 1,
     "unknown key 'workres' in configuration; did you mean 'workers'?"},
    {"key_of_another_section", GROQ "hedge_delay: 2s", 2, 1, "this key belongs in race"},
    {"duplicate_key", GROQ "workers: 2\nworkers: 3", 3, 1, "'workers' is set twice; the first time in line 2"},
    {"no_map", "[groq]", 1, 1, "configuration must be a map, not a list"},
    {"broken_yaml", "providers: {groq: {}", 1, 12, "this '{' is never closed"},
    {"number_as_text", GROQ "workers: \"2\"", 2, 10, "must be a whole number, not text"},
    {"share_beyond_one", GROQ "race: {observe_losers: 1.5}", 2, 24, "observe_losers: must be a number from 0 to 1"},
    {"share_as_text", GROQ "race: {observe_losers: half}", 2, 24, "must be a number from 0 to 1"},
    {"webhook_without_scheme", GROQ "alerts: {webhook: host/secret}", 2, 19, "webhook: must be a URL like https://host/path"},
    {"webhook_with_user", GROQ "alerts: {webhook: 'https://u:p@h/x'}", 2, 19, "without user and fragment"},
    {"collector_without_scheme", GROQ "tracing: {endpoint: 'collector:4318'}", 2, 21, "endpoint: must be a URL like"},
    {"collector_with_user", GROQ "tracing: {endpoint: 'http://u:p@h'}", 2, 21, "without user and fragment"},
    {"collector_header", GROQ "tracing: {endpoint: 'http://h', headers: {content-type: x}}", 2, 42, "content-type cannot be configured, because the gateway sets this header"},
    {"content_log_by_a_relative_path", GROQ "content_log: {file: c.jsonl, routes: [r]}\nroutes: {r: {targets: [groq/x]}}", 2, 21, "file: must be an absolute path, as in /var/log/photofinish/content.jsonl"},
    {"content_log_of_an_unknown_route", GROQ "content_log: {file: /c, routes: [q]}\nroutes: {r: {targets: [groq/x]}}", 2, 33, "unknown route 'q'"},
    {"content_log_without_routes", GROQ "content_log: {file: /c}\nroutes: {r: {targets: [groq/x]}}", 2, 14,
     "content_log: `routes`, the routes whose requests are recorded, is missing"},
    {"content_log_with_a_short_retention", GROQ "content_log: {file: /c, routes: [r], retention: 1m}\nroutes: {r: {targets: [groq/x]}}", 2, 49, "retention: must be at least 1h"},
    {"content_log_with_too_long_a_retention", GROQ "content_log: {file: /c, routes: [r], retention: 87601h}\nroutes: {r: {targets: [groq/x]}}", 2, 49, "retention: must be at most 87600h"},
    {"content_log_with_short_lines", GROQ "content_log: {file: /c, routes: [r], max_line: 1KiB}\nroutes: {r: {targets: [groq/x]}}", 2, 48, "max_line: must be from 4KiB to 64MiB"},
    {"keeps_none_and_some", GROQ "tracing: {endpoint: 'http://h', keep: [none, slow]}", 2, 39,
     "keep: must be either `none` or a list of other values"},
    {"label_of_ours", GROQ "alerts: {labels: {model: x}}", 2, 18, "'model' is a label that every alert already has"},
    {"label_with_dash", GROQ "alerts: {labels: {a-b: x}}", 2, 18, "'a-b' is not a valid label name"},
    {"number_as_list", GROQ "workers: [2]", 2, 10, "must be a whole number, not a list"},
    {"no_number", GROQ "workers: two", 2, 10, "must be a whole number"},
    {"fraction", GROQ "workers: 1.5", 2, 10, "must be a whole number"},
    {"negative", GROQ "workers: -1", 2, 10, "must be a whole number"},
    {"number_too_small", GROQ "workers: 0", 2, 10, "must be at least 1"},
    {"number_too_large", GROQ "workers: 5000", 2, 10, "must be at most 1024"},
    {"number_from_bad_variable", GROQ "workers: ${SET}", 2, 10, "must be a whole number"},
    {"boolean_yes", GROQ "open: yes", 2, 7, "must be true or false, not text"},
    {"boolean_quoted", GROQ "open: 'true'", 2, 7, "must be true or false, not text"},
    {"no_value", GROQ "drain_delay:", 2, 1, "must be a duration like"},
    {"duration_without_unit", GROQ "drain_delay: 5", 2, 14, "must be a duration like"},
    {"duration_too_long", GROQ "drain_delay: 721h", 2, 14, "at most 720h"},
    {"zero_timeout", GROQ "limits: {body_timeout: 0s}", 2, 24, "more than 0"},
    {"bad_size", GROQ "limits: {max_body: 32Mb}", 2, 20, "must be a size like"},
    {"header_that_cannot_arrive", GROQ "limits: {max_header: 257KiB}", 2, 22, "must be at most 256KiB"},
    {"zero_size", GROQ "limits: {max_body: 0}", 2, 20, "must be at least 1"},
    {"unknown_limit", GROQ "limits: {max_bdy: 1}", 2, 10, "did you mean 'max_body'?"},
    {"bad_choice", GROQ "half_close: abrot", 2, 13, "must be abort or tolerate; did you mean 'abort'?"},
    {"bad_level", GROQ "log_level: loud", 2, 12, "must be debug, info, warn or error"},
    {"listen_number", GROQ "listen: 18555", 2, 9, "write 127.0.0.1:18555 (this machine alone) or 0.0.0.0:18555"},
    {"admin_number", GROQ "admin: 9090", 2, 8, "write 127.0.0.1:9090 (this machine alone)"},
    {"listen_without_host", GROQ "listen: ':7777'", 2, 9, "must be host:port: write 127.0.0.1:7777"},
    {"listen_without_port", GROQ "listen: 127.0.0.1", 2, 9, "the port is missing, as in 127.0.0.1:7777"},
    {"listen_bare_v6", GROQ "listen: '::1:7777'", 2, 9, "must be host:port: the port is missing"},
    {"listen_port_too_large", GROQ "listen: localhost:65536", 2, 9, "must be host:port"},
    {"listen_bad_address", GROQ "listen: 1.2.3:80", 2, 9, "must be host:port"},
    {"listen_empty", GROQ "listen: []", 2, 9, "must name at least one address"},
    {"listen_twice", GROQ "listen: ['[::1]:1', '[::1]:1']", 2, 9, "[::1]:1 is listed twice"},
    {"admin_is_listen", GROQ "listen: localhost:1\nadmin: localhost:1", 3, 8, "must differ from the addresses in `listen`"},
    {"exposed", GROQ "listen: 0.0.0.0:7777", 2, 9, "can use the key of the provider 'groq'"},
    {"origin_with_path", GROQ "cors_origins: [https://a.example, https://b.example/]", 2, 35, "an origin must look like"},
    {"host_with_scheme", GROQ "allowed_hosts: [llm.example.com, 'https://llm.example.com']", 2, 34, "a host must look like"},
    {"host_with_star_inside", GROQ "allowed_hosts: ['llm.*.com']", 2, 17, "a host must look like"},
    {"unset_variable", GROQ "workers: ${NOPE}", 2, 10, "the variable NOPE is not set"},
    {"near_variable", GROQ "log_level: ${GROQ_KEY}", 2, 12, "did you mean GROQ_API_KEY?"},
    {"bad_variable", GROQ "log_level: ${A-b}", 2, 12, "is not a variable's name"},
    {"lone_dollar", GROQ "log_level: a$b", 2, 12, "write $$"},
    {"open_variable", GROQ "log_level: '${SET'", 2, 12, "write $$"},
};
INSTANTIATE_TEST_SUITE_P(Server, RefusedConfig, testing::ValuesIn(server_faults), name_of);

const fault access_faults[] = {
    {"no_list", GROQ "access_keys: {name: a}", 2, 14, "must be a list"},
    {"no_name", GROQ "access_keys: [{key: k}]", 2, 15, "an access key needs a name"},
    {"no_key", GROQ "access_keys: [{name: a}]", 2, 15, "an access key needs a key"},
    {"empty_key", GROQ "access_keys: [{name: a, key: ''}]", 2, 30, "must not be empty"},
    {"number_as_key", GROQ "access_keys: [{name: a, key: 123}]", 2, 30, "put it in quotes"},
    {"reserved_name", GROQ "access_keys: [{name: _none, key: k}]", 2, 22, "must not begin with '_'"},
    {"name_twice", GROQ "access_keys: [{name: a, key: k}, {name: a, key: l}]", 2, 41, "'a' is listed twice"},
    {"key_twice", GROQ "access_keys: [{name: a, key: k}, {name: b, key: k}]", 2, 49,
     "is also the key of 'a'"},
    {"unknown_route",
     GROQ "routes: {fast: {targets: [groq/x]}}\naccess_keys: [{name: a, key: k, routes: [fats]}]", 3, 42,
     "unknown route 'fats'; did you mean 'fast'?"},
    {"no_hash", GROQ "access_keys: [{name: a, key_hash: 'sha256:12'}]", 2, 35, "must be `sha256:` followed by 64 hex digits"},
    {"key_and_its_hash", GROQ "access_keys: [{name: a, key: k}, {name: b, key_hash: 'sha256:"
     "8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a'}]", 2, 54, "is also the hash of the key of 'a'"},
    {"unknown_team", GROQ "teams: {search: {}}\naccess_keys: [{name: a, key: k, team: serch}]", 3, 39,
     "unknown team 'serch'; did you mean 'search'?"},
    {"no_team_at_all", GROQ "access_keys: [{name: a, key: k, team: x}]", 2, 39, "unknown team 'x'"},
    {"no_day", GROQ "access_keys: [{name: a, key: k, expires: 2027-02-30}]", 2, 42, "must be a day or a time in UTC"},
    {"limit_on_no_route", GROQ "access_keys: [{name: a, key: k, by_route: {deep: {rpm_limit: 1}}}]", 2, 44,
     "by_route: unknown route 'deep'"},
    {"no_requests", GROQ "teams: {a: {rpm_limit: 0}}", 2, 24, "must be at least 1"},
    {"no_money", GROQ "teams: {a: {max_budget: 0}}", 2, 25, "an amount of US dollars"},
    {"negative_money", GROQ "teams: {a: {max_budget: -1}}", 2, 25, "an amount of US dollars"},
    {"odd_window", GROQ "teams: {a: {max_budget: 1, budget_duration: 2mo}}", 2, 45, "must be 1mo, 1w, 1d, or a time from 1m"},
    {"odd_zone", "budget_timezone: Europe/Atlantis\n" GROQ, 1, 18, "'Europe/Atlantis' is not in this machine's list of time zones"},
    {"long_window", GROQ "teams: {a: {max_budget: 1, budget_duration: 24h}}", 2, 45, "less than 24h"},
    {"reserved_team", GROQ "teams: {_a: {}}", 2, 9, "does not begin with '_'"},
    {"unset_key", GROQ "access_keys: [{name: a, key: '${NOPE}'}]", 2, 30, "the variable NOPE is not set"},
};
INSTANTIATE_TEST_SUITE_P(Access, RefusedConfig, testing::ValuesIn(access_faults), name_of);

const fault provider_faults[] = {
    {"unknown_preset", "providers: {lab: {preset: vlm, api_key: none}}", 1, 27,
     "unknown preset 'vlm'; did you mean 'vllm'?"},
    {"neither_preset_nor_url", "providers: {grok: {api_key: k}}", 1, 19,
     "there is no preset of this name; did you mean 'groq'?"},
    {"bad_name", "providers: {Groq_1: {preset: groq}}", 1, 13, "may contain a-z, 0-9 and '-' only"},
    {"no_map", "providers: [groq]", 1, 12, "must be a map, as in {groq: {}}"},
    {"provider_as_text", "providers: {groq: key}", 1, 19, "provider must be a map, not text"},
    {"unknown_key", "providers: {groq: {apikey: k}}", 1, 20, "did you mean 'api_key'?"},
    {"url_without_scheme", "providers: {lab: {base_url: 'host/v1', api_key: k}}", 1, 29,
     "must begin with https://"},
    {"url_with_user", "providers: {lab: {base_url: 'https://a:b@h/v1', api_key: k}}", 1, 29,
     "put the key in api_key"},
    {"url_with_endpoint", "providers: {lab: {base_url: 'https://h/v1/chat/completions', api_key: k}}", 1, 29,
     "must not include /chat/completions"},
    {"missing_params", "providers: {azure: {api_key: k}}", 1, 20, "contains {resource}: give params"},
    {"params_of_no_variable", "providers: {azure: {api_key: k, params: {resource: \"${NONE_SUCH}\"}}}", 1, 52,
     "NONE_SUCH is not set"},
    {"unknown_param", "providers: {azure: {api_key: k, params: {resource: a, reg: b}}}", 1, 41,
     "has no placeholder {reg}"},
    {"bad_param", "providers: {azure: {api_key: k, params: {resource: 'a/b'}}}", 1, 41, "resource may contain"},
    {"params_beside_url", "providers: {azure: {api_key: k, prices: {m: 1/2}, base_url: 'https://h', params: {resource: a}}}", 1,
     82, "no effect together with `base_url`"},
    {"key_with_line_break", "providers: {groq: {api_key: '${BROKEN}'}}", 1, 29,
     "contains a space, a line break"},
    {"relative_key_file", "providers: {groq: {api_key: 'file:key'}}", 1, 29, "absolute path"},
    {"missing_key_file", "providers: {groq: {api_key: 'file:/nope'}}", 1, 29,
     "the file /nope: there is no such file"},
    {"empty_key_file", "providers: {groq: {api_key: 'file:/empty'}}", 1, 29, "the file /empty is empty"},
    {"key_with_auth_none", "providers: {groq: {auth: none, api_key: k}}", 1, 41, "no key is sent"},
    {"auth_without_header", "providers: {groq: {auth: header}}", 1, 26, "needs `auth_header`"},
    {"header_without_auth", "providers: {groq: {auth_header: x-key}}", 1, 33, "without `auth: header`"},
    {"key_in_host_header", "providers: {groq: {auth: header, auth_header: Host}}", 1, 47,
     "cannot contain a key"},
    {"reserved_header", "providers: {groq: {headers: {Content-Length: '1'}}}", 1, 29,
     "the gateway sets this header"},
    {"credential_header", "providers: {groq: {headers: {Authorization: x}}}", 1, 29, "use `api_key`"},
    {"bad_header_name", "providers: {groq: {headers: {'a b': x}}}", 1, 29, "is not a valid header"},
    {"split_header", "providers: {groq: {headers: {X-A: \"a\\r\\nb: c\"}}}", 1, 29, "is not a valid header"},
    {"header_with_nul", "providers: {groq: {headers: {X-A: \"a\\0b\"}}}", 1, 29, "is not a valid header"},
    {"forwarded_cookie", "providers: {groq: {forward_headers: [x-a, Cookie]}}", 1, 37, "never forwarded"},
    {"forwarded_provider_key", "providers: {groq: {forward_headers: [X-Provider-Key-Xai]}}", 1, 37,
     "never forwarded"},
    {"forwarded_connection", "providers: {groq: {forward_headers: [Connection]}}", 1, 37,
     "client's connection"},
    {"chat_path_without_slash", "providers: {groq: {chat_path: chat}}", 1, 31, "must begin with '/'"},
    {"unknown_dialect", "providers: {groq: {dialect: smalltalk}}", 1, 29, "must be openai"},
    {"unknown_api", "providers: {groq: {apis: [chat, embedding]}}", 1, 33, "did you mean 'embeddings'?"},
    {"apis_as_text", "providers: {groq: {apis: chat}}", 1, 26, "must be a list of words"},
    {"no_api", "providers: {groq: {apis: []}}", 1, 26, "must not be empty"},
    {"missing_ca_file", "providers: {groq: {ca_file: /nope.pem}}", 1, 29, "/nope.pem: there is no such file"},
    {"models_as_text", "providers: {groq: {models: '*'}}", 1, 28, "must be a list of text"},
    {"empty_model", "providers: {groq: {models: [a, '']}}", 1, 32, "contains an empty text"},
    {"rename_as_list", "providers: {groq: {rename_params: [a]}}", 1, 35, "must be a map of text"},
};
INSTANTIATE_TEST_SUITE_P(Provider, RefusedConfig, testing::ValuesIn(provider_faults), name_of);

const fault route_faults[] = {
    {"no_policy", TWO "routes: {fast: {targets: [groq/x, xai/y]}}", 2, 16, "its race needs a policy"},
    {"no_targets", GROQ "routes: {fast: {}}", 2, 16, "route 'fast' needs targets"},
    {"empty_targets", GROQ "routes: {fast: {targets: []}}", 2, 26, "is empty: name at least one target"},
    {"targets_as_text", GROQ "routes: {fast: {targets: groq/x}}", 2, 26, "must be a list of text"},
    {"no_target", GROQ "routes: {fast: {targets: [groq]}}", 2, 27, "write provider/model"},
    {"no_model", GROQ "routes: {fast: {targets: [groq/]}}", 2, 27, "write provider/model"},
    {"near_provider", GROQ "routes: {fast: {targets: [grok/x]}}", 2, 27,
     "unknown provider 'grok'; did you mean 'groq'?"},
    {"preset_not_configured", GROQ "routes: {fast: {targets: [xai/x]}}", 2, 27,
     "add `xai: {}` to `providers`"},
    {"target_twice", GROQ "race: {policy: all}\nroutes: {fast: {targets: [groq/x, groq/x]}}", 3, 35,
     "groq/x is listed twice"},
    {"diffusion_in_a_race",
     "providers: {groq: {}, lab: {base_url: 'https://h', api_key: k, append_only: false}}\n"
     "routes: {fast: {targets: [groq/x, lab/y], race: {policy: all}}}",
     2, 35, "cannot race other targets"},
    {"name_with_slash", GROQ "routes: {a/b: {targets: [groq/x]}}", 2, 10, "must not contain '/'"},
    {"name_with_comma", GROQ "routes: {'a,b': {targets: [groq/x]}}", 2, 10, "or ','"},
    {"name_with_underscore", GROQ "routes: {_a: {targets: [groq/x]}}", 2, 10, "must not begin with '_'"},
    {"name_of_a_provider", GROQ "routes: {groq: {targets: [groq/x]}}", 2, 10, "has the name of a provider"},
    {"name_with_space", GROQ "routes: {a b: {targets: [groq/x]}}", 2, 10, "must not contain a space"},
    {"unknown_key", GROQ "routes: {fast: {target: [groq/x], targets: [groq/y]}}", 2, 17,
     "did you mean 'targets'?"},
    {"race_key_in_route", GROQ "routes: {fast: {targets: [groq/x], policy: all}}", 2, 36,
     "this key belongs in race"},
    {"bad_policy", GROQ "race: {policy: hedged}", 2, 16,
     "must be all, hedge, adaptive or fallback; did you mean 'hedge'?"},
    {"bad_sort", GROQ "race: {sort: finnish}", 2, 14,
     "must be listed, ttft, tps, finish or cost; did you mean 'finish'?"},
    {"bad_extra_cost", GROQ "race: {max_extra_cost: 10%}", 2, 24, "must be a number from 0 to 1"},
    {"dear_extra_cost", GROQ "race: {max_extra_cost: 1.5}", 2, 24, "must be a number from 0 to 1"},
    {"bad_hedge_delay", GROQ "race: {hedge_delay: automatic}", 2, 21,
     "hedge_delay: must be a duration like 500us, 300ms, 2s, 10m or 1h, or auto"},
    {"no_parallel", GROQ "race: {max_parallel: 0}", 2, 22, "must be at least 1"},
    {"no_attempts", GROQ "race: {max_attempts: 0}", 2, 22, "must be at least 1"},
    {"no_hedge_delay", GROQ "race: {hedge_delay: 0s}", 2, 21, "must be more than 0"},
    {"bad_win", GROQ "race: {win_on: all}", 2, 16, "must be any, visible or finish"},
};
INSTANTIATE_TEST_SUITE_P(Route, RefusedConfig, testing::ValuesIn(route_faults), name_of);

const fault doubts[] = {
    {"no_collector", GROQ "tracing: {sample: 0.5}", 2, 10, "endpoint: is missing, and OTEL_EXPORTER_OTLP_ENDPOINT is not set"},
    {"grpc_port", GROQ "tracing: {endpoint: 'http://h:4317'}", 2, 10, "this gateway uses OTLP over HTTP"},
    {"preset_without_key", "providers: {xai: {}}", 1, 18, "XAI_API_KEY is not set"},
    {"preset_with_two_variables", "providers: {gemini: {}}", 1, 21,
     "GEMINI_API_KEY or GOOGLE_API_KEY is not set"},
    {"preset_without_variable", "providers: {vertex: {params: {location: a, project: b}}}", 1, 21,
     "set `api_key`"},
    {"own_url_without_key", "providers: {lab: {base_url: 'https://h'}}", 1, 18, "or `api_key: none`"},
    {"plain_http", "providers: {lab: {base_url: 'http://10.0.0.1/v1', api_key: k, models: [m]}}", 1, 29,
     "over http without TLS"},
    {"plain_http_for_callers",
     "providers: {lab: {base_url: 'http://10.0.0.1', api_key: none, accept_bearer: true}}", 1, 29,
     "http without TLS"},
    {"first_token_after_race", GROQ "race: {first_token_timeout: 290s}", 2, 29, "longer than `race_timeout`"},
    {"race_after_total", GROQ "race: {total_timeout: 10s}", 2, 7, "longer than `total_timeout`"},
    {"late_hedge", GROQ "race: {policy: hedge, hedge_delay: 300s}", 2, 36,
     "no further target can start"},
    {"keys_that_can_be_guessed", GROQ "listen: 0.0.0.0:7777\naccess_keys: [{name: a, key: fifteen-letters}, {name: b, key: k}]", 3, 14,
     "the access key 'a' and 1 more have fewer than 16 characters, so attackers could guess keys of this length at 0.0.0.0:7777"},
    {"metrics_for_admins_with_admin", GROQ "metrics_for_admins: true\nadmin: localhost:1", 2, 21, "has no effect together with `admin`"},
    {"metrics_without_key", GROQ "listen: 0.0.0.0:7777\nopen_metrics: true\naccess_keys: [{name: a, key: sixteen-letters-}]", 3, 15,
     "/metrics can be read at 0.0.0.0:7777"},
    {"open_metrics_with_admin", GROQ "open_metrics: true\nadmin: localhost:1", 2, 15, "has no effect together with `admin`"},
    {"no_providers", "workers: 2", 1, 1, "no providers are configured"},
    {"keys_for_nothing", "providers: {groq: {}, lab: {base_url: 'https://h', api_key: k}}", 1, 12,
     "no request can use the configured keys"},
    {"a_key_for_nothing", "providers: {groq: {}, lab: {base_url: 'https://h', api_key: k}}\nroutes: {r: {targets: [groq/x]}}",
     1, 23, "provider 'lab' has a key that no request can use"},
    {"delay_of_a_route_that_does_not_hedge", TWO "routes: {r: {targets: [groq/x, xai/y], race: {policy: all, hedge_delay: 1s}}}",
     2, 73, "with policy all"},
    {"none_that_goes_on", TWO "routes: {r: {targets: [groq/x, xai/y], race: {policy: all, on_break: continue}}}", 2, 70,
     "none of the providers has `prefill`"},
    {"no_other_that_goes_on", "providers: {vllm: {}}\nroutes: {r: {targets: [vllm/x], race: {on_break: continue}}}", 2, 50,
     "no other target"},
    {"default_delay_without_a_hedge", TWO "race: {policy: all, hedge_delay: 1s}\nroutes: {r: {targets: [groq/x, xai/y]}}",
     2, 34, "no route has policy hedge"},
    {"tier_that_the_provider_lacks", GROQ "routes: {r: {targets: [groq/m@priority]}}", 2, 10,
     "'@priority' is not a service tier of groq, so 'm@priority' is used as the name of the model"},
    {"tier_of_a_listed_model", "providers: {groq: {models: ['*', 'm@batch']}}", 1, 13, "'@batch' is not a service tier of groq"},
    {"tier_that_the_model_lacks",
     "providers: {anthropic: {api_key: k}}\nroutes: {r: {targets: [anthropic/claude-haiku-5-5@fast]}}", 2, 10,
     "'anthropic/claude-haiku-5-5@fast': claude-haiku-5-5 has no service tier fast, so requests ask for the standard tier"},
    {"trusts_every_address", "providers: {vllm: {}}\ntrusted_proxies: ['10.0.0.0/8', '::/0']", 2, 18,
     "contains every address"},
    {"soft_budget_above_the_other", "providers: {vllm: {}}\nteams: {search: {max_budget: 5, soft_budget: 6}}", 2, 46,
     "should be less than `max_budget`"},
    {"content_log_without_a_file", "providers: {vllm: {}}\ncontent_log: {retention: 2h}", 2, 14,
     "nothing is recorded, because `file` is missing"},
};
INSTANTIATE_TEST_SUITE_P(All, DoubtfulConfig, testing::ValuesIn(doubts), name_of);

const char* const quiet[] = {
    "providers: {vllm: {}}",
    "providers: {vllm: {}}\nroutes:\n",
    "providers: {vllm: }",
    "providers: {lab: {base_url: 'http://127.0.0.1:9/v1', api_key: k, models: [m]}}",
    "providers: {groq: {}, xai: {api_key: k}}\nrace: {policy: all, hedge_delay: 1s}\n"
    "routes: {r: {targets: [groq/x, xai/y], race: {policy: hedge}}}",
    "providers: {groq: {}, vllm: {}}\nroutes: {r: {targets: [groq/x, vllm/y], race: {policy: all, on_break: continue}}}",
    "providers: {lab: {base_url: 'https://h', auth: none}}",
    "providers: {lab: {base_url: 'http://10.0.0.1', api_key: none}}",
    GROQ "listen: localhost:0",
    GROQ "listen: '[::1]:7777'",
    GROQ "allowed_hosts: ['*', llm.example.com, 'llm.example.com:8443', '*.example.com', '[fd00::1]:80']",
    GROQ "open_metrics: true",
    GROQ "open_metrics: true\naccess_keys: [{name: a, key: k}]",
    GROQ "listen: 0.0.0.0:7777\naccess_keys: [{name: a, key: sixteen-letters-}]",
    GROQ "metrics_for_admins: true\naccess_keys: [{name: a, key: k, admin: true}]",
    GROQ "cors_origins: ['*', 'https://a.example', 'vscode-webview://abc', 'http://localhost:3000']",
};
TEST(QuietConfig, WhatIsRightIsPassedInSilence) {
  for (const char* yaml : quiet)
    for (const config_problem& problem : parse(yaml).problems)
      ADD_FAILURE() << yaml << "\n" << to_string(problem);
}

// Each mistake must cause exactly one error message. Consequences of the mistake must not cause further messages.
const fault slips[] = {
    {"providers", "providrs: {groq: {}}\nroutes: {r: {targets: [groq/x]}}", 1, 1, "did you mean 'providers'?"},
    {"providers_as_list", "providers: [groq]\nroutes: {r: {targets: [groq/x]}}", 1, 12, "must be a map"},
    {"a_provider", "providers: {groqq: {api_key: k}}\nroutes: {r: {targets: [groq/x]}}", 1, 20, "did you mean 'groq'?"},
    {"base_url", "providers: {lab: {base-url: 'https://h', api_key: k}}\nroutes: {r: {targets: [lab/x]}}", 1, 19,
     "did you mean 'base_url'?"},
    {"targets", GROQ "routes: {r: {target: [groq/x]}}", 2, 14, "did you mean 'targets'?"},
    {"policy", TWO "routes: {r: {targets: [groq/x, xai/y], race: {polcy: all}}}", 2, 47, "did you mean 'policy'?"},
    {"policy_in_the_route", TWO "routes: {r: {targets: [groq/x, xai/y], policy: all}}", 2, 40, "this key belongs in race"},
    {"default_policy", TWO "race: {policy: al}\nroutes: {r: {targets: [groq/x, xai/y]}}", 2, 16, "must be all, hedge"},
    {"routes", GROQ "rotes: {r: {targets: [groq/x]}}\naccess_keys: [{name: a, key: k, routes: [r]}]", 2, 1,
     "did you mean 'routes'?"},
    {"access_keys", GROQ "listen: 0.0.0.0:1\nacces_keys: [{name: a, key: k}]", 3, 1, "did you mean 'access_keys'?"},
    {"a_keys_name", GROQ "access_keys: [{nme: a, key: k}]", 2, 16, "did you mean 'name'?"},
    {"litellm", "model_list:\n  - model_name: x\n    litellm_params: {model: groq/x, api_base: y}", 1, 1,
     "this is a LiteLLM setting: use providers"},
    {"litellm_in_a_provider", "providers: {lab: {api_base: 'https://h', api_key: k}}", 1, 19,
     "this is a LiteLLM setting: use `base_url`"},
};
INSTANTIATE_TEST_SUITE_P(Slip, RefusedConfig, testing::ValuesIn(slips), name_of);

// The parser's work must not grow with the square of the file's size. Otherwise this test would take minutes and exceed its time limit.
TEST(ConfigProblems, OfALongFileAreFoundInTimeThatGrowsWithItsLength) {
  std::string providers = "providers:\n", routes = "routes:\n";
  const int count = 20'000;
  for (int each = 0; each < count; ++each) {
    const std::string number = std::to_string(each);
    providers += "  p" + number + ": {base_url: 'https://h/" + number + "', api_key: none, frobnicate: '${SET}'}\n";
    routes += "  r" + number + ": {targets: [q" + number + "/m]}\n";
  }
  EXPECT_EQ(parse((providers + routes).c_str()).problems.size(), 2u * count);
}

// Takes the value of each setting from a variable, in every form that a configuration permits. No error text may contain the variable's
// value.
TEST(ConfigProblems, NeverTellWhatAVariableHolds) {
  const std::string key = "sk-Planted-0123456789/planted+end";
  const tests::table_environment table{.variables = {{"KEY", key}, {"PART", key.substr(0, 12)}}, .files = {{"/x", key}}};
  const std::map<section, std::string> openings{
      {section::top, "%"},
      {section::tls, "tls: {%}"},
      {section::access_key, "access_keys: [{name: a, key: k, %}]"},
      {section::sealed_keys, "sealed_keys: {%}"},
      {section::jwt, "jwt: [{issuer: i, audience: a, jwks_url: 'https://h/k', %}]"},
      {section::audit_log, "audit_log: {%}"},
      {section::content_log, "content_log: {%}"},
      {section::key_limits, "key_defaults: {%}"}, {section::team, "teams: {search: {%}}"},
      {section::limits, "limits: {%}"}, {section::metrics, "metrics: {%}"},
      {section::alerts, "alerts: {%}"},
      {section::redis, "redis: {%}"},
      {section::sentinel, "redis: {url: 'redis://h', sentinel: {%}}"},
      {section::tracing, "tracing: {%}"},
      {section::probes, "probes: {%}"},
      {section::catalogue, "catalogue: {%}"},
      {section::provider, "providers: {lab: {base_url: 'http://h', %}}"},
      {section::race, "race: {%}"},
      {section::route, GROQ "routes: {fast: {targets: [groq/x], %}}"},
      {section::rule, GROQ "routes: {fast: {targets: [groq/x], rules: [{name: a, %}]}}"},
      {section::cache, GROQ "routes: {fast: {targets: [groq/x], cache: {%}}}"},
      {section::guardrail, "guardrails: [{url: 'http://h', %}]"},
      {section::facts, "providers: {lab: {base_url: 'http://h', facts: {m: {%}}}}"},
      {section::prompt_cache, "providers: {lab: {base_url: 'http://h', prompt_cache: {%}}}"},
      {section::require, GROQ "routes: {fast: {targets: [groq/x], require: {%}}}"}};
  std::size_t problems = 0;
  for (const setting& each : settings())
    for (const std::string_view value : {"'${KEY}'", "['${KEY}', 'x${KEY}/y']", "{a: '${KEY}', 'b c': '1/${KEY}'}",
                                         "[{name: '${KEY}'}]", "'https://${KEY}.example/${KEY}'", "'file:/x${KEY}'", "['${PART}', '${KEY}']"}) {
      std::string yaml = openings.at(each.where);
      yaml.replace(yaml.find('%'), 1, std::string(each.name) + ": " + std::string(value));
      for (const config_problem& problem : parse_config(yaml, "test.yaml", table.machine()).problems) {
        ++problems;
        std::string message = problem.message;
        std::transform(message.begin(), message.end(), message.begin(), [](unsigned char c) { return std::tolower(c); });
        EXPECT_EQ(message.find("planted"), std::string::npos) << yaml << "\n" << message;
      }
    }
  EXPECT_GT(problems, settings().size());  // fails if the loops above checked too few error texts
}

}  // namespace
}  // namespace photofinish::gateway
