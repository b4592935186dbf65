// Tests the tokens of an identity provider end to end. The identity provider answers, rotates its keys, hangs, or sends false data.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/token_issuer.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

namespace photofinish::testing {
namespace {

using json = nlohmann::json;
using std::chrono::operator""ms;

class jwt_test : public gateway_fixture {
 protected:
  jwt_test() {
    add("a", provider).key.auth = proxy::auth_style::bearer;
    settings.providers["a"].key.value = proxy::secret("the-operators-key");
    add_route("fast", {"a/m"});
    settings.access.teams["search"].requests_per_minute = 1000;
    settings.access.keys = {{"static", proxy::secret("static-key"), {}}};
    settings.views.open_metrics = true;
    keeping.tick = 10ms;
    gateway::jwt_issuer by{.name = "sso", .issuer = "https://sso.example.com", .audiences = {"photofinish"}};
    by.jwks.at = {false, "127.0.0.1", sso.port(), ""};
    by.jwks.path = "/keys";
    by.team_claim = "groups";
    settings.access.jwt = {by};
  }

  json claims() const {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch();
    return {{"iss", "https://sso.example.com"}, {"aud", "photofinish"}, {"sub", "alice"}, {"groups", {"all", "search"}},
            {"iat", now.count()}, {"exp", now.count() + 3600}};
  }
  http_response ask(const std::string& token) {
    return post(streamed("fast"), "Authorization: Bearer " + token + "\r\n");
  }
  void be_ready() {
    ASSERT_TRUE(comes_true([this] { return get("/readyz").status == 200; }));
  }
  void show(std::string set) {
    const std::scoped_lock lock(guard);
    shown = std::move(set);
  }

  const token_issuer rsa{"RS256", "k1"}, p256{"ES256", "k2"}, ed25519{"EdDSA", "k3"};
  std::mutex guard;
  std::string shown = json{{"keys", {rsa.jwk(), p256.jwk(), ed25519.jwk()}}}.dump();
  std::atomic<bool> is_hanging = false;
  scripted_provider sso{[this](provider_call& call) {
    if (is_hanging && !call.wait_until([this] { return !is_hanging.load(); })) return;
    std::string body;
    {
      const std::scoped_lock lock(guard);
      body = shown;
    }
    call.answer(200, body);
  }};
  scripted_provider provider{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
};

TEST_F(jwt_test, OfEachAlgorithmIsServedAndCountedUnderItsTeam) {
  captured_log log;
  start();
  be_ready();
  for (const token_issuer* each : {&rsa, &p256, &ed25519}) {
    const std::string token = each->token(claims());
    const http_response answered = ask(token);
    EXPECT_EQ(answered.status, 200) << answered.body;
    EXPECT_EQ(ask(token).status, 200) << "known by now";
    EXPECT_EQ(answered.field_or("x-ratelimit-limit-requests", ""), "1000");
    EXPECT_EQ(get("/v1/models", "x-photofinish-key: " + token + "\r\n").status, 200);
    EXPECT_TRUE(log.lines_with({token.substr(token.rfind('.'))}).empty());
  }
  for (const received_request& each : provider.requests())
    EXPECT_NE(each.head.find("Bearer the-operators-key"), std::string::npos) << each.head;
  expect_metric(12, "photofinish_client_tokens_total", {R"(client="_jwt")", R"(team="search")", R"(direction="output")"});
  EXPECT_TRUE(comes_true([&] { return !log.lines_with({"client=_jwt/sso/search/alice"}).empty(); }));
  EXPECT_EQ(post(streamed("fast"), "Authorization: Bearer static-key\r\n").status, 200);
  EXPECT_EQ(sso.requests().size(), 1u) << "no request asks";
}

TEST_F(jwt_test, ThatIsWrongIsRefusedAndNotShown) {
  captured_log log;
  start();
  be_ready();
  json expired = claims(), stranger = claims(), elsewhere = claims();
  expired["exp"] = 1'000'000'000;
  stranger["groups"] = {"sales"};
  elsewhere["aud"] = "payroll";
  const token_issuer forger("RS256", "k1");
  const std::string unsigned_one = proxy::base64url_encoded(R"({"alg":"none","kid":"k1"})") + "." +
                                   proxy::base64url_encoded(claims().dump()) + ".";
  for (const auto& [token, status] : std::vector<std::pair<std::string, int>>{
           {rsa.token(expired), 401}, {rsa.token(elsewhere), 401}, {rsa.token(stranger), 403},
           {forger.token(claims()), 401}, {unsigned_one, 401}, {unsigned_one + "AAAA", 401}}) {
    const http_response refused = ask(token);
    EXPECT_EQ(refused.status, status) << refused.body;
    EXPECT_EQ(refused.body.find("eyJ"), std::string::npos);
  }
  EXPECT_EQ(ask(rsa.token(stranger)).error("code"), "token_not_permitted");
  EXPECT_TRUE(log.lines_with({"eyJ"}).empty());
  EXPECT_TRUE(provider.requests().empty());
}

TEST_F(jwt_test, CallersShareTheirOwnDefaultLimitOverTokens) {
  settings.access.key_defaults.requests_per_minute = 2;
  start();
  be_ready();
  json bob = claims();
  bob["sub"] = "bob";
  EXPECT_EQ(ask(rsa.token(claims())).status, 200);
  EXPECT_EQ(ask(p256.token(claims())).status, 200);
  EXPECT_TRUE(comes_true([&] { return ask(rsa.token(claims())).status == 429; }));
  EXPECT_EQ(ask(rsa.token(bob)).status, 200);
}

TEST_F(jwt_test, BudgetsOfCallersHold) {
  settings.access.key_defaults.budget_nano_usd = 1'000'000'000;
  settings.providers["a"].prices = {{"m", *proxy::parse_prices("0/1000000")}};  // each output token costs a dollar
  start();
  be_ready();
  EXPECT_EQ(ask(rsa.token(claims())).status, 200);
  EXPECT_TRUE(comes_true([&] { return ask(rsa.token(claims())).body.find("insufficient_quota") != std::string::npos; }));
}

TEST_F(jwt_test, AHangingProviderHoldsUpNoRequest) {
  is_hanging = true;
  start();
  EXPECT_EQ(get("/readyz").status, 503);
  const http_response early = ask(rsa.token(claims()));
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.error("code"), "identity_keys_unavailable");
  EXPECT_NE(early.field_or("retry-after", ""), "");
  EXPECT_EQ(post(streamed("fast"), "Authorization: Bearer static-key\r\n").status, 200);
  is_hanging = false;
  be_ready();
  EXPECT_TRUE(comes_true([&] { return ask(rsa.token(claims())).status == 200; }));
}

TEST_F(jwt_test, AProviderThatLiesLetsNoOneIn) {
  show("<html>keys</html>");
  captured_log log;
  start();
  be_ready();
  EXPECT_EQ(ask(rsa.token(claims())).status, 503);
  EXPECT_TRUE(comes_true([&] { return !log.lines_with({"identity provider 'sso'", "not a JSON object"}).empty(); }));
  show(rsa.key_set());
  EXPECT_TRUE(comes_true([&] { return ask(rsa.token(claims())).status == 200; })) << "it is asked again";
  EXPECT_TRUE(comes_true([&] { return ask(ed25519.token(claims())).status == 401; })) << "once a newer fetch lacks it";
}

TEST_F(jwt_test, AKeyThatRotatesRightAfterAFetchIsAcceptedSoon) {
  start();
  be_ready();
  EXPECT_EQ(ask(rsa.token(claims())).status, 200);
  const token_issuer fresh("ES256", "k9");
  show(fresh.key_set());
  const http_response early = ask(fresh.token(claims()));
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.error("code"), "identity_key_unknown");
  EXPECT_EQ(early.field_or("retry-after", ""), "1");
  EXPECT_TRUE(comes_true([&] {
    const int status = ask(fresh.token(claims())).status;
    EXPECT_NE(status, 401);
    return status == 200;
  }));
}

TEST_F(jwt_test, AReloadWithAnotherProviderTakesItsTokens) {
  start();
  be_ready();
  EXPECT_EQ(ask(rsa.token(claims())).status, 200);
  const token_issuer fresh("ES256", "k9");
  show(fresh.key_set());
  settings.access.jwt[0].jwks.path = "/new";
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([&] { return ask(fresh.token(claims())).status == 200; }));
  EXPECT_TRUE(comes_true([&] { return ask(rsa.token(claims())).status == 401; }));
}

}  // namespace
}  // namespace photofinish::testing
