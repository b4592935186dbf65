#include "gateway/config/config_secrets.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace photofinish::gateway {
namespace {

std::shared_ptr<const config> secretive() {
  config settings;
  proxy::provider& provider = settings.providers["openrouter"];
  provider.preset = "openrouter";
  provider.api_key = proxy::secret("sk-configured");
  provider.headers = {{"X-Title", "photofinish"}, {"x-tenant", "Bearer tenant-token"}, {"x-pin", "4711"}};
  settings.access_keys.push_back({"team", proxy::secret("access-key-1"), {}});
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
