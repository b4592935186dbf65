// Tests when the gateway requests a new key to replace a key that will expire. The test advances the clock.
#include "gateway/credentials/credential_keeper.hpp"
#include "gateway/credentials/credential_rules.hpp"
#include "tests/support/manual_alarms.hpp"
#include "tests/unit/gateway/credentials/played_tokens.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr const char* near = "http://169.254.169.254";

TEST(CredentialRules, KeysAreRenewedAheadOfTheirEnd) {
  EXPECT_EQ(until_renewal(3600s, 0), 54min);       // six minutes (a tenth of the hour) before the key expires
  EXPECT_EQ(until_renewal(3600s, 1), 2'916s);
  EXPECT_EQ(until_renewal(1800s, 0), 25min);       // five minutes before the key expires
  EXPECT_EQ(until_renewal(300s, 0), 150s);         // after half of the key's lifetime
  EXPECT_EQ(until_renewal(1s, 0), 1s);
  EXPECT_EQ(until_renewal(std::nullopt, 0), 5min);
}

TEST(CredentialRules, PausesDoubleUpToAMinute) {
  EXPECT_EQ(pause_after(1, 0.5), 1s);
  EXPECT_EQ(pause_after(2, 0.5), 2s);
  EXPECT_EQ(pause_after(6, 0.5), 32s);
  EXPECT_EQ(pause_after(7, 0.5), 60s);
  EXPECT_EQ(pause_after(1'000'000, 0.5), 60s);
  EXPECT_EQ(pause_after(1, 0), 750ms);
  EXPECT_EQ(pause_after(1, 1), 1250ms);
}

class CredentialKeeper : public ::testing::Test {
 protected:
  CredentialKeeper() { answer(); }

  void answer() {
    world_.servers[near] = [this](const testing::token_question& asked) { return world_.tokens.google_metadata(asked); };
  }
  void fail() {
    world_.servers[near] = [](const testing::token_question&) { return testing::token_reply{503, R"({"error":"busy"})"}; };
  }
  static proxy::credential_source metadata() {
    return {"scope", {{.place = proxy::credential_place::google_metadata, .url = at(near)}}, {}};
  }
  void configure(std::vector<std::string> providers) {
    config settings;
    for (const std::string& each : providers) settings.providers[each].key.credentials = metadata();
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
  const held_credential& held() const { return *board_->at(0); }

  played_world world_;
  boost::asio::io_context loop_;
  tests::manual_alarms clock_;
  std::shared_ptr<const credential_board> board_;
  credential_keeper keeper_{loop_.get_executor(), clock_, [this] { return std::make_unique<played_io>(world_); },
                            [this](auto board) { board_ = std::move(board); }, 1};
};

TEST_F(CredentialKeeper, OneSourceIsAskedOnceForAllProviders) {
  configure({"a", "b", "c"});
  EXPECT_EQ(asked(), 1u);
  ASSERT_EQ(board_->size(), 1u);
  EXPECT_EQ(held().key.reveal(), "token-1");
  configure({"a", "d"});
  EXPECT_EQ(asked(), 1u) << "a reload that names it again";
}

TEST_F(CredentialKeeper, ANewKeyComesBeforeTheOldOneEnds) {
  configure({"a"});
  advance(48min);
  EXPECT_EQ(asked(), 1u);
  advance(6min);
  EXPECT_EQ(asked(), 2u);
  EXPECT_EQ(held().key.reveal(), "token-2");
  advance(24h);
  EXPECT_GE(asked(), 24u + 2);
  EXPECT_LE(asked(), 34u);
}

TEST_F(CredentialKeeper, TheOldKeyServesToItsEndWhileNewOnesFail) {
  configure({"a"});
  fail();
  advance(55min);
  EXPECT_GE(asked(), 2u);
  EXPECT_EQ(held().key.reveal(), "token-1");
  EXPECT_NE(held().trouble.find("status 503: busy"), std::string::npos) << held().trouble;
  EXPECT_NE(held().trouble.find("set google_credentials"), std::string::npos);
  const std::uint64_t serial = held().serial;
  advance(6min);
  EXPECT_TRUE(held().key.empty());
  EXPECT_GT(held().serial, serial);
  EXPECT_LE(asked(), 30u) << "pauses grow to a minute";
  answer();
  advance(2min);
  EXPECT_EQ(held().key.reveal(), "token-2");
  EXPECT_TRUE(held().trouble.empty());
}

// The error text is logged and shown to callers, so it must not contain the key.
TEST_F(CredentialKeeper, ARefusalThatQuotesTheHeldKeyDoesNotShowIt) {
  world_.servers[near] = [](const testing::token_question&) {
    return testing::token_reply{200, R"({"access_token":"ya29.the-key-itself","expires_in":3600})"};
  };
  configure({"a"});
  ASSERT_EQ(held().key.reveal(), "ya29.the-key-itself");
  world_.servers[near] = [](const testing::token_question&) {
    return testing::token_reply{400, R"({"error":"invalid_grant","error_description":"ya29.the-key-itself is revoked"})"};
  };
  advance(55min);
  EXPECT_NE(held().trouble.find("invalid_grant"), std::string::npos) << held().trouble;
  EXPECT_EQ(held().trouble.find("the-key-itself"), std::string::npos) << held().trouble;
}

TEST_F(CredentialKeeper, ARefusedKeyIsAskedForAgainOnceAndSharesItsAnswer) {
  configure({"a"});
  const std::uint64_t refused = held().serial;
  keeper_.renew(metadata(), refused);
  keeper_.renew(metadata(), refused);
  settle();
  EXPECT_EQ(asked(), 2u);
  EXPECT_EQ(held().key.reveal(), "token-2");
  EXPECT_TRUE(held().renewed_at);
  keeper_.renew(metadata(), refused);
  settle();
  EXPECT_EQ(asked(), 2u) << "a newer one is there already";
}

TEST_F(CredentialKeeper, RefusalsDoNotShortenThePausesOfFailures) {
  configure({"a"});
  fail();
  for (int i = 0; i < 50; ++i) keeper_.renew(metadata(), held().serial), settle();
  EXPECT_EQ(asked(), 2u);
  EXPECT_EQ(held().key.reveal(), "token-1") << "others may still be served with it";
}

TEST_F(CredentialKeeper, WhatIsNoLongerConfiguredIsNotAskedFor) {
  configure({"a"});
  configure({});
  EXPECT_TRUE(board_->empty());
  advance(3h);
  EXPECT_EQ(asked(), 1u);
}

TEST(CredentialView, ANewerKeyIsAskedForNoMoreThanAProviderCouldUse) {
  credential_view view;
  std::vector<std::uint64_t> asked;
  view.on_renew([&asked](const proxy::credential_source&, std::uint64_t serial) { asked.push_back(serial); });
  const proxy::credential_source source{"scope", {{.file = "/x"}}, {}};
  const proxy::instant now{1h};
  EXPECT_FALSE(view.ask_for_newer(source, 1, now)) << "nothing is known of it";
  held_credential held{.source = source, .key = proxy::secret("k"), .serial = 1};
  const auto adopt = [&] {
    view.adopt(std::make_shared<const credential_board>(credential_board{std::make_shared<const held_credential>(held)}));
  };
  adopt();
  EXPECT_TRUE(view.ask_for_newer(source, 1, now));
  held.serial = 2, held.renewed_at = now;
  adopt();
  EXPECT_TRUE(view.ask_for_newer(source, 1, now)) << "it is there";
  EXPECT_FALSE(view.ask_for_newer(source, 2, now + 29s)) << "refused as well";
  EXPECT_TRUE(view.ask_for_newer(source, 2, now + 30s));
  held.trouble = "tried";
  adopt();
  EXPECT_FALSE(view.ask_for_newer(source, 2, now + 1h)) << "it is being tried already";
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{1, 2}));
}

}  // namespace
}  // namespace photofinish::gateway
