// Tests budgets in a real redis-server that loses its data: the gateways restore the spent amounts, and a person reopens a budget.
#include "gateway/store/spend_scripts.hpp"
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/modelled_spend.hpp"
#include "tests/support/gateway/run_command.hpp"
#include "tests/support/network/redis_program.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class restored_budgets_test : public gateway_fixture {
 protected:
  restored_budgets_test() {
    add("a", provider);
    // Each output token costs a dollar, so an answer with two tokens costs two.
    settings.providers["a"].prices = {{"m", *proxy::parse_prices("0/1000000")}};
    add_route("fast", {"a/m"});
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}, {"bob", proxy::secret("key-b"), {}}};
    for (std::size_t each = 0; each < 2; ++each) settings.access.keys[each].limits.budget_nano_usd = 1000 * dollar;
    settings.server.workers = 1;
    keeping.tick = 20ms;
  }

  void SetUp() override {
    if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
    store = std::make_unique<redis_program>();
    settings.store.url = proxy::secret(store->url());
  }

  http_response ask(std::string_view key = "key-a") {
    return post(streamed("fast"), "Authorization: Bearer " + std::string(key) + "\r\n");
  }
  double spent(const std::string& name = "alice") {
    return metric("photofinish_budget_spend_usd", {"name=\"" + name + "\""});
  }
  bool spends(double dollars) {
    return comes_true([&] { return spent() == dollars; });
  }
  std::int64_t sum_of(const std::string& account) const {
    std::int64_t sum = 0;
    for (const auto& key : store->ask({"KEYS", "pf:spend:*:" + account}).list)
      sum += store->ask({"GET", key.text}).number().value_or(0);
    return sum;
  }
  bool has(std::int64_t dollars, const std::string& account = "key:alice") {
    return comes_true([&] { return sum_of(account) == dollars * dollar; });
  }
  void spend_four_by_two() {
    start();
    other = std::make_unique<running_gateway>(settings, keeping, speaks);
    ASSERT_EQ(ask().status, 200);
    std::swap(gateway, other);
    ASSERT_EQ(ask().status, 200);
    ASSERT_TRUE(spends(4));
    std::swap(gateway, other);
    ASSERT_TRUE(spends(4));
  }

  static constexpr std::int64_t dollar = 1'000'000'000;
  std::unique_ptr<redis_program> store;
  std::unique_ptr<running_gateway> other;
  scripted_provider provider{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
};

TEST_F(restored_budgets_test, AnEmptiedStoreHasTheSumAgainWithoutARequest) {
  const captured_log log;
  ASSERT_NO_FATAL_FAILURE(spend_four_by_two());
  store->ask({"FLUSHALL"});
  EXPECT_TRUE(has(4));
  EXPECT_EQ(spent(), 4) << "and it was never shown less";
  EXPECT_TRUE(comes_true([&] { return !log.lines_with({"restored $4.00", "key:alice"}).empty(); }));
  std::swap(gateway, other);
  const double by_other = metric("photofinish_budgets_restored_total");
  std::swap(gateway, other);
  EXPECT_GE(metric("photofinish_budgets_restored_total") + by_other, 1);
  ASSERT_EQ(ask().status, 200);
  EXPECT_TRUE(has(6));
}

TEST_F(restored_budgets_test, AStoreThatIsRestartedWithoutDataHasTheSumAgain) {
  ASSERT_NO_FATAL_FAILURE(spend_four_by_two());
  store->end();
  ASSERT_TRUE(comes_true([&] { return metric("photofinish_store_up") == 0; }));
  ASSERT_EQ(ask().status, 200);  // the gateway has not sent the cost of this request to the store yet
  store->begin();
  EXPECT_TRUE(has(6));
}

TEST_F(restored_budgets_test, WhatAGatewayKnewBeforeItsRestartIsRestoredByTheNextRun) {
  const temporary_folder folder;
  keeping.state_dir = folder.path().string();
  start();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(has(2));
  gateway.reset();
  EXPECT_NE(folder.read("spend").find(R"("posts":[])"), std::string::npos);
  store->ask({"FLUSHALL"});
  start();
  EXPECT_TRUE(has(2)) << "no request has used the budget in this run";
}

TEST_F(restored_budgets_test, AnOlderGatewayOnTheSamePrefixIsCounted) {
  start();
  ASSERT_EQ(ask().status, 200);
  ASSERT_TRUE(has(2));
  const std::string key = store->ask({"KEYS", "pf:spend:*:key:alice"}).list.at(0).text;
  store->ask({"INCRBY", key, "3000000000"});
  EXPECT_TRUE(spends(5));
  store->ask({"FLUSHALL"});
  EXPECT_TRUE(has(5));
  store->ask({"INCRBY", key, "1000000000"});
  EXPECT_TRUE(spends(6));
}

TEST_F(restored_budgets_test, AReopenedBudgetStaysOpenInAnEmptiedStore) {
  ASSERT_NO_FATAL_FAILURE(spend_four_by_two());
  ASSERT_EQ(ask("key-b").status, 200);
  ASSERT_TRUE(has(2, "key:bob"));
  const command_end done = run_photofinish("keys reopen-budget key alice --redis " + store->url());
  EXPECT_EQ(done.exit_code, 0) << done.output;
  EXPECT_NE(done.output.find("the budget of key:alice is open again: $4.00"), std::string::npos) << done.output;
  EXPECT_TRUE(spends(0));
  std::swap(gateway, other);
  EXPECT_TRUE(spends(0));
  store->ask({"FLUSHALL"});
  EXPECT_TRUE(has(2, "key:bob"));
  ASSERT_EQ(ask().status, 200);
  EXPECT_TRUE(has(2)) << "the epoch came back with the gateways";
  std::swap(gateway, other);
  EXPECT_TRUE(spends(2));
}

TEST_F(restored_budgets_test, TheCommandSaysWhatIsWrong) {
  const std::string at = " --redis " + store->url();
  EXPECT_EQ(run_photofinish("keys reopen-budget team search" + at).exit_code, 1) << "there is no sum";
  for (const std::string& wrong : {"keys reopen-budget teem search" + at, "keys reopen-budget team" + at,
                                  std::string("keys reopen-budget team search"),
                                  std::string("keys reopen-budget team search --redis http://x"),
                                  "keys hash team search" + at})
    EXPECT_EQ(run_photofinish(wrong).exit_code, 2) << wrong;
}

// Calls the store's scripts at random, and checks that they return the same results as the model in the unit tests.
TEST_F(restored_budgets_test, TheScriptsDoWhatTheModelDoes) {
  const gateway::spend_keys keys("pf");
  const std::string sum = keys.sum("key:a", "w"), history = keys.history("key:a", "w");
  std::mt19937 chance(7);
  modelled_spend model;
  // The total spending of the budget as each of three gateways knows it: from the model, and from the store. The model and the store have
  // separate clocks.
  std::vector<gateway::spend_sum> in_model(3), in_store(3);
  std::uint64_t number = 0;
  for (int step = 0; step < 2000; ++step) {
    model.clock += 1000, model.callers_clock = model.clock;
    const std::size_t who = chance() % 3;
    const std::string by = "gateway" + std::to_string(who);
    if (const auto what = chance() % 20; what == 0) {
      store->ask({"FLUSHALL"});
      model.total.reset(), model.history.reset(), model.last.clear();
    } else if (what == 1) {
      store->ask({"DEL", sum});
      model.total.reset();
    } else if (what == 2) {
      store->ask({"DEL", history});
      model.history.reset();
    } else if (what == 3) {
      store->ask({"EVAL", std::string(gateway::reopen_script()), "2", sum, history, "100", "1", "reopened"});
      model.reopen();
    } else if (what == 4 && model.total) {
      store->ask({"INCRBY", sum, "5"});
      *model.total += 5;
    } else if (what == 5 && model.total) {
      const std::int64_t less = *model.total / 2;
      store->ask({"SET", sum, std::to_string(less)});
      model.total = less;
    }
    const std::int64_t amount = chance() % 3 == 0 ? 0 : static_cast<std::int64_t>(chance()) % 3'000'000'000;
    // Sometimes repeats the number of the last update, because a gateway may send the same update again.
    number += chance() % 4 == 0 ? 0 : 1;
    const gateway::spend_post post{"key:a", "w", amount, by, number, {}};
    const gateway::spend_sum known = in_store[who];
    const auto reply = gateway::spend_reply_in(store->ask(
        {"EVAL", std::string(gateway::add_spend_script()), "3", sum, keys.last_post(by, "key:a", "w"), history,
         std::to_string(amount), std::to_string(number), "100", std::to_string(known.nano_usd),
         std::to_string(known.history.epoch), std::to_string(known.history.begun), known.history.by, by, "1"}));
    ASSERT_TRUE(reply) << "step " << step;
    const gateway::spend_reply expected = model.add(post, in_model[who], by);
    ASSERT_EQ(reply->sum.nano_usd, expected.sum.nano_usd) << "step " << step;
    ASSERT_EQ(reply->is_restored, expected.is_restored) << "step " << step;
    ASSERT_EQ(reply->sum.history.by, expected.sum.history.by) << "step " << step;
    in_store[who] = reply->sum, in_model[who] = expected.sum;
  }
}

}  // namespace
}  // namespace photofinish::testing
