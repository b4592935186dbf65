// Tests the live page and its feed end to end: which callers get them, how races appear in the feed, and which data the feed never
// contains.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace photofinish::testing {
namespace {

using nlohmann::json;

constexpr const char* as_browser = "accept: text/html,*/*;q=0.8\r\n";

class live_feed_test : public gateway_fixture {
 protected:
  live_feed_test() { settings.server.workers = 1; keeping.tick = std::chrono::milliseconds(20); }

  json feed(const std::string& fields = "", std::uint64_t since = 0) {
    return json::parse(get("/v1/feed?since=" + std::to_string(since), fields).body);
  }

  // Opens the live page, and waits until the page shows the first races.
  void open_page(const std::string& fields = "") {
    EXPECT_TRUE(comes_true([&] {
      post(streamed("r"), fields);
      return !feed(fields).at("races").empty();
    }));
  }

  // Waits until the race that produced the given answer has ended, and returns this race.
  json race_of(const http_response& answered, const std::string& fields = "") {
    const std::string id = answered.field_or("x-race-id", "none");
    json found;
    comes_true([&] {
      const json shown = feed(fields);
      for (const json& each : shown.at("races"))
        if (each.at("id") == id && each.contains("answer")) found = each;
      return !found.is_null();
    });
    return found;
  }

  void lock() {
    settings.access.keys = {{"operator", proxy::secret("key-of-operator"), {}},
                            {"search", proxy::secret("key-of-search"), {}}};
    settings.access.keys[0].is_admin = true;
  }
};

constexpr const char* as_operator = "authorization: Bearer key-of-operator\r\n";
constexpr const char* as_search = "authorization: Bearer key-of-search\r\n";

TEST_F(live_feed_test, ABrowserGetsThePageAndAProgramTheJson) {
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  const http_response page = get("/", as_browser);
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.field_or("content-type", ""), "text/html; charset=utf-8");
  EXPECT_NE(page.field_or("content-security-policy", "").find("default-src 'none'"), std::string::npos);
  EXPECT_TRUE(json::accept(get("/").body));
  test_client head = connect();
  head.get("/", as_browser, "HEAD");
  EXPECT_EQ(head.read_head().status, 200);
  EXPECT_TRUE(json::accept(get("/", std::string(as_browser) + "x-forwarded-for: 203.0.113.7\r\n").body));
  EXPECT_EQ(get("/v1/feed", "x-forwarded-for: 203.0.113.7\r\n").error("code"), "page_off");
  EXPECT_EQ(get("/v1/races", "x-forwarded-for: 203.0.113.7\r\n").error("code"), "page_off");
}

TEST_F(live_feed_test, WithoutAPageNoRaceIsNoted) {
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  EXPECT_EQ(post(streamed("r")).field_or("x-race-id", "none"), "none");
  EXPECT_TRUE(json::parse(get("/v1/races").body).at("data").empty());
}

TEST_F(live_feed_test, ARaceIsShownWhileItRunsAndBehindItsEnd) {
  scripted_provider provider(streams({"hi"}));
  scripted_provider silent([](provider_call& call) { call.hang(); });
  add("p", provider);
  add("q", silent);
  add_route("r", {"p/m"});
  add_route("waits", {"q/m"});
  start();
  open_page();
  const json over = race_of(post(streamed("r")));
  ASSERT_FALSE(over.is_null());
  EXPECT_EQ(over.at("route"), "r");
  EXPECT_EQ(over.at("winner"), 0);
  EXPECT_EQ(over.at("attempts")[0].at("target"), "p/m");
  EXPECT_EQ(over.at("attempts")[0].at("end"), "won");
  EXPECT_EQ(over.at("answer").at("outcome"), "ok");
  const http_response receipt = get("/v1/races/" + over.at("id").get<std::string>());
  EXPECT_EQ(receipt.status, 200);
  EXPECT_EQ(json::parse(receipt.body).at("winner"), "p/m");
  EXPECT_EQ(json::parse(get("/v1/races?limit=1").body).at("data").size(), 1u);

  test_client waiting = connect();
  waiting.post(streamed("waits"));
  EXPECT_TRUE(comes_true([&] {
    const json shown = feed();
    for (const json& each : shown.at("races"))
      if (each.at("route") == "waits") return each.at("attempts")[0].at("end") == "running" && !each.contains("answer");
    return false;
  }));
}

TEST_F(live_feed_test, AFirstTokenIsShownWhileItsAnswerStreams) {
  std::atomic<bool> may_end = false;
  scripted_provider provider(streams({"hi"}));
  scripted_provider streaming([&](provider_call& call) {
    call.stream_head();
    call.event(R"({"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"one"}}]})");
    call.wait_until([&] { return may_end.load(); });
    call.end();
  });
  add("p", provider);
  add("q", streaming);
  add_route("r", {"p/m"});
  add_route("long", {"q/m"});
  start();
  open_page();
  test_client client = connect();
  client.post(streamed("long"));
  EXPECT_TRUE(comes_true([&] {
    const json shown = feed();
    for (const json& each : shown.at("races"))
      if (each.at("route") == "long")
        return each.at("winner") == 0 && each.at("attempts")[0].contains("first_token_seconds") && !each.contains("answer");
    return false;
  }));
  may_end = true;
}

TEST_F(live_feed_test, ItsCountsAreThoseOfTheMetrics) {
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  open_page();
  ASSERT_FALSE(race_of(post(streamed("r"))).is_null());
  const double won = metric("photofinish_attempts_total", {R"(outcome="won")"});
  EXPECT_TRUE(comes_true([&] { return feed().at("targets")[0].at("attempts").value("won", 0.0) == won; }));
  EXPECT_EQ(feed().at("requests").at("total"), metric("photofinish_requests_total", {R"(route="r")"}));
  EXPECT_EQ(feed().at("routes")[0].at("route"), "r");
}

TEST_F(live_feed_test, AKeySeesItsOwnRacesAndOneWithAdminAll) {
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  lock();
  start();
  EXPECT_EQ(get("/v1/feed").status, 401);
  EXPECT_EQ(get("/v1/feed", as_search).error("code"), "admin_key_required");
  EXPECT_EQ(get("/", as_browser).field_or("content-type", ""), "text/html; charset=utf-8");
  open_page(as_operator);
  std::string id;
  EXPECT_TRUE(comes_true([&] {
    id = post(streamed("r"), as_search).field_or("x-race-id", "");
    feed(as_operator);
    return !id.empty();
  }));
  const auto sees = [&](const char* who) {
    const json listed = json::parse(get("/v1/races?limit=200", who).body);
    for (const json& each : listed.at("data"))
      if (each.at("id") == id) return true;
    return false;
  };
  EXPECT_TRUE(comes_true([&] { return sees(as_search); }));
  EXPECT_TRUE(sees(as_operator));
  EXPECT_EQ(get("/v1/races/" + id, as_operator).status, 200);
  // The caller with the key `search` may not see the races of the operator.
  const std::string own = json::parse(get("/v1/races?limit=200", as_operator).body).at("data").back().at("id");
  EXPECT_EQ(get("/v1/races/" + own, as_search).status, 404);
}

TEST_F(live_feed_test, TheAdminAddressShowsItWithoutAKey) {
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  lock();
  settings.server.admin = gateway::listen_address{"127.0.0.1", 0};
  start();
  test_client client(gateway->admin_port());
  for (const char* path : {"/v1/feed", "/v1/races", "/v1/providers/stats?window=15m"}) {
    client.get(path);
    EXPECT_EQ(client.read().status, 200) << path;
  }
  client.post(streamed("r"));
  EXPECT_EQ(client.read().status, 404) << "the API is not served there";
}

// The feed must never contain text of a request, an answer or an error.
TEST_F(live_feed_test, NoPromptAnswerOrKeyIsInIt) {
  scripted_provider provider(streams({"the-answers-own-words"}));
  scripted_provider failing([](provider_call& call) { call.answer(500, R"({"error":{"message":"the-failures-own-words"}})"); });
  add("p", provider).key.value = proxy::secret("sk-the-gateways-own-key");
  add("q", failing);
  add_route("r", {"q/m", "p/m"}, racing::race_policy::fallback);
  lock();
  start();
  open_page(as_operator);
  const std::string body = R"({"model":"r","stream":true,"messages":[{"role":"user","content":"the-prompts-own-words"}],)"
                           R"("user":"a-person","metadata":{"note":"a-note-of-the-client"}})";
  const http_response answered =
      post(body, std::string(as_operator) + "x-request-id: a-clients-own-id\r\nx-provider-key-p: sk-a-callers-own-key\r\n");
  ASSERT_NE(answered.body.find("the-answers-own-words"), std::string::npos);
  ASSERT_FALSE(race_of(answered, as_operator).is_null());
  const std::string seen = get("/v1/feed", as_operator).body + get("/v1/races?limit=200", as_operator).body;
  ASSERT_NE(seen.find("\"failed\""), std::string::npos);
  for (const char* secret : {"the-prompts-own-words", "the-answers-own-words", "the-failures-own-words", "sk-the-gateways-own-key", "a-clients-own-id",
                             "sk-a-callers-own-key", "key-of-operator", "a-person", "a-note-of-the-client", "operator"})
    EXPECT_EQ(seen.find(secret), std::string::npos) << secret;
}

TEST_F(live_feed_test, WhatIsNotANumberOrAWindowIsToldSo) {
  scripted_provider provider(streams({"hi"}));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  EXPECT_EQ(get("/v1/feed?since=yesterday").status, 400);
  EXPECT_EQ(get("/v1/races?limit=-1").status, 400);
  EXPECT_EQ(get("/v1/providers/stats?window=1h").status, 400);
  EXPECT_EQ(json::parse(get("/v1/providers/stats?window=15m").body).at("window_seconds"), 900);
  EXPECT_EQ(json::parse(get("/v1/providers/stats").body).at("window_seconds"), 259'200);
}

}  // namespace
}  // namespace photofinish::testing
