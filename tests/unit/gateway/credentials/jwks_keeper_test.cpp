// Tests when the gateway requests the keys of an identity provider. The test advances the clock.
#include "gateway/credentials/jwks_keeper.hpp"

#include "tests/support/gateway/token_issuer.hpp"
#include "tests/support/manual_alarms.hpp"
#include "tests/unit/gateway/credentials/played_tokens.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr const char* sso = "https://sso.example.com";

class JwksKeeper : public ::testing::Test {
 protected:
  JwksKeeper() { answer(200, issuer_.key_set()); }

  void answer(int status, const std::string& body) {
    world_.servers[sso] = [status, body](const testing::token_question&) { return testing::token_reply{status, body}; };
  }
  static jwt_issuer entry(const std::string& name = "sso", const std::string& path = "/keys") {
    return {.name = name, .issuer = "https://" + name, .audiences = {"a"}, .jwks = {.at = at(sso), .path = path}};
  }
  void configure(std::vector<jwt_issuer> issuers) {
    config settings;
    settings.access.jwt = std::move(issuers);
    keeper_.adopt(settings);
    settle();
  }
  void settle() {
    loop_.restart();
    loop_.poll();
  }
  void advance(std::chrono::seconds by) {
    for (std::chrono::seconds passed{0}; passed < by; passed += 1s) {
      clock_.advance(1s);
      settle();
    }
  }
  std::size_t asked() const { return world_.asked.size(); }
  const held_key_set& held() const { return *board_->at(0); }

  const testing::token_issuer issuer_{"EdDSA", "k1"}, next_{"EdDSA", "k2"};
  played_world world_;
  boost::asio::io_context loop_;
  tests::manual_alarms clock_;
  std::shared_ptr<const jwks_board> board_;
  jwks_keeper keeper_{loop_.get_executor(), clock_, [this] { return std::make_unique<played_io>(world_); },
                      [this](auto board) { board_ = std::move(board); }, 1};
};

TEST_F(JwksKeeper, KeysComeAtOnceAndAgainEveryTenMinutes) {
  configure({entry(), entry("second"), entry("third", "/other")});
  EXPECT_EQ(world_.asked, (std::vector<std::string>{"GET https://sso.example.com/keys", "GET https://sso.example.com/other"}));
  ASSERT_TRUE(held().keys);
  EXPECT_EQ(held().tries, 1u);
  configure({entry()});
  EXPECT_EQ(asked(), 2u) << "a reload that names it again";
  answer(200, next_.key_set());
  advance(10min);
  EXPECT_EQ(asked(), 3u);
  EXPECT_EQ(held().keys->at(0).id, "k2");
  EXPECT_EQ(keeper_.ages().at(0).issuer, "sso");
  EXPECT_LE(*keeper_.ages().at(0).since, 1min);
}

TEST_F(JwksKeeper, TheLastGoodKeysCountForADayWhateverComes) {
  configure({entry()});
  for (const char* nonsense : {"<html>", "{}", R"({"keys":[]})", R"({"keys":[{"kty":"oct","k":"AAAA"}]})"}) {
    answer(200, nonsense);
    advance(11min);
    EXPECT_TRUE(held().keys);
    EXPECT_FALSE(held().trouble.empty()) << nonsense;
  }
  answer(302, issuer_.key_set());
  advance(2min);
  EXPECT_EQ(held().trouble, "status 302") << "it is not followed";
  world_.servers.clear();
  advance(23h + 10min);
  EXPECT_TRUE(held().keys);
  const std::size_t before = asked();
  advance(1h);
  EXPECT_FALSE(held().keys);
  EXPECT_LE(asked() - before, 90u) << "once a minute or so";
  answer(200, issuer_.key_set());
  advance(2min);
  EXPECT_TRUE(held().keys);
  EXPECT_TRUE(held().trouble.empty());
}

TEST_F(JwksKeeper, AnUnknownKeyAsksWithinItsBudgetAndNeverWhileItFails) {
  configure({entry()});
  for (int each = 0; each < 100; ++each) keeper_.ask_again(entry().jwks);
  settle();
  EXPECT_EQ(asked(), 2u) << "none while a fetch runs";
  for (int each = 0; each < 100; ++each) keeper_.ask_again(entry().jwks), settle();
  EXPECT_EQ(asked(), 1u + unknown_key_fetches) << "the others wait for the budget";
  keeper_.ask_again(entry("x", "/unknown").jwks);
  EXPECT_EQ(asked(), 1u + unknown_key_fetches);
  answer(500, "");
  advance(10min);
  const std::size_t before = asked();
  keeper_.ask_again(entry().jwks);
  settle();
  EXPECT_EQ(asked(), before);
}

// A client without access sends tokens with invented key ids for an hour. If the issuer rotates its key in this hour, the gateway must
// nevertheless get the new key after the usual pause between two fetches.
TEST_F(JwksKeeper, ARotatedKeyComesWithinAPauseHoweverManyKeysAreInvented) {
  configure({entry()});
  const proxy::instant began = clock_.now();
  bool is_next = false;
  for (int second = 0; second < 3600; ++second) {
    keeper_.ask_again(entry().jwks);
    advance(1s);
    if (second % 61 != 0) continue;
    is_next = !is_next;
    answer(200, is_next ? next_.key_set() : issuer_.key_set());
    int waited = 0;
    while (held().keys->at(0).id != (is_next ? "k2" : "k1")) {
      ASSERT_LE(++waited, unknown_key_pause.count());
      keeper_.ask_again(entry().jwks);
      advance(1s);
    }
  }
  const auto passed = std::chrono::floor<std::chrono::seconds>(clock_.now() - began);
  EXPECT_LE(asked(), 1u + unknown_key_fetches + static_cast<std::size_t>(passed / unknown_key_pause + passed / 9min));
}

TEST_F(JwksKeeper, ShowsWhenTheNextFetchMayBeginAndKeepsEqualKeys) {
  configure({entry()});
  const auto keys = held().keys;
  EXPECT_EQ(held().began_at, clock_.now());
  EXPECT_LE(held().next_fetch_at, clock_.now());
  for (int each = 0; each < unknown_key_fetches; ++each) keeper_.ask_again(entry().jwks), settle();
  EXPECT_EQ(held().keys, keys);
  EXPECT_EQ(held().next_fetch_at, clock_.now() + unknown_key_pause);
  advance(5s);
  keeper_.ask_again(entry().jwks);
  advance(4s);
  EXPECT_EQ(asked(), 1u + unknown_key_fetches);
  advance(1s);
  EXPECT_EQ(asked(), 2u + unknown_key_fetches) << "the question was not lost";
}

TEST_F(JwksKeeper, WhatIsNamedNoMoreIsAskedNoMore) {
  configure({entry()});
  configure({});
  EXPECT_TRUE(board_->empty());
  advance(1h);
  EXPECT_EQ(asked(), 1u);
}

}  // namespace
}  // namespace photofinish::gateway
