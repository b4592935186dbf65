// Tests the webhook message. It has the fields of version 4 of Alertmanager's format.
#include "gateway/config/webhook_url.hpp"
#include "gateway/housekeeping/exports/alert_message.hpp"
#include "proxy/providers/url.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const racing::wall_time noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};
const alert_context context{"http://gateway:7777", {{"team", "search"}}};

racing::regression_alert firing(std::string target, racing::regression kind = racing::regression::speed) {
  return {std::move(target), kind, 50, 100, noon, std::nullopt};
}

TEST(AlertMessage, HasEveryFieldThatAlertmanagerSends) {
  const json message = json::parse(alert_message({firing("groq/openai/gpt-oss-120b")}, context));
  EXPECT_EQ(message.at("version"), "4");
  EXPECT_EQ(message.at("status"), "firing");
  EXPECT_EQ(message.at("truncatedAlerts"), 0);
  EXPECT_EQ(message.at("externalURL"), "http://gateway:7777");
  for (const char* name : {"groupKey", "receiver"}) EXPECT_TRUE(message.at(name).is_string()) << name;
  for (const char* name : {"groupLabels", "commonLabels", "commonAnnotations"})
    EXPECT_TRUE(message.at(name).is_object()) << name;
  const json& alert = message.at("alerts").at(0);
  EXPECT_EQ(alert.at("status"), "firing");
  EXPECT_EQ(alert.at("labels"), json({{"alertname", "PhotofinishThroughputRegression"}, {"provider", "groq"},
                                      {"model", "openai/gpt-oss-120b"}, {"severity", "ticket"}, {"team", "search"}}));
  EXPECT_EQ(alert.at("annotations").at("summary"),
            "groq/openai/gpt-oss-120b: median output speed 50 tok/s, usually 100 tok/s");
  EXPECT_EQ(alert.at("startsAt"), "2026-01-31T12:00:00.000Z");
  EXPECT_EQ(alert.at("endsAt"), "0001-01-01T00:00:00Z");
  EXPECT_EQ(alert.at("generatorURL"), "http://gateway:7777/v1/providers/stats");
  EXPECT_EQ(alert.at("fingerprint").get<std::string>().size(), 16u);
}

TEST(AlertMessage, IsResolvedWhenNothingFiresAnyMore) {
  racing::regression_alert over = firing("a/m");
  over.ends_at = noon + 90s + 250ms;
  const json message = json::parse(alert_message({over}, context));
  EXPECT_EQ(message.at("status"), "resolved");
  EXPECT_EQ(message.at("alerts").at(0).at("status"), "resolved");
  EXPECT_EQ(message.at("alerts").at(0).at("endsAt"), "2026-01-31T12:01:30.250Z");
  EXPECT_EQ(json::parse(alert_message({over, firing("b/m")}, context)).at("status"), "firing");
}

TEST(AlertMessage, CommonLabelsAreThoseThatAllShare) {
  const json message = json::parse(alert_message({firing("a/m"), firing("a/n", racing::regression::ttft)}, context));
  EXPECT_EQ(message.at("commonLabels"), json({{"provider", "a"}, {"severity", "ticket"}, {"team", "search"}}));
}

TEST(AlertMessage, AFingerprintStaysWithItsLabels) {
  const auto print = [](const racing::regression_alert& alert) {
    return json::parse(alert_message({alert}, context)).at("alerts").at(0).at("fingerprint").get<std::string>();
  };
  racing::regression_alert later = firing("a/m");
  later.recent = 10, later.starts_at = noon + 1h, later.ends_at = noon + 2h;
  EXPECT_EQ(print(firing("a/m")), print(later));
  EXPECT_NE(print(firing("a/m")), print(firing("a/n")));
  EXPECT_NE(print(firing("a/m")), print(firing("a/m", racing::regression::ttft)));
}

TEST(WebhookUrl, KeepsPathAndQueryAsTheyAreWritten) {
  const auto parsed = parse_webhook_url("https://Hooks.example.com:8443/services/T0/B0/?token=a%2Fb&x=/");
  ASSERT_TRUE(parsed.url) << parsed.problem;
  EXPECT_EQ(parsed.url->origin.host, "hooks.example.com");
  EXPECT_EQ(parsed.url->origin.port, 8443);
  EXPECT_TRUE(parsed.url->origin.is_tls);
  EXPECT_EQ(parsed.url->path, "/services/T0/B0/?token=a%2Fb&x=/");
  EXPECT_EQ(proxy::host_field(parsed.url->origin), "hooks.example.com:8443");
  EXPECT_EQ(parse_webhook_url("http://h").url->path, "/");
  EXPECT_EQ(parse_webhook_url("http://h?a=1").url->path, "/?a=1");
}

TEST(WebhookUrl, RefusesWhatItIsNotAndNeverRepeatsIt) {
  for (const char* text : {"", "hooks.example.com/secret", "ftp://h/secret", "https://user:secret@h/x", "https://h/secret#x",
                           "https://h/secret x", "https:///secret", "https://h/\r\nsecret: x"}) {
    const auto parsed = parse_webhook_url(text);
    EXPECT_FALSE(parsed.url) << text;
    EXPECT_EQ(parsed.problem.find("secret"), std::string::npos) << parsed.problem;
  }
}

}  // namespace
}  // namespace photofinish::gateway
