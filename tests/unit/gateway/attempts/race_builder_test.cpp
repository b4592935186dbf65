// Tests how races and their attempts are built, without a network.
#include "gateway/attempts/race_builder.hpp"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

proxy::provider provider_with_expiring_key() {
  proxy::provider provider;
  provider.name = "cloud";
  provider.key.credentials.emplace();
  provider.key.credentials->scope = "scope";
  return provider;
}

std::shared_ptr<const credential_board> board_with(proxy::credential_source source, std::string key) {
  auto held = std::make_shared<held_credential>();
  held->source = std::move(source);
  held->key = proxy::secret(std::move(key));
  held->serial = 7;
  return std::make_shared<const credential_board>(credential_board{std::move(held)});
}

TEST(RaceBuilder, RecordsHaveTheAttemptsOfThePlanInItsOrder) {
  proxy::provider provider;
  provider.behaves.billing = proxy::cancel_billing::stops;
  race_setup setup;
  for (const char* name : {"a", "b", "c"})
    setup.candidates.push_back({&provider, {name, "m"}, {}, std::string(name) + "/m"});
  setup.candidates[0].key.source = key_source::own;
  setup.planned.chosen = {2, 0};
  const auto planned = race_builder::planned(setup);
  ASSERT_EQ(planned.size(), 2u);
  EXPECT_EQ(planned[0].target.text(), "c/m");
  EXPECT_EQ(planned[0].id, "c/m");
  EXPECT_FALSE(planned[0].is_callers_key);
  EXPECT_EQ(planned[0].billing, proxy::cancel_billing::stops);
  EXPECT_EQ(planned[1].target.text(), "a/m");
  EXPECT_TRUE(planned[1].is_callers_key);
}

TEST(RaceBuilder, AnExpiringKeyIsLackingUntilTheBoardHasIt) {
  boost::asio::io_context loop;
  proxy::outbound over(loop);
  credential_view credentials;
  const race_builder builder(over, credentials, nullptr);
  const proxy::provider provider = provider_with_expiring_key();
  race_candidate target{&provider, {"cloud", "m"}, {}, "cloud/m"};
  target.key.source = key_source::configured;
  EXPECT_TRUE(builder.lacks_key(target)) << "nothing is known yet";
  credentials.adopt(board_with(*provider.key.credentials, ""));
  EXPECT_TRUE(builder.lacks_key(target)) << "the board has no key";
  credentials.adopt(board_with(*provider.key.credentials, "key"));
  EXPECT_FALSE(builder.lacks_key(target));
}

TEST(RaceBuilder, AKeyThatDoesNotExpireNeverLacks) {
  boost::asio::io_context loop;
  proxy::outbound over(loop);
  credential_view credentials;
  const race_builder builder(over, credentials, nullptr);
  const proxy::provider provider = provider_with_expiring_key();
  race_candidate target{&provider, {"cloud", "m"}, {}, "cloud/m"};
  target.key.source = key_source::own;
  EXPECT_FALSE(builder.lacks_key(target)) << "the caller brings a key";
  target.key.source = key_source::configured;
  target.key.key = proxy::secret("sk-1");
  EXPECT_FALSE(builder.lacks_key(target)) << "the configuration has a key that does not expire";
}

}  // namespace
}  // namespace photofinish::gateway
