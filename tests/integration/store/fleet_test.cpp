// Several gateways and a real redis-server: sums of use, receipts, and which gateways an answer covers.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/redis_program.hpp"

#include <nlohmann/json.hpp>

#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;

class fleet_test : public gateway_fixture {
 protected:
  fleet_test() {
    add("a", provider).prices = {{"m", *proxy::parse_prices("0/1000000")}};
    add("b", provider);
    add_route("fast", {"a/m"});
    add_route("by speed", {"a/m", "b/m"}, racing::race_policy::adaptive);  // receipts are kept then
    settings.workers = 1;
    keeping.tick = 20ms;
  }
  void SetUp() override {
    if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
    store = std::make_unique<redis_program>();
    settings.store.timeout = 2000ms;
  }
  void use_store(const std::string& url) { settings.store.url = proxy::secret(url); }
  gateway::config named(const std::string& name) {
    gateway::config made = settings;
    made.tracing.resource["service.instance.id"] = name;
    return made;
  }
  void start_two() {
    gateway = std::make_unique<running_gateway>(named("one"), keeping, speaks);
    other = std::make_unique<running_gateway>(named("two"), keeping, speaks);
  }
  void change_over() { std::swap(gateway, other); }
  void ask(int times) {
    for (int each = 0; each < times; ++each) ASSERT_EQ(post(streamed("fast")).status, 200);
  }
  json usage(const std::string& query = "") {
    const http_response got = get("/v1/usage" + query);
    EXPECT_EQ(got.status, 200) << got.body;
    return json::parse(got.body);
  }
  // Of all buckets: a run at midnight has two.
  static std::uint64_t requests_of(const json& page) {
    std::uint64_t sum = 0;
    for (const json& bucket : page.at("data"))
      for (const json& row : bucket.at("results")) sum += row.at("num_model_requests").get<std::uint64_t>();
    return sum;
  }
  static std::int64_t nano_usd_of(const json& page) {
    double sum = 0;
    for (const json& bucket : page.at("data"))
      for (const json& row : bucket.at("results")) sum += row.at("cost_usd").get<double>();
    return static_cast<std::int64_t>(sum * 1e9 + 0.5);
  }
  bool becomes(std::uint64_t requests, const std::string& query = "") {
    return comes_true([&] { return requests_of(usage(query)) == requests; });
  }
  // Both know both: a report then has the parts of both.
  bool is_fleet(std::size_t gateways) {
    return comes_true([&] {
      const json page = usage();
      return page.at("gateway").is_null() && page.at("gateways").size() == gateways;
    });
  }

  scripted_provider provider{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
  std::unique_ptr<redis_program> store;
  std::unique_ptr<running_gateway> other;
};

TEST_F(fleet_test, EachGatewayReportsTheSumOfAllAndOneByItsName) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(3);
  change_over();
  ask(2);
  for (int each = 0; each < 2; ++each, change_over()) {
    EXPECT_TRUE(becomes(5)) << usage();
    EXPECT_EQ(nano_usd_of(usage()), 10'000'000'000);  // two tokens each, at a dollar
    EXPECT_TRUE(becomes(3, "?gateway=one"));
    EXPECT_TRUE(becomes(2, "?gateway=two"));
    EXPECT_TRUE(becomes(5, "?bucket_width=1h"));
  }
  EXPECT_EQ(usage("?gateway=two").at("gateway"), "two");
  EXPECT_EQ(get("/v1/usage?gateway=three").status, 404);
}

TEST_F(fleet_test, AGatewayThatHasStoppedIsStillCounted) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(4);
  change_over();
  ask(1);
  ASSERT_TRUE(becomes(5));
  other.reset();
  EXPECT_EQ(requests_of(usage()), 5u);
  EXPECT_EQ(requests_of(usage("?gateway=one")), 4u);
}

TEST_F(fleet_test, AnEmptiedStoreIsFilledAgainByThoseThatRun) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(3);
  ASSERT_TRUE(becomes(3));
  store->ask({"FLUSHALL"});
  change_over();
  EXPECT_TRUE(becomes(3));
}

TEST_F(fleet_test, AReceiptIsFoundWhereverItsRaceRan) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  const http_response answer = post(streamed("fast"));
  const std::string path = "/v1/races/" + answer.field_or("x-race-id", "none");
  http_response own, elsewhere;
  ASSERT_TRUE(comes_true([&] { return (own = get(path)).status == 200; }));
  change_over();
  ASSERT_TRUE(comes_true([&] { return (elsewhere = get(path)).status == 200; })) << elsewhere.body;
  EXPECT_EQ(json::parse(elsewhere.body).at("id"), json::parse(own.body).at("id"));
  EXPECT_EQ(json::parse(elsewhere.body).at("gateway"), "one");
  EXPECT_EQ(get("/v1/races/race_0000").status, 404);
}

TEST_F(fleet_test, AReceiptIsFoundElsewhereByItsOwnClientAlone) {
  settings.access_keys = {{"alice", proxy::secret("key-a"), {}}, {"bob", proxy::secret("key-b"), {}}};
  use_store(store->url());
  start_two();
  const std::string alice = "Authorization: Bearer key-a\r\n", bob = "Authorization: Bearer key-b\r\n";
  ASSERT_TRUE(comes_true([&] { return json::parse(get("/v1/usage", alice).body).at("gateways").size() == 2; }));
  const std::string path = "/v1/races/" + post(streamed("fast"), alice).field_or("x-race-id", "none");
  change_over();
  EXPECT_TRUE(comes_true([&] { return get(path, alice).status == 200; }));
  EXPECT_EQ(get(path, bob).status, 404);
}

TEST_F(fleet_test, WithoutAStoreAnAnswerNamesThisGatewayAlone) {
  start_two();
  ask(1);
  ASSERT_TRUE(becomes(1));
  const json page = usage();
  EXPECT_EQ(page.at("gateway"), "one");
  EXPECT_EQ(page.at("note"), "this gateway alone: no redis is configured");
  EXPECT_EQ(get("/v1/usage", "Accept: text/csv\r\n").field_or("x-photofinish-usage-of", ""), "gateway one");
}

TEST_F(fleet_test, StatisticsAreOfAllGatewaysOrOfOne) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(3);
  change_over();
  const auto attempts = [&](const std::string& query) {
    const http_response got = get("/v1/providers/stats" + query);
    if (got.status != 200) return std::string("status ") + std::to_string(got.status);
    const json page = json::parse(got.body);
    std::uint64_t sum = 0;
    for (const json& each : page.at("targets")) sum += each.at("ttft_seconds").at("count").get<std::uint64_t>();
    return page.at("gateway").dump() + " " + std::to_string(sum);
  };
  EXPECT_TRUE(comes_true([&] { return attempts("") == "null 3"; })) << attempts("");
  EXPECT_TRUE(comes_true([&] { return attempts("?gateway=one") == "\"one\" 3"; })) << attempts("?gateway=one");
  EXPECT_EQ(attempts("?gateway=two"), "\"two\" 0");
  EXPECT_EQ(attempts("?gateway=three"), "status 404");
}

TEST_F(fleet_test, TheFeedAddsUpAllGateways) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(3);
  change_over();
  ask(2);
  const auto requests = [&](const std::string& query) {
    const http_response got = get("/v1/feed" + query);
    if (got.status != 200) return std::string("status ") + std::to_string(got.status);
    const json page = json::parse(got.body);
    return page.at("gateway").dump() + " " + page.at("requests").at("total").dump();
  };
  EXPECT_TRUE(comes_true([&] { return requests("") == "null 5"; })) << requests("");
  EXPECT_TRUE(comes_true([&] { return requests("?gateway=one") == "\"one\" 3"; })) << requests("?gateway=one");
  EXPECT_TRUE(comes_true([&] { return requests("?gateway=two") == "\"two\" 2"; })) << requests("?gateway=two");
  EXPECT_EQ(requests("?gateway=three"), "status 404");
}

TEST_F(fleet_test, RacesOfAllGatewaysAreListedWithTheirNames) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(2);
  change_over();
  ask(1);
  const auto names = [&](const std::string& query) {
    std::string all;
    const http_response got = get("/v1/races" + query);
    if (got.status != 200) return std::string("status ") + std::to_string(got.status);
    const json page = json::parse(got.body);
    for (const json& each : page.at("data")) all += each.at("gateway").get<std::string>() + " ";
    return all;
  };
  EXPECT_TRUE(comes_true([&] { return names("") == "two one one "; })) << names("");
  EXPECT_EQ(names("?limit=1"), "two ");
  EXPECT_EQ(names("?gateway=one"), "one one ");
  EXPECT_EQ(names("?gateway=three"), "status 404");
}

TEST_F(fleet_test, AdviceIsComputedFromTheRacesOfAllGateways) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  for (int each = 0; each < 2; ++each, change_over())
    for (int times = 0; times < 2; ++times) ASSERT_EQ(post(streamed("by speed")).status, 200);
  const json page = json::parse(get("/v1/advice").body);
  EXPECT_TRUE(page.at("gateway").is_null()) << page;
  EXPECT_NE(page.at("note").get<std::string>().find("estimates"), std::string::npos);
  for (const json& each : page.at("gateways")) EXPECT_EQ(each.at("is_counted"), true) << page;
  EXPECT_EQ(json::parse(get("/v1/advice?gateway=two").body).at("gateway"), "two");
  EXPECT_EQ(get("/v1/advice?gateway=three").status, 404);
}

// A gateway that was killed or hangs leaves its entry, and gives no sign of life.
TEST_F(fleet_test, ASilentGatewayIsListedAndItsNameIsNotUnknown) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  const std::string a_minute_ago = std::to_string(std::time(nullptr) - 60);
  store->ask({"HSET", "pf:stats:gateways", "0123456789abcdef",
              R"({"name":"ghost","book":"00112233445566ff","queries":true,"heard":[],"at":)" + a_minute_ago + "}"});
  const json silent{{"name", "ghost"}, {"is_running", false}, {"is_counted", false}};
  ASSERT_TRUE(comes_true([&] { return json::parse(get("/v1/races").body).at("gateways").at(0) == silent; }));
  EXPECT_TRUE(json::parse(get("/v1/races").body).at("note").is_string());
  const auto lists_silent = [&] {
    const json page = json::parse(get("/v1/feed").body);
    return page.at("gateways").at(0) == silent && page.at("note").is_string();
  };
  EXPECT_TRUE(comes_true(lists_silent));
  for (const char* path : {"/v1/races", "/v1/feed", "/v1/advice", "/v1/providers/stats"}) {
    const http_response got = get(std::string(path) + "?gateway=ghost");
    EXPECT_EQ(got.status, 503) << path << got.body;
    EXPECT_NE(got.body.find("gateway_silent"), std::string::npos) << got.body;
    EXPECT_EQ(got.field_or("retry-after", ""), "1") << path;
  }
  EXPECT_EQ(get("/v1/usage?gateway=ghost").status, 200);
  EXPECT_EQ(get("/v1/races/race_0000").status, 404);  // all that run have answered
}

TEST_F(fleet_test, WhileTheStoreIsFrozenNoNameAndNoReceiptIsUnknown) {
  settings.store.timeout = 200ms;
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  store->freeze();
  ASSERT_TRUE(comes_true([this] { return usage().at("gateway") == "one"; }));
  for (const char* path : {"/v1/races/race_0000", "/v1/races?gateway=two", "/v1/feed?gateway=two",
                           "/v1/advice?gateway=two", "/v1/providers/stats?gateway=two"}) {
    const http_response got = get(path);
    EXPECT_EQ(got.status, 503) << path << got.body;
    EXPECT_NE(got.body.find("gateway_silent"), std::string::npos) << got.body;
    EXPECT_EQ(got.field_or("retry-after", ""), "1") << path;
  }
  EXPECT_EQ(get("/v1/races?gateway=one").status, 200);
  store->thaw();
}

// A gateway of an older version gives signs of life, and writes nothing else of this.
TEST_F(fleet_test, AnOlderVersionsPartIsNamedAsMissing) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  store->ask({"HSET", "pf:live", "0123456789abcdef", "99999999999999"});
  ASSERT_TRUE(is_fleet(3));
  const json page = usage();
  const json missing{{"name", "0123456789abcdef"}, {"is_running", true}, {"is_counted", false}};
  EXPECT_EQ(page.at("gateways").at(0), missing);
  EXPECT_TRUE(page.at("note").is_string());
}

TEST_F(fleet_test, TheDocumentedUserSuffices) {
  store->ask({"ACL", "SETUSER", "pf", "on", ">secret", "~pf:spend:*", "~pf:post:*", "~pf:live", "~pf:cool",
              "~pf:stats:*", "~pf:rate:*", "~pf:permits:*", "%R~pf:key*", "-@all", "+@scripting", "+get", "+set",
              "+hset", "+hdel", "+hgetall", "+incrby", "+expire", "+time", "+zcard", "+zrangebyscore", "+getrange"});
  use_store("redis://pf:secret@127.0.0.1:" + std::to_string(store->port()));
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(2);
  change_over();
  EXPECT_TRUE(becomes(2));
}

TEST_F(fleet_test, AUserWithoutTheseRightsLosesNothingElse) {
  store->ask({"ACL", "SETUSER", "poor", "on", ">secret", "~pf:spend:*", "~pf:post:*", "~pf:live", "~pf:cool",
              "~pf:rate:*", "~pf:permits:*", "-@all", "+@scripting", "+get", "+set", "+hset", "+hdel", "+hgetall",
              "+incrby", "+expire", "+time"});
  use_store("redis://poor:secret@127.0.0.1:" + std::to_string(store->port()));
  start_two();
  ask(2);
  EXPECT_TRUE(comes_true([this] {
    return usage().at("note") == "this gateway alone: the store cannot be used (permission)";
  })) << usage();
  EXPECT_EQ(requests_of(usage()), 2u);
}

TEST_F(fleet_test, AFrozenStoreLeavesTheReportOfThisGateway) {
  settings.store.timeout = 200ms;
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(2);
  store->freeze();
  EXPECT_TRUE(comes_true([this] { return usage().at("gateway") == "one"; }));
  EXPECT_EQ(requests_of(usage()), 2u);
  ask(1);  // no request waits for it
  store->thaw();
  EXPECT_TRUE(comes_true([this] { return usage().at("gateway").is_null(); }));
}

}  // namespace
}  // namespace photofinish::testing
