// Tests several gateways with a redis-server that loses keys, refuses commands, or freezes. Also tests gateways whose heartbeat stops.
#include "tests/integration/store/fleet_fixture.hpp"

#include <ctime>
#include <filesystem>
#include <string>
#include <thread>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;

class fleet_loss_test : public fleet_fixture {};

// Keys are lost if the store evicts them, or if a person deletes them.
TEST_F(fleet_loss_test, LostAndReplacedPartsAreWrittenAgain) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(3);
  change_over();
  ASSERT_TRUE(becomes(3));
  for (const std::string& key : usage_keys()) {
    store->ask({"DEL", key});
    EXPECT_TRUE(becomes_whole(3)) << "without " << key << ": " << usage();
    store->ask({"SET", key, "of another type"});
    EXPECT_TRUE(becomes_whole(3)) << key << " of another type: " << usage();
  }
}

TEST_F(fleet_loss_test, AStoppedGatewaysLostPartIsNamed) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(3);
  change_over();
  ASSERT_TRUE(becomes(3));
  other.reset();
  for (const std::string& key : usage_keys())
    if (key.find(".0") != std::string::npos) store->ask({"DEL", key});
  // The other gateway reads the list of gateways only once a second. Until then it counts the stopped gateway as a running gateway whose
  // name it does not know.
  const json lost{{"name", "one"}, {"is_running", false}, {"is_counted", false}};
  EXPECT_TRUE(comes_true([&] { return usage().at("gateways").at(1) == lost; })) << usage();
  const json page = usage();
  EXPECT_NE(page.at("note").dump().find("the store has lost a part of the usage"), std::string::npos) << page;
}

// The store has an entry for each running gateway. The entry lists the time buckets of the gateway's usage, and the generation of the store
// in which the buckets were written.
TEST_F(fleet_loss_test, ARunningGatewaysMissingBucketIsNotCounted) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  const std::string today = std::to_string(std::time(nullptr) / 86'400), now = std::to_string(std::time(nullptr));
  const std::string since = store->ask({"GET", "pf:stats:usage:since"}).text;
  const auto enter = [&](const std::string& filled) {
    store->ask({"HSET", "pf:stats:gateways", "0123456789abcdef",
                R"({"name":"ghost","book":"00112233445566ff","listed":{"d":[)" + today + "," + today + R"(]},"filled":)" +
                    filled + R"(,"at":)" + now + "}"});
  };
  const auto notes = [&](const std::string& text) {
    return comes_true([&] { return usage().at("note").dump().find(text) != std::string::npos; });
  };
  enter(since);
  EXPECT_TRUE(notes("the store has lost a part of the usage, or has values of another type under its keys: of ghost"));
  const json missing{{"name", "ghost"}, {"is_running", true}, {"is_counted", false}};
  EXPECT_EQ(usage().at("gateways").at(0), missing);
  enter("1");
  EXPECT_TRUE(notes("the store was emptied"));
}

TEST_F(fleet_loss_test, NoReportOfAnEmptiedStoreCallsItselfWhole) {
  use_store(store->url());
  start_two();
  ASSERT_TRUE(is_fleet(2));
  ask(3);
  change_over();
  ask(2);
  ASSERT_TRUE(becomes_whole(5));
  // The usage in an emptied store begins at a later second. This is how a gateway detects that the store was emptied. It cannot detect this
  // if the store is emptied in the same second in which its usage began.
  const std::time_t since = std::stoll(store->ask({"GET", "pf:stats:usage:since"}).text);
  ASSERT_TRUE(comes_true([&] { return std::time(nullptr) > since; }));
  store->ask({"FLUSHALL"});
  std::size_t wrong = 0;
  const auto is_filled = [&] {
    const json page = usage();
    const bool is_right = requests_of(page) == 5 && page.at("gateway").is_null();
    if (!is_right && page.at("note").is_null()) ++wrong;
    return is_right && page.at("note").is_null();
  };
  EXPECT_TRUE(comes_true(is_filled)) << usage();
  EXPECT_EQ(wrong, 0u);
}

TEST_F(fleet_loss_test, ABookThatWasNotSavedIsRaisedFromTheStore) {
  const temporary_folder folder;
  use_store(store->url());
  keeping.state_dir = folder.path();
  gateway = std::make_unique<running_gateway>(named("one"), keeping, speaks);
  ask(3);
  ASSERT_TRUE(becomes(3));
  const std::string id = folder.read("usage.id");
  gateway.reset();
  std::filesystem::remove(folder.path() / "usage");
  gateway = std::make_unique<running_gateway>(named("one"), keeping, speaks);
  EXPECT_EQ(folder.read("usage.id"), id);
  EXPECT_TRUE(becomes_whole(3)) << usage();
  ask(1);
  EXPECT_TRUE(becomes_whole(4)) << usage();
}

// A gateway that was killed or hangs remains in the list of gateways, although its heartbeat has stopped.
TEST_F(fleet_loss_test, ASilentGatewayIsListedAndItsNameIsNotUnknown) {
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
  EXPECT_EQ(get("/v1/races/race_0000").status, 404);  // the race certainly does not exist, because all running gateways have answered
}

TEST_F(fleet_loss_test, WhileTheStoreIsFrozenNoNameAndNoReceiptIsUnknown) {
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

TEST_F(fleet_loss_test, AUserWhoMayNotReadTheseKeysStillHasLimits) {
  store->ask({"ACL", "SETUSER", "writer", "on", ">secret", "~pf:spend:*", "~pf:post:*", "~pf:live", "~pf:cool",
              "~pf:rate:*", "~pf:permits:*", "%W~pf:stats:*", "-@all", "+@scripting", "+get", "+set", "+hset", "+hdel",
              "+hgetall", "+incrby", "+expire", "+time"});
  use_store("redis://writer:secret@127.0.0.1:" + std::to_string(store->port()));
  start();
  ASSERT_TRUE(comes_true([this] { return metric("photofinish_store_up") == 1; }));
  for (int each = 0; each < 50; ++each) {
    ASSERT_EQ(metric("photofinish_store_up"), 1);
    ASSERT_EQ(metric("photofinish_limits_degraded"), 0);
    std::this_thread::sleep_for(10ms);
  }
}

}  // namespace
}  // namespace photofinish::testing
