// Tests the queries that gateways send to each other, and the replies. A map takes the place of the store.
#include "gateway/housekeeping/shared/fleet_asking.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

const std::chrono::sys_seconds noon{std::chrono::seconds(1'769'860'800)};

// A simulated store. It supports GET, SET, HSET, HDEL and HGETALL as far as gateways need these commands to query each other. The
// documented permissions of a store user include exactly these commands.
class map_store {
 public:
  store_reply run(const store_command& command) {
    const std::string &name = command.at(0), &key = command.at(1);
    if (name == "SET") return texts_[key] = command.at(2), status();
    if (name == "HSET") return hashes_[key][command.at(2)] = command.at(3), status();
    if (name == "HDEL") return hashes_[key].erase(command.at(2)), status();
    if (name == "GET") return texts_.contains(key) ? text(texts_[key]) : store_reply{};
    EXPECT_EQ(name, "HGETALL");
    store_reply all{.kind = reply_kind::list};
    for (const auto& [field, value] : hashes_[key]) all.list.push_back(text(field)), all.list.push_back(text(value));
    return all;
  }
  std::vector<store_reply> run(const std::vector<store_command>& commands) {
    std::vector<store_reply> all;
    for (const store_command& each : commands) {
      EXPECT_EQ(each.at(1).rfind("pf:stats:", 0), 0u) << each.at(1);
      all.push_back(run(each));
    }
    return all;
  }
  std::size_t queries() { return hashes_["pf:stats:queries"].size(); }
  void put_query(const std::string& id, const std::string& value) { hashes_["pf:stats:queries"][id] = value; }

 private:
  static store_reply text(std::string value) { return {.kind = reply_kind::text, .text = std::move(value)}; }
  static store_reply status() { return {.kind = reply_kind::status, .text = "OK"}; }

  std::map<std::string, std::string> texts_;
  std::map<std::string, std::map<std::string, std::string>> hashes_;
};

class FleetAsking : public ::testing::Test {
 protected:
  FleetAsking() {
    for (fleet_asking* each : {&one, &two, &three}) {
      each->use("pf");
      each->know({{"run1", "one"}, {"run2", "two"}, {"run3", "three"}});
    }
  }
  void round(fleet_asking& who, const std::string& page) {
    who.take(store.run(who.reads()));
    store.run(who.writes(noon, [&](const fleet_query& asked) {
      ++answers[page];
      last = asked;
      return page;
    }));
  }
  fleet_query races(const std::string& only = "") {
    return {.kind = query_kind::races, .gateway = only, .count = 7, .caller = "alice"};
  }

  map_store store;
  fleet_asking one{"run1"}, two{"run2"}, three{"run3"};
  std::map<std::string, int> answers;
  fleet_query last;
};

TEST_F(FleetAsking, EachOtherGatewayAnswersOnce) {
  const auto mine = one.open(races(), noon);
  EXPECT_FALSE(fleet_asking::is_answered(mine));
  for (int each = 0; each < 3; ++each) round(one, "no"), round(two, "page of two"), round(three, "page of three");
  ASSERT_TRUE(fleet_asking::is_answered(mine));
  EXPECT_EQ(last.count, 7u);
  EXPECT_EQ(last.caller, "alice");
  EXPECT_FALSE(last.sees_all);
  const fleet_answers all = one.close(mine);
  ASSERT_EQ(all.pages.size(), 2u);
  EXPECT_EQ(all.pages[0], std::pair(std::string("two"), std::string("page of two")));
  EXPECT_EQ(all.pages[1].first, "three");
  EXPECT_EQ(answers["page of two"], 1);
  EXPECT_EQ(answers["no"], 0) << "a gateway does not answer its own query";
  EXPECT_EQ(store.queries(), 1u);
  round(one, "no");
  EXPECT_EQ(store.queries(), 0u);
}

TEST_F(FleetAsking, AQueryToOneGatewayWaitsForThatOneAlone) {
  const auto mine = one.open(races("three"), noon);
  round(one, "no"), round(three, "page of three"), round(one, "no");
  ASSERT_TRUE(fleet_asking::is_answered(mine));
  EXPECT_EQ(one.close(mine).pages.size(), 1u);
}

TEST_F(FleetAsking, AGatewayThatStopsIsNotWaitedFor) {
  const auto mine = one.open(races(), noon);
  round(one, "no"), round(two, "page of two"), round(one, "no");
  EXPECT_FALSE(fleet_asking::is_answered(mine));
  one.know({{"run1", "one"}, {"run2", "two"}});
  EXPECT_TRUE(fleet_asking::is_answered(mine));
}

TEST_F(FleetAsking, WithoutOtherGatewaysAQueryIsAnsweredImmediately) {
  one.know({{"run1", "one"}});
  const auto mine = one.open(races(), noon);
  EXPECT_TRUE(fleet_asking::is_answered(mine));
  EXPECT_TRUE(one.close(mine).pages.empty());
  round(one, "no");
  EXPECT_EQ(store.queries(), 0u);
}

TEST_F(FleetAsking, OneCallerCannotTakeAllPlaces) {
  for (std::size_t each = 0; each < fleet_asking::most_of_caller; ++each) {
    EXPECT_TRUE(one.has_room_for(races()));
    one.open(races(), noon);
  }
  EXPECT_FALSE(one.has_room_for(races()));
  fleet_query others = races(), admins = races();
  others.caller = "bob";
  admins.sees_all = true;
  EXPECT_TRUE(one.has_room_for(others));
  while (one.has_room_for(admins)) one.open(admins, noon);
  EXPECT_FALSE(one.has_room_for(others));
}

TEST_F(FleetAsking, OldAndStrangeQueriesAreNotAnswered) {
  store.put_query("run9.1", R"({"kind":"races","gateway":"","caller":"","at":1})");
  store.put_query("run9.2", R"({"kind":"secrets","gateway":"","caller":"","at":1769860800})");
  store.put_query("run9.3", "no json");
  store.put_query("run9.4", R"({"kind":"races","gateway":7,"caller":"","at":1769860800})");
  round(two, "page of two");
  EXPECT_TRUE(answers.empty());
  EXPECT_EQ(store.queries(), 3u) << "the old query is removed";
}

TEST_F(FleetAsking, AnAnswerBeyondTheBoundIsNotWritten) {
  const auto mine = one.open(races("two"), noon);
  round(one, "no"), round(two, std::string(fleet_query_commands::longest_answer + 1, 'x')), round(one, "no");
  EXPECT_FALSE(fleet_asking::is_answered(mine));
}

TEST_F(FleetAsking, FiguresAreWrittenOnlyWhileAPageIsOpenSomewhere) {
  two.write_figures("figures of two");
  round(two, "no"), round(one, "no");
  EXPECT_FALSE(two.is_watched());
  one.watch(true);
  round(one, "no"), round(two, "no"), round(one, "no");
  EXPECT_TRUE(two.is_watched());
  ASSERT_EQ(one.figures().size(), 1u);
  EXPECT_EQ(one.figures().at("run2"), "figures of two");
  one.know({{"run1", "one"}, {"run3", "three"}});
  EXPECT_TRUE(one.figures().empty());
}

TEST_F(FleetAsking, AReplyTooFewChangesNothing) {
  const auto mine = one.open(races(), noon);
  round(one, "no");
  std::vector<store_reply> replies = store.run(one.reads());
  replies.pop_back();
  one.take(replies);
  EXPECT_FALSE(fleet_asking::is_answered(mine));
}

}  // namespace
}  // namespace photofinish::gateway
