// Tests access keys in a real redis-server. The photofinish command creates and revokes the keys, and gateway processes read them.
#include "tests/integration/server/asked_process.hpp"
#include "tests/support/gateway/run_command.hpp"
#include "tests/support/network/redis_program.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

class StoredKeys : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
    store = std::make_unique<redis_program>();
  }

  std::string config(const std::string& more = "", const std::string& url = "") const {
    return one_provider(provider, "teams: {search: {}}\nredis: {url: \"" + (url.empty() ? store->url() : url) +
                                      "\", access_keys: true}\n" + more);
  }
  static command_end keys(const gateway_process& at, const std::string& arguments, const std::string& piped = "") {
    return run_photofinish("keys " + arguments + " --redis -c " + at.config_file(), piped);
  }
  static http_response ask_with(const gateway_process& at, const std::string& key) {
    return ask(at.port(), "authorization: Bearer " + key + "\r\n");
  }
  static bool answers(const gateway_process& at, const std::string& key, int status) {
    return comes_true([&] { return ask_with(at, key).status == status; });
  }
  static bool says(const gateway_process& at, const std::string& text) {
    return comes_true([&] { return at.output().find(text) != std::string::npos; });
  }
  // Writes an entry for a key directly to the store, as an operator might do.
  void put(const std::string& id, const std::string& entry, const std::string& revision = "") const {
    store->ask({"SET", "pf:key:" + id, entry});
    store->ask({"ZADD", "pf:keys", revision.empty() ? now() : revision, id});
  }
  void make_twelve_hundred() const {
    store->ask({"EVAL", R"lua(
for at = 1, 1200 do
  local id = string.format('pf-%012d', at)
  redis.call('SET', 'pf:key:' .. id, string.format('{name: n%d, key_hash: "sha256:%064x"}', at, at))
  redis.call('ZADD', 'pf:keys', at <= 600 and 1000 or 1000 + at, id)
end)lua", "0"});
  }
  // Runs `command` on the store after the gateway has read the first page of keys and before it reads the second page. The command must
  // return `result`.
  void expect_all_read_beside(const std::vector<std::string>& command, std::int64_t result) const {
    make_twelve_hundred();
    std::atomic<bool> is_done = false;
    const scripted_server between([&](peer& gateway) {
      const auto to = store->connect();
      std::jthread back([&] {
        for (std::string reply = to->read_some(); !reply.empty() && gateway.write(reply);) reply = to->read_some();
      });
      for (std::string asked = gateway.read_some(); !asked.empty(); asked = gateway.read_some()) {
        const bool is_second_page = asked.find("LIMIT\r\n$3\r\n499\r\n") != std::string::npos;
        if (is_second_page && !is_done) is_done = store->ask(command).number() == result;
        if (!to->write(asked)) break;
      }
      to->stop();
    });
    const gateway_process gateway({.config = config("", "redis://127.0.0.1:" + std::to_string(between.port()))});
    EXPECT_TRUE(says(gateway, "access keys of the store: 1200 in use, 0 left out")) << gateway.output();
    EXPECT_TRUE(is_done);
    EXPECT_EQ(gateway.output().find("access keys of the store: 1199"), std::string::npos);
  }
  static std::string now() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
  }

  scripted_provider provider{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.end();
  }};
  std::unique_ptr<redis_program> store;
};

// The hash of the access key "door".
constexpr const char* door_hash = "sha256:2534e2de1dec24fedab4c00266b55ba9ba60dde03a349c5b5662189dd561ba9e";

TEST_F(StoredKeys, AKeyOpensEachGatewayUntilItIsRevoked) {
  const gateway_process one({.config = config()}), two({.config = config()});
  EXPECT_EQ(ask(one.port()).status, 401) << "an empty list opens nothing";
  const command_end made = keys(one, "new alice --team search --set rpm_limit=600");
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const std::string key = made.first_line();
  EXPECT_TRUE(answers(one, key, 200));
  EXPECT_TRUE(answers(two, key, 200));
  EXPECT_EQ(ask_with(two, key).field_or("x-ratelimit-limit-requests", ""), "600");
  EXPECT_TRUE(says(two, "client=alice team=search"));
  EXPECT_EQ(store->ask({"GET", "pf:key:" + key.substr(0, 15)}).text.find(key), std::string::npos);

  const command_end shown = keys(one, "inspect", key);
  EXPECT_NE(shown.output.find("name: alice\nteam: search\nrpm_limit: 600\n"), std::string::npos) << shown.output;
  EXPECT_EQ(keys(one, "new alice").exit_code, 1) << "a name is given once";

  const command_end revoked = keys(two, "revoke alice");
  EXPECT_EQ(revoked.exit_code, 0) << revoked.output;
  EXPECT_TRUE(answers(one, key, 401));
  EXPECT_TRUE(answers(two, key, 401));
  EXPECT_NE(ask_with(one, key).error("message").find("blocked"), std::string::npos);
}

TEST_F(StoredKeys, AKeyIsRevokedByWhatOfItMayBeShownOrByItself) {
  const gateway_process gateway({.config = config()});
  const std::string one = keys(gateway, "new one").first_line(), two = keys(gateway, "new two").first_line();
  ASSERT_TRUE(answers(gateway, one, 200) && answers(gateway, two, 200));
  EXPECT_EQ(keys(gateway, "revoke " + one.substr(0, 15)).exit_code, 0);
  EXPECT_EQ(keys(gateway, "revoke", two).exit_code, 0);
  EXPECT_TRUE(answers(gateway, one, 401) && answers(gateway, two, 401));
  const command_end unknown = keys(gateway, "revoke three");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_EQ(unknown.output, "error: the store has no key 'three': if the store has lost the key, give the key's "
                            "public part to revoke it\n");
}

TEST_F(StoredKeys, AKeyIsChangedAndOpenedAgain) {
  const gateway_process gateway({.config = config()});
  const std::string key = keys(gateway, "new alice --set rpm_limit=600").first_line();
  ASSERT_TRUE(answers(gateway, key, 200));
  const command_end changed = keys(gateway, "set alice --team search --set rpm_limit=1200");
  ASSERT_EQ(changed.exit_code, 0) << changed.output;
  EXPECT_TRUE(comes_true([&] { return ask_with(gateway, key).field_or("x-ratelimit-limit-requests", "") == "1200"; }));
  ASSERT_EQ(keys(gateway, "revoke alice").exit_code, 0);
  ASSERT_TRUE(answers(gateway, key, 401));
  ASSERT_EQ(keys(gateway, "set " + key.substr(0, 15) + " --set blocked= --set rpm_limit=").exit_code, 0);
  EXPECT_TRUE(answers(gateway, key, 200));
  EXPECT_NE(keys(gateway, "inspect", key).output.find("name: alice\nteam: search\n"), std::string::npos);
  EXPECT_EQ(keys(gateway, "set alice --team serach").output, "error: team: unknown team 'serach'; did you mean 'search'?\n");
  EXPECT_EQ(keys(gateway, "set alice").exit_code, 2);
}

TEST_F(StoredKeys, AnEntryThatIsWrongIsLeftOutAndOthersHold) {
  const gateway_process gateway({.config = config("access_keys: [{name: own, key: own-0123}]\n")});
  const std::string key = keys(gateway, "new alice").first_line();
  put("pf-wrong-team", R"({name: eve, team: serach, key_hash: ")" + std::string(door_hash) + "\"}");
  put("pf-reaches", R"({name: "${HOME}", key_hash: ")" + std::string(door_hash) + "\"}");
  put("pf-plain", "{name: mallory, key: plain-0123}");
  put("pf-twice", R"({name: own, key_hash: ")" + std::string(door_hash) + "\"}");
  put("pf-long", "{name: long, key_hash: " + std::string(5000, 'x') + "}");
  store->ask({"HSET", "pf:key:pf-hash", "a", "b"});
  store->ask({"ZADD", "pf:keys", now(), "pf-hash"});
  EXPECT_TRUE(says(gateway, "access key pf-wrong-team of the store is left out: team: unknown team 'serach'; did"));
  EXPECT_TRUE(says(gateway, "access key pf-reaches of the store is left out: "));
  EXPECT_TRUE(says(gateway, "access key pf-plain of the store is left out: key: the store does not contain keys"));
  EXPECT_TRUE(says(gateway, "access key pf-twice of the store is left out: name: 'own' is listed twice"));
  EXPECT_TRUE(says(gateway, "access key pf-long of the store is left out: has more than 4096 bytes"));
  EXPECT_TRUE(answers(gateway, key, 200));
  EXPECT_EQ(ask_with(gateway, "own-0123").status, 200);
  EXPECT_EQ(ask_with(gateway, "plain-0123").status, 401);
  const std::string home = std::getenv("HOME") == nullptr ? "/root" : std::getenv("HOME");
  EXPECT_EQ(gateway.output().find("'" + home + "'"), std::string::npos);
}

TEST_F(StoredKeys, WhatTheStoreHasForgottenStaysAsItWas) {
  const gateway_process gateway({.config = config()});
  const std::string alice = keys(gateway, "new alice").first_line(), eve = keys(gateway, "new eve").first_line();
  ASSERT_TRUE(answers(gateway, alice, 200));
  ASSERT_EQ(keys(gateway, "revoke eve").exit_code, 0);
  ASSERT_TRUE(answers(gateway, eve, 401));
  store->ask({"FLUSHALL"});
  const std::string bob = keys(gateway, "new bob").first_line();
  EXPECT_TRUE(answers(gateway, bob, 200)) << "its revision is above those that went";
  EXPECT_EQ(ask_with(gateway, alice).status, 200);
  EXPECT_EQ(ask_with(gateway, eve).status, 401);
  const gateway_process later({.config = config()});
  EXPECT_TRUE(answers(later, bob, 200));
  EXPECT_EQ(ask_with(later, alice).status, 401);

  EXPECT_EQ(keys(gateway, "revoke", alice).exit_code, 0) << "by a revision without an entry";
  EXPECT_TRUE(answers(gateway, alice, 401));
  const std::string again = keys(gateway, "new eve").first_line();
  EXPECT_TRUE(answers(gateway, again, 200)) << "what the store has comes before what it has lost";
  gateway.write_config(config("share_keys: true\n", store->url() + "/0"));
  gateway.signal(SIGHUP);
  ASSERT_TRUE(says(gateway, "configuration reloaded"));
  EXPECT_TRUE(answers(gateway, bob, 200)) << "the same store by another name";
}

// A person wrote a revision that is invalid because it is in nanoseconds. The gateway skips only this entry, and reads the entries after
// it.
TEST_F(StoredKeys, ARevisionThatIsNoTimeIsLeftOutAlone) {
  const gateway_process gateway({.config = config()});
  const std::string alice = keys(gateway, "new alice").first_line();
  ASSERT_TRUE(answers(gateway, alice, 200));
  put("pf-hand", R"({name: hand, key_hash: ")" + std::string(door_hash) + "\"}", now() + "000");
  store->ask({"ZADD", "pf:keys", "+inf", "pf-inf"});
  const std::string bob = keys(gateway, "new bob").first_line();
  EXPECT_TRUE(answers(gateway, bob, 200));
  EXPECT_EQ(keys(gateway, "revoke alice").exit_code, 0);
  EXPECT_TRUE(answers(gateway, alice, 401));
  const gateway_process later({.config = config()});
  EXPECT_TRUE(says(later, "pf:keys has 2 members that are not key ids"));
  EXPECT_TRUE(answers(later, bob, 200));
}

TEST_F(StoredKeys, AKeyIsMeantByItselfAndNoOtherOne) {
  const gateway_process gateway({.config = config()});
  const std::string one = keys(gateway, "new one").first_line();
  ASSERT_TRUE(answers(gateway, one, 200));
  const std::string id = one.substr(0, 15), guessed = id + "-" + std::string(43, 'x');
  EXPECT_EQ(keys(gateway, "new " + id).exit_code, 2) << "no name like a public part";
  EXPECT_EQ(keys(gateway, "inspect", guessed).exit_code, 1);
  EXPECT_EQ(keys(gateway, "revoke", guessed).exit_code, 1);
  EXPECT_EQ(ask_with(gateway, one).status, 200);
  const command_end revoked = keys(gateway, "revoke", one);
  EXPECT_EQ(revoked.output, "'one' (" + id + ") is blocked in the store; gateways refuse it within 2 s\n");
  EXPECT_EQ(keys(gateway, "revoke one").exit_code, 0) << "once more";
  const std::string two = keys(gateway, "new lines").first_line();
  put("pf--hand", "name: lines\nkey_hash: \"" + std::string(door_hash) + "\"\n");
  EXPECT_TRUE(answers(gateway, "door", 200)) << "of two with one name the first by its id, as - is";
  EXPECT_EQ(keys(gateway, "revoke pf--hand").exit_code, 0);
  EXPECT_TRUE(answers(gateway, "door", 401));
  EXPECT_EQ(keys(gateway, "revoke lines").output.substr(0, 25), "'lines' (" + two.substr(0, 15) + ")");
}

// The store's user may not read keys. The gateway's limits and budgets must still work.
TEST_F(StoredKeys, AUserThatMayNotReadThemHasItsLimitsAllTheSame) {
  store = std::make_unique<redis_program>(
      "user pf on >secret ~pf:* -@all +@scripting +get +set +hset +hdel +hgetall +incrby +expire +time");
  const std::string url = "redis://pf:secret@127.0.0.1:" + std::to_string(store->port());
  const gateway_process gateway({.config = config("access_keys: [{name: own, key: own-0123, rpm_limit: 600}]\n", url)});
  EXPECT_TRUE(says(gateway, "cannot be used (permission"));
  for (int each = 0; each < 20; ++each) ASSERT_EQ(ask_with(gateway, "own-0123").status, 200);
  EXPECT_TRUE(comes_true([&] {
    test_client client(gateway.port());
    client.get("/metrics", "authorization: Bearer own-0123\r\n");
    const std::string page = client.read().body;
    return page.find("\nphotofinish_store_up 1\n") != std::string::npos &&
           page.find("\nphotofinish_limits_degraded 0\n") != std::string::npos;
  }));
}

TEST_F(StoredKeys, WhileNothingWasReadItsKeysAreAskedToWait) {
  const gateway_process before({.config = config()});
  const std::string key = keys(before, "new alice").first_line();
  ASSERT_TRUE(answers(before, key, 200));
  store->freeze();
  const gateway_process gateway({.config = config("access_keys: [{name: own, key: own-0123}]\n")});
  ASSERT_TRUE(comes_true([&] { return fetch(gateway.port(), "/readyz").status == 200; })) << "its own keys are served";
  const http_response refused = ask_with(gateway, key);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.error("code"), "access_keys_unavailable");
  EXPECT_EQ(refused.field_or("retry-after", ""), "1");
  EXPECT_EQ(ask_with(gateway, "not-one-of-ours").status, 401);
  EXPECT_EQ(ask_with(gateway, "own-0123").status, 200);
  EXPECT_EQ(ask_with(before, key).status, 200) << "it knows";
  const command_end failed = keys(gateway, "new bob");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.output.find("error: the store cannot be used: timeout"), std::string::npos) << failed.output;
  store->thaw();
  EXPECT_TRUE(answers(gateway, key, 200));
}

TEST_F(StoredKeys, AReloadKeepsThemAndABrokenFileHoldsUpNoRevocation) {
  const gateway_process gateway({.config = config()});
  const std::string key = keys(gateway, "new alice").first_line();
  ASSERT_TRUE(answers(gateway, key, 200));
  gateway.write_config(config("share_keys: true\n"));
  gateway.signal(SIGHUP);
  ASSERT_TRUE(says(gateway, "configuration reloaded"));
  EXPECT_EQ(ask_with(gateway, key).status, 200);
  gateway.write_config("redis: [\n");
  gateway.signal(SIGHUP);
  ASSERT_TRUE(says(gateway, "the old one stays in use"));
  const gateway_process other({.config = config()});
  ASSERT_EQ(keys(other, "revoke alice").exit_code, 0);
  EXPECT_TRUE(answers(gateway, key, 401));
}

// The store behaves like a replica that was promoted before it had received the revocation of a key. The store has fewer key ids than the
// gateway has read before, so the gateway checks all of its keys again.
TEST_F(StoredKeys, AStoreThatHasLostARevocationOpensNothing) {
  const gateway_process gateway({.config = config()});
  const std::string alice = keys(gateway, "new alice").first_line(), bob = keys(gateway, "new bob").first_line();
  ASSERT_TRUE(answers(gateway, alice, 200) && answers(gateway, bob, 200));
  const std::string id = alice.substr(0, 15);  // the id, which is the part of the key that is not secret
  const std::string entry = store->ask({"GET", "pf:key:" + id}).text, revision = store->ask({"ZSCORE", "pf:keys", id}).text;
  ASSERT_EQ(keys(gateway, "revoke alice").exit_code, 0);
  ASSERT_TRUE(answers(gateway, alice, 401));
  put(id, entry, revision);
  store->ask({"ZREM", "pf:keys", bob.substr(0, 15)});
  const std::string carol = keys(gateway, "new carol").first_line();
  ASSERT_TRUE(answers(gateway, carol, 200));
  ASSERT_TRUE(answers(gateway, keys(gateway, "new dave").first_line(), 200)) << "one reading more";
  EXPECT_EQ(ask_with(gateway, alice).status, 401);
  EXPECT_EQ(ask_with(gateway, bob).status, 200);

  const std::string door = "{name: door, key_hash: \"" + std::string(door_hash) + "\"";
  put("door", door + "}");
  ASSERT_TRUE(answers(gateway, "door", 200));
  put("door", door + ", blocked: true}", revision);  // this revision comes from a machine whose clock is slow
  store->ask({"ZREM", "pf:keys", id});
  EXPECT_TRUE(answers(gateway, "door", 401));
}

// The test writes a revocation to the store without a new revision, so no
// gateway has read it. The command must still make the revocation known.
TEST_F(StoredKeys, ARevocationThatStandsThereAlreadyIsMadeKnown) {
  const gateway_process gateway({.config = config()});
  const std::string alice = keys(gateway, "new alice").first_line();
  ASSERT_TRUE(answers(gateway, alice, 200));
  ASSERT_EQ(keys(gateway, "revoke alice").exit_code, 0);
  ASSERT_TRUE(answers(gateway, alice, 401));
  const std::string name = "pf:key:" + alice.substr(0, 15), blocked = store->ask({"GET", name}).text;
  ASSERT_EQ(keys(gateway, "set alice --set blocked=").exit_code, 0);
  ASSERT_TRUE(answers(gateway, alice, 200));
  store->ask({"SET", name, blocked});
  EXPECT_EQ(keys(gateway, "revoke alice").exit_code, 0);
  EXPECT_TRUE(answers(gateway, alice, 401));
}

TEST_F(StoredKeys, TheyMayBeTurnedOffAndOnAgainWhereThereAreNone) {
  const std::string own = "access_keys: [{name: own, key: own-0123}]\nallow_emptying: true\n";
  const gateway_process gateway({.config = config(own)});
  const std::string invented = "pf-k3v9t2m4s6q8-" + std::string(43, 'a');
  ASSERT_TRUE(answers(gateway, invented, 401));
  const std::string without = one_provider(provider, "redis: {url: \"" + store->url() + "\"}\n" + own);
  for (const std::string& next : {without, config(own)}) {
    const std::size_t before = gateway.output().size();
    gateway.write_config(next);
    gateway.signal(SIGHUP);
    ASSERT_TRUE(comes_true([&] { return gateway.output().find("configuration reloaded", before) != std::string::npos; }));
  }
  EXPECT_TRUE(answers(gateway, invented, 401)) << "it was read that there are none";
}

TEST_F(StoredKeys, AThousandAreReadInPages) {
  make_twelve_hundred();
  const gateway_process gateway({.config = config("open_metrics: true\n")});
  EXPECT_TRUE(says(gateway, "access keys of the store: 1200 in use, 0 left out"));
  const std::string metrics = fetch(gateway.port(), "/metrics").body;
  EXPECT_NE(metrics.find("\nphotofinish_store_access_keys 1200\n"), std::string::npos);
  const std::string key = keys(gateway, "new alice").first_line();
  EXPECT_TRUE(answers(gateway, key, 200));
}

// If a key changes or is deleted after the first page was read, the following keys move to other positions in the list.
TEST_F(StoredKeys, AKeyThatMovesBetweenTwoPagesHidesNoOther) {
  expect_all_read_beside({"ZADD", "pf:keys", now(), "pf-000000000001"}, 0);
}

TEST_F(StoredKeys, AKeyThatIsTakenOutBetweenTwoPagesHidesNoOther) {
  expect_all_read_beside({"ZREM", "pf:keys", "pf-000000000001"}, 1);
}

// A store user with exactly the rights that docs/operating/keys-in-the-store.md gives to gateways. Such a user cannot create keys.
TEST_F(StoredKeys, AUserThatCannotMakeKeysIsEnoughForAGateway) {
  store = std::make_unique<redis_program>(
      "user pf on >secret ~pf:spend:* ~pf:post:* ~pf:live ~pf:cool ~pf:stats:* ~pf:rate:* ~pf:permits:* %R~pf:key* "
      "-@all +@scripting +get +set +hset +hdel +hgetall +incrby +expire +time +zcard +zrangebyscore +getrange\n"
      "user keys on >other ~pf:key* -@all +@scripting +get +getrange +hget +set +del +exists +hset +zadd "
      "+zrevrangebyscore +time");
  const std::string rest = "@127.0.0.1:" + std::to_string(store->port());
  const gateway_process gateway({.config = config("", "redis://pf:secret" + rest)});
  const command_end refused = keys(gateway, "new eve");
  EXPECT_EQ(refused.exit_code, 1) << refused.output;
  const gateway_process boss({.config = config("", "redis://keys:other" + rest)});
  const std::string key = keys(boss, "new alice").first_line();
  EXPECT_TRUE(answers(gateway, key, 200));
  EXPECT_EQ(keys(boss, "set alice --set rpm_limit=60").exit_code, 0);
  EXPECT_EQ(keys(boss, "inspect", key).exit_code, 0);
  EXPECT_EQ(keys(boss, "revoke alice").exit_code, 0);
  EXPECT_TRUE(answers(gateway, key, 401));
}

TEST_F(StoredKeys, TheCommandSaysWhatIsMissing) {
  const gateway_process without({.config = one_provider(provider)});
  EXPECT_EQ(keys(without, "new alice").output, "error: the configuration has no `redis`\n");
  const gateway_process gateway({.config = config()});
  EXPECT_EQ(keys(gateway, "new alice --team serach").output, "error: team: unknown team 'serach'; did you mean 'search'?\n");
  EXPECT_NE(keys(gateway, "new alice --set rpm=3").output.find("must be NAME=VALUE with a setting of access_keys"),
            std::string::npos);
  EXPECT_EQ(keys(gateway, "new alice --set rpm_limit=many").exit_code, 2);
  EXPECT_EQ(store->ask({"ZCARD", "pf:keys"}).integer, 0);
}

}  // namespace
}  // namespace photofinish::testing
