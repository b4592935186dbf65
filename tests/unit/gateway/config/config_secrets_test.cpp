#include "gateway/config/config_secrets.hpp"

#include "gateway/config/settings.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>

namespace photofinish::gateway {
namespace {

std::shared_ptr<const config> secretive() {
  config settings;
  proxy::provider& provider = settings.providers["openrouter"];
  provider.preset = "openrouter";
  provider.key.value = proxy::secret("sk-configured");
  provider.headers = {{"X-Title", "photofinish"}, {"x-tenant", "Bearer tenant-token"}, {"x-pin", "4711"}};
  settings.access.keys.push_back({"team", proxy::secret("access-key-1"), {}});
  settings.tracing.headers = {{"authorization", proxy::secret("Bearer collector-key-1")}};
  settings.alerts.webhook = proxy::secret("https://hooks.example/services/T0/B0/XYZ");
  return std::make_shared<const config>(std::move(settings));
}

std::string redacted(std::string_view text) { return proxy::redact(text, secrets_of(*secretive())); }

TEST(ConfigSecrets, AreKeysHeadersAccessKeysAndTheWebhook) {
  EXPECT_EQ(redacted("sk-configured, tenant-token, 4711, access-key-1, collector-key-1"),
            "[redacted], [redacted], [redacted], [redacted], [redacted]");
  EXPECT_EQ(redacted("POST /services/T0/B0/XYZ"), "POST [redacted]");
}

TEST(ConfigSecrets, AreNotThePresetsOwnHeaders) { EXPECT_EQ(redacted("photofinish is up"), "photofinish is up"); }

// If a new setting holds a secret, add the setting to this list and to secrets_of().
TEST(ConfigSecrets, HaveTheValueOfEverySecretSetting) {
  const std::string hidden = "hidden0123456789abcdef0123456789ab";
  const std::string aws = "providers: {bedrock: {auth: aws, aws_region: us-east-1, aws_access_key_id: AKIA0123456789ABCDEF, ";
  const std::map<std::string, std::string> samples{
      {"configuration.proxy", "providers: {groq: {api_key: k}}\nproxy: 'http://user:" + hidden + "@proxy:3128'"},
      {"configuration.id_secret", "id_secret: " + hidden},
      {"access_key.key", "access_keys: [{name: a, key: " + hidden + "}]"},
      {"sealed_keys.secrets", "sealed_keys: {secrets: [" + hidden + "]}"},
      {"alerts.webhook", "alerts: {webhook: 'https://hooks.example/" + hidden + "'}"},
      {"redis.url", "redis: {url: 'redis://:" + hidden + "@store:6379'}"},
      {"sentinel.password", "redis: {url: 'redis://h', sentinel: {master: m, addresses: [h], password: " + hidden + "}}"},
      {"tracing.headers", "tracing: {endpoint: 'http://c:4318', headers: {authorization: " + hidden + "}}"},
      {"provider.api_key", "providers: {groq: {api_key: " + hidden + "}}"},
      {"provider.aws_secret_access_key", aws + "aws_secret_access_key: " + hidden + "}}"},
      {"provider.aws_session_token", aws + "aws_secret_access_key: s, aws_session_token: " + hidden + "}}"},
      {"provider.entra_client_secret", "providers: {groq: {auth: entra, entra_tenant_id: t, entra_client_id: c, "
                                       "entra_client_secret: " + hidden + "}}"},
      {"provider.headers", "providers: {groq: {api_key: k, headers: {x-tenant: " + hidden + "}}}"},
      {"provider.proxy", "providers: {groq: {api_key: k, proxy: 'http://user:" + hidden + "@proxy:3128'}}"},
      {"guardrail.headers", "guardrails: [{url: 'http://127.0.0.1:1', headers: {x-key: " + hidden + "}}]"}};
  const std::set<std::string> public_names{"sealed_keys.revoked", "provider.aws_access_key_id"};
  for (const setting& row : settings()) {
    const std::string name = std::string(to_string(row.where)) + "." + std::string(row.name);
    const bool is_secret = row.type == setting_type::secret || row.type == setting_type::secrets ||
                           row.type == setting_type::secret_map;
    if (!is_secret || public_names.contains(name)) continue;
    const auto sample = samples.find(name);
    ASSERT_NE(sample, samples.end()) << name;
    const config_result result = parse_config(sample->second, "test.yaml", tests::table_environment{}.machine());
    const std::string text = proxy::redact("POST /" + hidden, secrets_of(result.settings));
    EXPECT_EQ(text.find(hidden), std::string::npos) << name;
  }
}

TEST(ConfigSecrets, MakeOneRedactorForEachConfiguration) {
  redactor_book book;
  const auto first = secretive(), second = secretive();
  const auto made = book.of(first);
  EXPECT_EQ(made->redact("sk-configured"), "[redacted]");
  EXPECT_EQ(book.of(first), made);
  EXPECT_NE(book.of(second), made);
}

}  // namespace
}  // namespace photofinish::gateway
