// Tests several gateways with a real redis-server: the total usage, receipts, and which gateways' figures a report contains.
#include "tests/integration/store/fleet_fixture.hpp"

#include <ctime>
#include <string>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;

class fleet_test : public fleet_fixture {};

TEST_F(fleet_test, EachGatewayReportsTheSumOfAllAndOneByItsName) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(3);
  change_over();
  ask(2);
  for (int each = 0; each < 2; ++each, change_over()) {
    EXPECT_TRUE(becomes(5)) << usage();
    EXPECT_EQ(nano_usd_of(usage()), 10'000'000'000);  // each request has two tokens, and each token costs a dollar
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
  settings.access.keys = {{"alice", proxy::secret("key-a"), {}}, {"bob", proxy::secret("key-b"), {}}};
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
  // Two gateways may list races in any order if the races began at nearly the same time.
  const std::time_t asked = std::time(nullptr);
  ASSERT_TRUE(comes_true([&] { return std::time(nullptr) > asked; }));
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

// Simulates a gateway of an older version. It writes its heartbeat to the store, but no usage and no receipts.
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
  ask(1);  // the request does not wait for the frozen store
  store->thaw();
  EXPECT_TRUE(comes_true([this] { return usage().at("gateway").is_null(); }));
}

}  // namespace
}  // namespace photofinish::testing
