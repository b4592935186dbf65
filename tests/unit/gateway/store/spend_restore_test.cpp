// Tests gateways that share the spending of a budget through a store. The store may lose its data at any moment. Nevertheless, the total
// spending that a gateway knows must never fall.
#include "gateway/store/spend/post_codec.hpp"
#include "gateway/store/spend/spend_ledger.hpp"
#include "tests/support/gateway/modelled_spend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using testing::modelled_spend;

constexpr std::chrono::sys_seconds test_now{std::chrono::seconds(1'000'000)}, test_end{std::chrono::seconds(1'003'600)};
const std::string account = "team:t", window = "w1";

struct faults {
  bool empties = false;      // the store loses all data (FLUSHALL, a restart, a new URL), and its clock may be slow
  bool skews = false;        // the store's clock may be an hour ahead
  bool loses_replies = false;
  bool evicts = false;       // the store evicts one of its three keys
  bool goes_back = false;    // the store returns to an earlier state (a failover, an old snapshot)
  bool restarts = false;     // gateways restart with their saved data
};

class shared_budget {
 public:
  shared_budget(unsigned seed, faults which) : chance_(seed), faults_(which) {
    for (int each = 0; each < 3; ++each) start(each);
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      const int who = static_cast<int>(chance_() % 3);
      store_.clock += 1000;
      store_.callers_clock += 1000;
      if (chance_() % 2 == 0) spend(who, static_cast<std::int64_t>(1 + chance_() % 50));
      share(who, true);
      if (chance_() % 25 == 0) lose_data();
      if (faults_.restarts && chance_() % 40 == 0) restart(who);
      if (chance_() % 8 == 0) old_copies_.push_back(store_);
    }
  }
  // Exchanges updates with the store several times for each gateway, as gateways do within two seconds.
  void settle() {
    for (int round = 0; round < 3; ++round)
      for (int who = 0; who < 3; ++who) share(who, false);
  }
  void empty_the_store() {
    note_open_posts();
    const bool is_slow = chance_() % 2 == 0;
    const std::int64_t callers_clock = store_.callers_clock + 1000;
    store_ = {};
    store_.clock = is_slow ? 1 : callers_clock + (faults_.skews ? 3'600'000'000 : 0);
    store_.callers_clock = callers_clock;
  }
  void spend(int who, std::int64_t amount) {
    gateways_[static_cast<std::size_t>(who)].ever += amount;
    spent += amount;
  }
  void share(int who, bool has_faults) {
    gateway_state& its = gateways_[static_cast<std::size_t>(who)];
    its.ledger->begin_round();
    // A gateway reads an account's spending from the store only after a request has used the account. Until then, the gateway uses the
    // total from its saved file.
    if (its.ever > 0) its.ledger->read({account, window, test_end, its.ever, its.ever}, test_now);
    const std::vector<spend_post> posts(its.ledger->open_posts(test_now).begin(), its.ledger->open_posts(test_now).end());
    for (const spend_post& each : posts) {
      const bool is_lost = has_faults && faults_.loses_replies && chance_() % 4 == 0;
      if (is_lost && chance_() % 2 == 0) return;  // the command to the store was lost
      const spend_reply reply = store_.add(each, its.ledger->known(account, window), its.name);
      if (is_lost) return;
      its.ledger->answered(each, reply.sum);
      see(its);
    }
    if (posts.empty()) look(its, has_faults);
  }
  void restart(int who) {
    gateway_state& its = gateways_[static_cast<std::size_t>(who)];
    if (its.ever > 0) its.ledger->read_last({account, window, test_end, its.ever, its.ever}, test_now);
    kept_spend kept{{its.ledger->open_posts(test_now).begin(), its.ledger->open_posts(test_now).end()},
                    its.ledger->all_known(test_now)};
    auto read = decode_spend(encode_spend(kept));
    ASSERT_TRUE(read);
    start(who);
    its.ledger->restore(std::move(read->posts), std::move(read->sums));
  }
  void reopen() { store_.reopen(); }
  const modelled_spend& store() const { return store_; }
  spend_sum known(int who) const { return gateways_[static_cast<std::size_t>(who)].ledger->known(account, window); }

  std::int64_t spent = 0;         // the spending of all gateways together
  std::int64_t largest_known = 0;  // the largest total spending that any gateway has known
  std::int64_t doubtful = 0;       // amounts that the store added and then lost, before the gateway got the confirmation

 private:
  struct gateway_state {
    std::string name;
    std::unique_ptr<spend_ledger> ledger;
    std::int64_t ever = 0;
  };

  void start(int who) {
    gateways_.resize(3);
    const std::string name = "run" + std::to_string(++runs_);
    gateways_[static_cast<std::size_t>(who)] = {name, std::make_unique<spend_ledger>(name), 0};
  }
  void see(const gateway_state& its) {
    largest_known = std::max(largest_known, its.ledger->known(account, window).nano_usd);
  }
  // Reads the total from the store twice. Random events may happen between the two reads.
  void look(gateway_state& its, bool has_faults) {
    const std::int64_t sum = store_.total.value_or(0);
    if (has_faults && chance_() % 8 == 0) {
      const std::string other = "other";
      store_.add({account, window, 3, other, ++others_, test_end}, {}, other);
      spent += 3;
    }
    if (has_faults && chance_() % 16 == 0) lose_data();
    if (its.ledger->heard(account, window, {sum, store_.history_now()})) return see(its);
    const spend_post nothing{account, window, 0, its.name, 0, test_end};
    const spend_reply reply = store_.add(nothing, its.ledger->known(account, window), its.name);
    its.ledger->settled(account, window, reply.sum);
    see(its);
  }
  void note_open_posts() {
    for (const gateway_state& each : gateways_)
      for (const spend_post& post : each.ledger->open_posts(test_now)) doubtful += post.nano_usd;
  }
  void lose_data() {
    if (faults_.empties && chance_() % 2 == 0) empty_the_store();
    if (faults_.evicts) {
      note_open_posts();
      if (const auto which = chance_() % 3; which == 0) store_.total.reset();
      else if (which == 1) store_.history.reset();
      else store_.last.clear();
    }
    if (faults_.goes_back && !old_copies_.empty()) {
      note_open_posts();
      const std::int64_t clock = store_.clock, callers_clock = store_.callers_clock;
      store_ = old_copies_[chance_() % old_copies_.size()];
      store_.clock = clock;
      store_.callers_clock = callers_clock;
    }
  }

  std::mt19937 chance_;
  const faults faults_;
  modelled_spend store_;
  std::vector<gateway_state> gateways_;
  std::vector<modelled_spend> old_copies_;
  int runs_ = 0;
  std::uint64_t others_ = 0;
};

TEST(SpendRestore, AStoreThatIsEmptiedHasTheTrueSumAgain) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    shared_budget all(seed, {.empties = true});
    all.run(20);
    all.settle();
    // The store's total may include an amount that a gateway added before the store lost its data. No gateway has read this amount.
    all.spent = all.store().total.value_or(0);
    for (int round = 0; round < 12; ++round) {
      all.settle();  // after this call, each gateway knows the store's total
      ASSERT_EQ(all.store().total, all.spent) << "seed " << seed << ", round " << round;
      all.spend(round % 3, 7);  // the gateway adds this amount to the emptied store before the old total is restored
      all.empty_the_store();
      all.share(round % 3, false);
      all.spend((round + 1) % 3, 5);
      all.settle();
      ASSERT_EQ(all.store().total, all.spent) << "seed " << seed << ", round " << round;
    }
  }
}

TEST(SpendRestore, WhateverIsLostASumNeverFallsAndNothingIsAddedTwice) {
  const std::vector<faults> kinds{
      {.empties = true},
      {.empties = true, .skews = true},
      {.empties = true, .restarts = true},
      {.empties = true, .loses_replies = true},
      {.evicts = true},
      {.goes_back = true},
      {.empties = true, .skews = true, .loses_replies = true, .evicts = true, .goes_back = true, .restarts = true}};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    for (unsigned seed = 1; seed <= 300; ++seed) {
      shared_budget all(seed, kinds[kind]);
      all.run(200);
      all.settle();
      const std::string which = "kind " + std::to_string(kind) + ", seed " + std::to_string(seed);
      ASSERT_GE(all.store().total.value_or(0), all.largest_known) << which;
      ASSERT_LE(all.store().total.value_or(0), all.spent + all.doubtful) << which;
      for (int who = 0; who < 3; ++who) ASSERT_EQ(all.known(who).nano_usd, all.known(0).nano_usd) << which;
    }
}

TEST(SpendRestore, AReopenedBudgetStaysReopenedInAnEmptiedStore) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    shared_budget all(seed, {});
    for (int who = 0; who < 3; ++who) all.spend(who, 1);
    all.run(30);
    all.settle();
    all.reopen();
    const std::int64_t before = all.spent;
    all.share(0, false);  // one gateway learns that the budget was reset, but the other gateways do not
    ASSERT_EQ(all.known(0).nano_usd, 0) << "seed " << seed;
    all.empty_the_store();
    all.spend(1, 9);
    all.share(1, false);  // this gateway restores the total from before the budget was reset
    all.settle();
    ASSERT_EQ(all.store().total, all.spent - before) << "seed " << seed;
    for (int who = 0; who < 3; ++who) ASSERT_EQ(all.known(who).nano_usd, 9) << "seed " << seed;
    all.restart(2);
    all.empty_the_store();
    all.settle();
    ASSERT_EQ(all.store().total, 9) << "seed " << seed;
  }
}

TEST(SpendRestore, AnOlderGatewayThatAddsToTheSameKeyIsCounted) {
  shared_budget all(1, {});
  modelled_spend store;
  store.total = 40;  // a gateway of an older version wrote this total, without a history
  spend_ledger ledger("a");
  ledger.read({account, window, test_end, 5, 5}, test_now);
  const spend_post first = ledger.open_posts(test_now).front();
  ledger.answered(first, store.add(first, ledger.known(account, window), "a").sum);
  EXPECT_EQ(ledger.known(account, window).nano_usd, 45);
  *store.total += 10;  // INCRBY
  EXPECT_TRUE(ledger.heard(account, window, {*store.total, store.history_now()}));
  EXPECT_EQ(ledger.known(account, window).nano_usd, 55);
  store = {};
  store.total = 1;  // the first update that the emptied store gets
  EXPECT_FALSE(ledger.heard(account, window, {*store.total, store.history_now()}));
  EXPECT_EQ(ledger.known(account, window).nano_usd, 55) << "until a script has settled it";
  const spend_reply reply = store.add({account, window, 0, "a", 0, test_end}, ledger.known(account, window), "a");
  EXPECT_TRUE(reply.is_restored);
  EXPECT_EQ(reply.sum.nano_usd, 55);
}

TEST(SpendRestore, SumsOfEndedAndOfOtherWindowsAreLeftAlone) {
  spend_ledger ledger("a");
  ledger.restore({}, {{account, window, test_end, {70, {0, 5, "b"}}}});
  ASSERT_EQ(ledger.unread(test_now).size(), 1u) << "no request has used it yet";
  EXPECT_EQ(ledger.unread(test_now).front().sum.nano_usd, 70);
  EXPECT_TRUE(ledger.unread(test_end).empty());
  ledger.begin_round();
  ledger.read({account, window, test_end, 5, 5}, test_now);
  EXPECT_TRUE(ledger.unread(test_now).empty());
  EXPECT_EQ(ledger.spent({account, window, test_end, 5, 5}, 1), 75);
  ledger.begin_round();
  EXPECT_EQ(ledger.unread(test_now).size(), 1u) << "the configuration does not have it any more";
  ledger.read({account, "w2", test_end + std::chrono::hours(1), 6, 0}, test_now);
  EXPECT_EQ(ledger.known(account, "w2"), spend_sum{});
  EXPECT_EQ(ledger.known(account, window), spend_sum{});
}

}  // namespace
}  // namespace photofinish::gateway
