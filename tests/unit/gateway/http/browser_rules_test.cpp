#include "gateway/http/browser_rules.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using header_fields = std::vector<proxy::header_field>;

using texts = std::vector<std::string>;

const listen_address on_loopback{"127.0.0.1", 7777}, for_all{"0.0.0.0", 7777};

int status_for_origin(const char* origin, const texts& configured = {}, const listen_address& listener = on_loopback) {
  const header_fields fields{{"Origin", origin}};
  const auto refused = check_origin(fields, listener, configured);
  return refused ? refused->status : 0;
}

TEST(CheckOrigin, LetsRequestsWithoutOnePass) { EXPECT_FALSE(check_origin({}, on_loopback, {})); }

TEST(CheckOrigin, LetsDesktopAppsPassOnLoopbackAlone) {
  for (const char* origin : {"tauri://localhost", "http://tauri.localhost", "https://tauri.localhost", "capacitor://localhost",
                             "app://", "app://-", "app://obsidian.md", "vscode-webview://0a1b2c3d-uuid", "TAURI://localhost"}) {
    EXPECT_EQ(status_for_origin(origin), 0) << origin;
    EXPECT_EQ(status_for_origin(origin, {}, {"::1", 7777}), 0) << origin;
    EXPECT_EQ(status_for_origin(origin, {}, for_all), 403) << origin;
    EXPECT_EQ(status_for_origin(origin, {origin}, for_all), 0) << origin;
  }
}

TEST(CheckOrigin, LetsNothingPassThatResemblesADesktopApp) {
  for (const char* origin : {"null", "file://", "chrome-extension://abc", "moz-extension://abc", "http://tauri.localhost.evil.example",
                             "https://x.tauri.localhost", "tauri://evil.example", "capacitor://evil.example", "app:evil", "apps://x",
                             "http://app", "app://a/b", "app://a b", "vscode-webview:/x", "tauri://localhost:1"})
    EXPECT_EQ(status_for_origin(origin), 403) << origin;
}

TEST(CheckOrigin, LetsLocalhostPassOnAnyPort) {
  for (const char* origin :
       {"http://localhost", "http://localhost:3000", "https://localhost:8443", "http://127.0.0.1:5173",
        "http://127.8.9.10", "http://[::1]:3000", "http://[::1]", "HTTP://LOCALHOST:1"})
    EXPECT_EQ(status_for_origin(origin), 0) << origin;
}

TEST(CheckOrigin, RefusesForeignOnes) {
  for (const char* origin : {"https://evil.example",
                             "null",
                             "",
                             "http://localhost.evil.example",
                             "http://evil.example:80/localhost",
                             "http://localhost@evil.example",
                             "http://evil.example#localhost",
                             "http://127.0.0.1.evil.example",
                             "http://127.0.0.1@evil.example",
                             "http://1270.0.0.1",
                             "http://127.1",
                             "http://127.0.0.256",
                             "http://127.0.0.01",
                             "http://127.0.0.1.2",
                             "http://127.0.0.",
                             "http://0.0.0.0",
                             "http://10.0.0.1",
                             "http://[::2]",
                             "http://[::1",
                             "http://[::1]evil",
                             "http://localhost:80evil",
                             "localhost",
                             "ftp://localhost",
                             "file://",
                             "http://",
                             "chrome-extension://localhost",
                             "http://localhost/",
                             "http://localhost, http://localhost"})
    EXPECT_EQ(status_for_origin(origin), 403) << origin;
}

TEST(CheckOrigin, RefusesTwoEvenWhenBothAreGood) {
  const header_fields fields{{"Origin", "http://localhost"}, {"origin", "http://localhost"}};
  ASSERT_TRUE(check_origin(fields, on_loopback, {}));
  EXPECT_TRUE(refusal_cors_headers(fields).empty());
}

TEST(CheckOrigin, LetsConfiguredOnesPassAndNoneThatResembleThem) {
  const texts configured{"https://app.example", "chrome-extension://abc"};
  EXPECT_EQ(status_for_origin("https://app.example", configured), 0);
  EXPECT_EQ(status_for_origin("https://APP.example", configured), 0);
  EXPECT_EQ(status_for_origin("chrome-extension://abc", configured), 0);
  EXPECT_EQ(status_for_origin("http://localhost:1", configured), 0);
  for (const char* origin : {"http://app.example", "https://app.example:8443", "https://app.example.evil",
                             "https://x.app.example", "https://app.exampl", "null"})
    EXPECT_EQ(status_for_origin(origin, configured), 403) << origin;
}

TEST(CheckOrigin, LetsAnyPassWithAStar) {
  EXPECT_EQ(status_for_origin("https://any.example", {"*"}), 0);
  EXPECT_EQ(status_for_origin("null", {"*"}), 0);
}

TEST(CheckHost, RefusesAForeignHostOnLoopback) {
  const listen_address loopback{"127.0.0.1", 7777};
  for (const char* host : {"evil.example", "evil.example:7777", "localhost.evil.example",
                           "127.0.0.1.evil.example", "0.0.0.0", "10.0.0.1:7777", "[::2]:7777", "127.0.0.1x"})
    EXPECT_TRUE(check_host(host, loopback, {})) << host;
  EXPECT_EQ(check_host("evil.example", loopback, {})->status, 403);
}

TEST(CheckHost, LetsLoopbackNamesPassWithAnyPort) {
  for (const char* listener : {"127.0.0.1", "::1", "localhost", "127.0.0.9"})
    for (const char* host :
         {"localhost", "LocalHost:1", "127.0.0.1:7777", "127.1.2.3", "[::1]", "[::1]:80", ""})
      EXPECT_FALSE(check_host(host, {listener, 7777}, {})) << listener << " " << host;
}

TEST(CheckHost, AsksNothingBeyondLoopback) {
  for (const char* listener : {"0.0.0.0", "::", "10.0.0.5", "gateway.example"})
    EXPECT_FALSE(check_host("evil.example", {listener, 7777}, {})) << listener;
}

bool is_served(const char* host, std::vector<std::string> allowed) {
  return !check_host(host, {"127.0.0.1", 7777}, allowed);
}

TEST(AllowedHosts, AreServedOnLoopbackWithAnyPortOrTheirOwn) {
  for (const char* host : {"llm.example.com", "LLM.example.com", "llm.example.com:443", "llm.example.com:8443"})
    EXPECT_TRUE(is_served(host, {"llm.example.com"})) << host;
  EXPECT_TRUE(is_served("llm.example.com:8443", {"llm.example.com:8443"}));
  EXPECT_TRUE(is_served("[fd00::1]:7777", {"[fd00::1]"}));
  EXPECT_TRUE(is_served("photofinish", {"other", "photofinish"}));
  for (const char* host : {"llm.example.com", "llm.example.com:443"})
    EXPECT_FALSE(is_served(host, {"llm.example.com:8443"})) << host;
}

TEST(AllowedHosts, KeepOutWhatResemblesThem) {
  for (const char* host : {"example.com", "x.llm.example.com", "llm.example.com.evil", "llm.example.co", "evil.example"})
    EXPECT_FALSE(is_served(host, {"llm.example.com"})) << host;
}

TEST(AllowedHosts, MayStandForNamesBelowADomain) {
  for (const char* host : {"a.example.com", "a.b.example.com:443", "A.EXAMPLE.COM"})
    EXPECT_TRUE(is_served(host, {"*.example.com"})) << host;
  for (const char* host : {"example.com", "evilexample.com", ".example.com", "a.example.com.evil"})
    EXPECT_FALSE(is_served(host, {"*.example.com"})) << host;
}

TEST(AllowedHosts, MayBeAny) { EXPECT_TRUE(is_served("evil.example:1", {"*"})); }

TEST(AllowedHosts, AreNamedByTheRefusal) {
  EXPECT_NE(check_host("a.example", {"127.0.0.1", 7777}, {})->message.find("allowed_hosts"), std::string::npos);
}

std::map<std::string, std::string> as_map(const header_list& headers) {
  return {headers.begin(), headers.end()};
}

TEST(CorsHeaders, EchoTheOriginAndExposeOurHeaders) {
  const header_fields fields{{"Origin", "http://localhost:3000"}};
  auto headers = as_map(cors_headers(fields));
  EXPECT_EQ(headers["access-control-allow-origin"], "http://localhost:3000");
  EXPECT_EQ(headers["timing-allow-origin"], "http://localhost:3000");
  EXPECT_EQ(headers["vary"], "origin");
  for (const char* name :
       {"x-request-id", "x-race-winner", "x-race-attempts", "x-race-ttft-ms", "x-race-skipped",
        "x-race-dropped", "x-race-continued-by", "x-race-id", "x-race-deadline", "x-race-cost-usd", "server-timing", "retry-after", "retry-after-ms",
        "x-should-retry", "x-cache", "age"})
    EXPECT_NE(headers["access-control-expose-headers"].find(name), std::string::npos) << name;
  EXPECT_FALSE(headers.contains("access-control-allow-credentials"));
}

TEST(RefusalCorsHeaders, LetAPageReadWhyAndNothingElse) {
  const header_fields fields{{"Origin", "null"}};
  auto headers = as_map(refusal_cors_headers(fields));
  EXPECT_EQ(headers["access-control-allow-origin"], "null");
  EXPECT_EQ(headers["vary"], "origin");
  EXPECT_EQ(headers.size(), 2u);
  EXPECT_TRUE(refusal_cors_headers({}).empty());
}

TEST(CorsHeaders, AreNoneWithoutAnOrigin) { EXPECT_TRUE(cors_headers({}).empty()); }

TEST(Preflight, IsAnOptionsRequestThatAsksForAMethod) {
  const header_fields asks{{"origin", "http://localhost"}, {"access-control-request-method", "POST"}};
  const header_fields plain{{"origin", "http://localhost"}};
  EXPECT_TRUE(is_preflight("OPTIONS", asks));
  EXPECT_FALSE(is_preflight("POST", asks));
  EXPECT_FALSE(is_preflight("OPTIONS", plain));
}

TEST(Preflight, EchoesTheRequestedHeaders) {
  const header_fields fields{{"origin", "http://localhost"},
                             {"access-control-request-method", "POST"},
                             {"access-control-request-headers",
                              "authorization,content-type, user-agent ,x-stainless-os,x-provider-key-groq"}};
  auto headers = as_map(preflight_headers(fields));
  EXPECT_EQ(headers["access-control-allow-headers"],
            "authorization, content-type, user-agent, x-stainless-os, x-provider-key-groq");
  EXPECT_EQ(headers["access-control-allow-origin"], "http://localhost");
  EXPECT_EQ(headers["access-control-allow-methods"], "GET, HEAD, POST, DELETE, OPTIONS");
  EXPECT_EQ(headers["access-control-max-age"], "7200");
  EXPECT_FALSE(headers.contains("access-control-allow-private-network"));
}

TEST(Preflight, LeavesOutWhatIsNoHeaderName) {
  const header_fields fields{{"origin", "http://localhost"},
                             {"access-control-request-headers", "x-a, b c, x\"y, \xc3\xa4, , x-d"}};
  EXPECT_EQ(as_map(preflight_headers(fields))["access-control-allow-headers"], "x-a, x-d");
}

TEST(Preflight, NamesTheUsualHeadersWhenNoneIsRequested) {
  const header_fields fields{{"origin", "http://localhost"}};
  EXPECT_EQ(as_map(preflight_headers(fields))["access-control-allow-headers"], "authorization, content-type");
}

TEST(Preflight, BoundsItsEcho) {
  std::string requested = "x-0";
  for (int count = 1; count < 5000; ++count) requested += ",x-" + std::to_string(count);
  const header_fields fields{{"origin", "http://localhost"}, {"access-control-request-headers", requested}};
  EXPECT_LT(as_map(preflight_headers(fields))["access-control-allow-headers"].size(), 5000u);
}

TEST(Preflight, AllowsPrivateNetworksWhenAsked) {
  const header_fields fields{{"origin", "https://app.example"},
                             {"access-control-request-private-network", "true"}};
  EXPECT_EQ(as_map(preflight_headers(fields))["access-control-allow-private-network"], "true");
}

}  // namespace
}  // namespace photofinish::gateway
