// Tests the destination of traces, which a configuration or OpenTelemetry's own variables may set.
#include "gateway/config/sources/config_parser.hpp"
#include "gateway/config/sources/instance.hpp"
#include "gateway/config/sources/zero_config.hpp"

#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace photofinish::gateway {
namespace {

using variables = std::map<std::string, std::string>;
const std::string groq = "providers: {groq: {api_key: k, models: ['*']}}\n";

config_result parse(const std::string& yaml, variables given = {}) {
  return parse_config(groq + yaml, "test.yaml", tests::table_environment{.variables = std::move(given)}.machine());
}

tracing_settings read(const std::string& yaml, variables given = {}) {
  return parse(yaml, std::move(given)).settings.tracing;
}

std::string problems_of(const config_result& result) {
  std::string all;
  for (const config_problem& each : result.problems) all += to_string(each) + "\n";
  return all;
}

TEST(TracingConfig, ReadsWhatTheFileSays) {
  const config_result result = parse(R"(
tracing: {endpoint: "https://otel.example:4318/", headers: {authorization: Basic abc}, sample: 0.05, keep: [slow],
          slow_after: 2s, trust_parent: false, compression: gzip, resource: {service.name: gate, region: eu}}
)");
  EXPECT_EQ(problems_of(result), "");
  const tracing_settings& tracing = result.settings.tracing;
  EXPECT_EQ(tracing.endpoint, "https://otel.example:4318/v1/traces");
  ASSERT_EQ(tracing.headers.size(), 1u);
  EXPECT_EQ(tracing.headers[0].second, proxy::secret("Basic abc"));
  EXPECT_EQ(tracing.sample, 0.05);
  EXPECT_FALSE(tracing.keeps_errors);
  EXPECT_TRUE(tracing.keeps_slow);
  EXPECT_EQ(tracing.slow_after, std::chrono::seconds(2));
  EXPECT_FALSE(tracing.trust_parent);
  EXPECT_TRUE(tracing.is_compressed);
  EXPECT_EQ(tracing.resource, (std::map<std::string, std::string>{{"region", "eu"}, {"service.name", "gate"}}));
}

TEST(TracingConfig, AnEndpointIsABaseOrAlreadyWhereTracesGo) {
  EXPECT_EQ(read("tracing: {endpoint: 'http://c:4318'}").endpoint, "http://c:4318/v1/traces");
  EXPECT_EQ(read("tracing: {endpoint: 'http://c/api/otel'}").endpoint, "http://c/api/otel/v1/traces");
  EXPECT_EQ(read("tracing: {endpoint: 'http://c/v1/traces'}").endpoint, "http://c/v1/traces");
  EXPECT_EQ(read("tracing: {endpoint: 'http://c/x?key=1'}").endpoint, "http://c/x?key=1");
}

TEST(TracingConfig, WithoutAnythingThereAreNoTraces) {
  EXPECT_FALSE(read("").is_on());
  EXPECT_FALSE(zero_config(tests::table_environment().machine()).settings.tracing.is_on());
}

TEST(TracingConfig, VariablesCountWhereTheFileIsSilent) {
  const variables all{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://agent:4318"},
                      {"OTEL_EXPORTER_OTLP_HEADERS", "api-key=s%20t, x-team = search"},
                      {"OTEL_SERVICE_NAME", "llm"},
                      {"OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=prod,service.name=other"}};
  for (const tracing_settings& tracing :
       {read("", all), zero_config(tests::table_environment{.variables = all}.machine()).settings.tracing}) {
    EXPECT_EQ(tracing.endpoint, "http://agent:4318/v1/traces");
    ASSERT_EQ(tracing.headers.size(), 2u);
    EXPECT_EQ(tracing.headers[0].second, proxy::secret("s t"));
    EXPECT_EQ(tracing.headers[1].second, proxy::secret("search"));
    EXPECT_EQ(tracing.resource.at("service.name"), "llm");  // OTEL_SERVICE_NAME overrides the service name in OTEL_RESOURCE_ATTRIBUTES
    EXPECT_EQ(tracing.resource.at("deployment.environment.name"), "prod");
  }
  const tracing_settings mixed = read("tracing: {endpoint: 'http://c', headers: {a: b}, sample: 0.5}", all);
  EXPECT_EQ(mixed.endpoint, "http://c/v1/traces");
  EXPECT_EQ(mixed.headers.size(), 1u);
  EXPECT_EQ(mixed.resource.at("service.name"), "llm");
  EXPECT_EQ(read("tracing: {endpoint: 'http://c'}").resource.at("service.name"), "photofinish");
}

TEST(TracingConfig, TheVariableOfTracesComesFirstAndStaysAsItIs) {
  EXPECT_EQ(read("", {{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/in"}, {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}})
                .endpoint,
            "http://t/in");
}

TEST(TracingConfig, VariablesMayTurnItOff) {
  const std::string name = "OTEL_EXPORTER_OTLP_ENDPOINT";
  EXPECT_FALSE(read("", {{name, "http://c"}, {"OTEL_SDK_DISABLED", "TRUE"}}).is_on());
  EXPECT_FALSE(read("", {{name, "http://c"}, {"OTEL_TRACES_EXPORTER", "none"}}).is_on());
}

TEST(TracingConfig, AVariableThatIsWrongIsAWarningAndNeverRepeated) {
  const config_result result = parse("", {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:hunter2@c"}});
  EXPECT_TRUE(result.is_usable());
  EXPECT_FALSE(result.settings.tracing.is_on());
  EXPECT_NE(problems_of(result).find("OTEL_EXPORTER_OTLP_ENDPOINT must be a URL"), std::string::npos);
  EXPECT_EQ(problems_of(result).find("hunter2"), std::string::npos);
  const config_result odd = parse("", {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"},
                                       {"OTEL_EXPORTER_OTLP_HEADERS", "hunter2"}});
  EXPECT_TRUE(odd.settings.tracing.headers.empty());
  EXPECT_NE(problems_of(odd).find("OTEL_EXPORTER_OTLP_HEADERS is ignored, because its value is not a list"), std::string::npos);
  EXPECT_EQ(problems_of(odd).find("hunter2"), std::string::npos);
}

TEST(TracingConfig, GrpcsPortIsWarnedOf) {
  EXPECT_NE(problems_of(parse("", {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317"}})).find("4318"), std::string::npos);
}

TEST(Instance, IsTheSettingElseTheAttributeElseTheHostName) {
  const std::string traced = "tracing: {endpoint: 'http://c', resource: {service.instance.id: traced}}\n";
  EXPECT_EQ(instance_name(parse("instance: gw-1").settings), "gw-1");
  EXPECT_EQ(instance_name(parse(traced).settings), "traced");
  EXPECT_EQ(problems_of(parse(traced + "instance: traced")), "");
  EXPECT_NE(problems_of(parse(traced + "instance: gw-1")), "");
  const tests::table_environment host{.files = {{"/proc/sys/kernel/hostname", "node 7\n"}}};
  EXPECT_EQ(instance_name(parse_config(groq, "test.yaml", host.machine()).settings), "node_7");
  EXPECT_EQ(instance_name(parse_config(groq + "instance: gw-1", "test.yaml", host.machine()).settings), "gw-1");
  EXPECT_EQ(instance_name(parse("").settings), "gateway");
}

TEST(Instance, IsAShortWord) {
  for (const std::string bad : {"''", "'a b'", "\"a\\nb\"", "ä"})
    EXPECT_NE(problems_of(parse("instance: " + bad)), "") << bad;
  EXPECT_NE(problems_of(parse("instance: " + std::string(65, 'a'))), "");
}

}  // namespace
}  // namespace photofinish::gateway
