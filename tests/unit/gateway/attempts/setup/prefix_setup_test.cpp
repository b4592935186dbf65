// Tests how the setup of a race determines the cached prefixes of a request, and what the request would cost at each target.
#include "gateway/attempts/setup/prefix_setup.hpp"

#include "racing/adaptive/forecast_keeper.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using proxy::cancel_billing;

constexpr proxy::hash_key memory_key{1, 2};

// A turn of a conversation, on a route with three targets.
struct followed_turn {
  followed_turn() {
    const std::string text(8'000, 'x');
    asked.format = proxy::wire_format::openai_responses;
    asked.body = std::make_shared<const proxy::client_body>(R"({"model":"m","input":[{"role":"user","content":")" + text + R"("}]})");
    asked.prompt = asked.body->value_of("input");
    prices.periods.emplace_back();
    prices.periods.back().input.usd = 3;
    keeper.adopt({{"r", {"a/m", "b/m", "c/m"}, {0, 1, 2}, 0.1, true}});
    source.board = keeper.tick(racing::instant(std::chrono::hours{1}));
    source.in_flight = [](const target_name&) { return 0.0; };
    source.prices_of = [this](const target_name&) { return &prices; };
    source.when = std::chrono::sys_seconds(std::chrono::hours{1});
    source.prefixes = &memory;
    for (std::size_t at = 0; at < providers.size(); ++at) {
      const target_name name{std::string(1, static_cast<char>('a' + at)), "m"};
      candidates.push_back({&providers[at], name, {}, name.text()});
    }
  }

  std::unique_ptr<prefix_setup> follow() {
    forecast = set_up_forecast(source, asked, candidates, "r", source.board->at);
    return forecast ? follow_prefixes(source, asked, "r", candidates, *forecast) : nullptr;
  }

  parsed_request asked;
  proxy::model_prices prices;
  racing::forecast_keeper keeper;
  prefix_memory memory{1'024, memory_key};
  speed_source source;
  std::vector<proxy::provider> providers{3};
  std::vector<race_candidate> candidates;
  std::unique_ptr<forecast_setup> forecast;
};

TEST(PrefixSetup, ATargetThatHasReadThePromptIsWarm) {
  followed_turn turn;
  const auto first = turn.follow();
  ASSERT_TRUE(first);
  EXPECT_FALSE(turn.forecast->terms.targets[1].match.exists());
  first->note(1, 3'600);
  ASSERT_TRUE(turn.follow());
  EXPECT_TRUE(turn.forecast->terms.targets[1].match.exists());
  EXPECT_FALSE(turn.forecast->terms.targets[0].match.exists());
}

// Only the target that stored a response can continue this response.
TEST(PrefixSetup, ARequestThatContinuesAStoredResponseIsNotFollowed) {
  followed_turn turn;
  turn.asked.state.previous = "resp_1";
  EXPECT_FALSE(turn.follow());
  ASSERT_TRUE(turn.forecast);
}

// The setting `cancel_billing` states which part of the output is billed if an attempt is cancelled. The prompt is always billed.
TEST(PrefixSetup, TheInputOfACutLoserIsBilledIfThereIsAPrice) {
  followed_turn turn;
  turn.providers[0].behaves.billing = cancel_billing::stops;
  turn.providers[1].behaves.billing = cancel_billing::full;
  ASSERT_TRUE(turn.follow());
  for (const racing::target_now& each : turn.forecast->terms.targets) {
    EXPECT_TRUE(each.bills_cut_input);
    EXPECT_NEAR(each.loss_cost, each.input_tokens * 3e-6, 1e-9) << "the budget counts a loser's prompt at the input price";
  }
  turn.source.prices_of = [](const target_name&) { return nullptr; };
  ASSERT_TRUE(turn.follow());
  for (const racing::target_now& each : turn.forecast->terms.targets) EXPECT_FALSE(each.bills_cut_input);
}

}  // namespace
}  // namespace photofinish::gateway
