// Tests sealed keys end to end: which callers are admitted, which key the provider gets, what the metrics count, and which secrets are
// never logged.
#include "gateway/access/sealed_key.hpp"
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class sealed_keys_test : public gateway_fixture {
 protected:
  sealed_keys_test() {
    add("a", provider).key.auth = proxy::auth_style::bearer;
    settings.providers["a"].key.is_optional = false;
    add_route("fast", {"a/m"});
    settings.access.teams["search"] = {};
    settings.access.sealed_keys.secrets = {secret};
    settings.views.open_metrics = true;
    keeping.tick = 10ms;
  }

  static gateway::sealed_claims alice() {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    return {.audience = "photofinish", .id = "pf-1", .subject = "alice", .team = "search", .issued = now,
            .expires = now + std::chrono::hours(1), .keys = {{"a", {"127.0.0.1", proxy::secret("provider-key-of-alice")}}}};
  }
  http_response ask(const std::string& key) {
    return post(streamed("fast"), "Authorization: Bearer " + key + "\r\n");
  }

  const proxy::secret secret{"0123456789abcdef0123456789abcdef"};
  scripted_provider provider{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
};

TEST_F(sealed_keys_test, BringsItsProvidersKeysAndIsCountedUnderItsTeam) {
  captured_log log;
  start();
  const std::string key = gateway::seal(alice(), secret);
  EXPECT_EQ(ask(key).status, 200);
  ASSERT_EQ(provider.requests().size(), 1u);
  EXPECT_NE(provider.requests()[0].head.find("Bearer provider-key-of-alice"), std::string::npos);
  expect_metric(2, "photofinish_client_tokens_total",
                {R"(client="_sealed")", R"(team="search")", R"(direction="output")"});
  EXPECT_TRUE(comes_true([&] { return !log.lines_with({"client=_sealed/search/alice"}).empty(); }));
  for (const std::string& each : {key, std::string("provider-key-of-alice")}) EXPECT_TRUE(log.lines_with({each}).empty());
  EXPECT_TRUE(comes_true([&] {
    const http_response got = get("/v1/usage?group_by=client", "Authorization: Bearer " + key + "\r\n");
    return got.body.find(R"("client":"_sealed/search/alice")") != std::string::npos;
  }));
}

TEST_F(sealed_keys_test, WithoutOneOrWithAnotherNoneIsServed) {
  start();
  EXPECT_EQ(post(streamed("fast")).status, 401);
  EXPECT_EQ(ask("sk-anything").status, 401);
  std::string changed = gateway::seal(alice(), secret);
  changed.back() = changed.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(ask(changed).status, 401);
  EXPECT_EQ(ask(changed).error("code"), "invalid_api_key");
  gateway::sealed_claims old = alice();
  old.expires = old.issued - std::chrono::seconds(1);
  EXPECT_EQ(ask(gateway::seal(old, secret)).status, 401);
  EXPECT_TRUE(provider.requests().empty());
}

TEST_F(sealed_keys_test, LimitsHoldForAllKeysOfASubjectAndForItsTeam) {
  settings.access.teams["search"].requests_per_minute = 3;
  start();
  gateway::sealed_claims limited = alice(), bob = alice();
  limited.limits.requests_per_minute = 2;
  bob.subject = "bob";
  EXPECT_EQ(ask(gateway::seal(limited, secret)).status, 200);
  EXPECT_EQ(ask(gateway::seal(limited, secret)).status, 200);
  const http_response refused = ask(gateway::seal(limited, secret));
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(refused.error("message").find("of this caller"), std::string::npos);
  EXPECT_EQ(ask(gateway::seal(bob, secret)).status, 200);
  EXPECT_EQ(ask(gateway::seal(bob, secret)).status, 429);
}

TEST_F(sealed_keys_test, ARotationRefusesNone) {
  start();
  const std::string before = gateway::seal(alice(), secret);
  EXPECT_EQ(ask(before).status, 200);
  const proxy::secret fresh("abcdef0123456789abcdef0123456789");
  settings.access.sealed_keys.secrets = {fresh, secret};
  gateway->reload(settings);
  EXPECT_EQ(ask(before).status, 200);
  EXPECT_TRUE(comes_true([&] { return ask(gateway::seal(alice(), fresh)).status == 200; }));
  settings.access.sealed_keys.revoked = {"pf-1"};
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([&] { return ask(before).status == 401; }));
}

}  // namespace
}  // namespace photofinish::testing
