// Tests the observer that stores the reasoning of an answer. The ids of the answer's tool calls must later find this reasoning.
#include "gateway/api/conversation/reasoning_keeper.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::testing {
namespace {

constexpr const char* id = "toolu_0123456789";
constexpr const char* other_id = "toolu_9876543210";

class silent_writer final : public answer_writer {
 public:
  explicit silent_writer(int& added) : added_(added) {}
  proxy::result<void> add(const proxy::stream_event&, outgoing&) override { return ++added_, proxy::result<void>(); }
  void end(outgoing& to) override { to.put("end"); }
  void fail(const api_error&, outgoing& to) override { to.put("failed"); }

 private:
  int& added_;
};

class reasoning_keeper_test : public ::testing::Test {
 protected:
  std::map<std::string, json> kept_from(const std::vector<delta>& deltas, std::size_t longest = 64u << 10) {
    added_ = 0;
    kept_.clear();
    reasoning_keeper keeper = make(longest);
    answer_driver driver(keeper);
    std::size_t calls = 0;
    for (const delta& each : deltas) {
      driver.say({each});
      calls += each.kind == delta_kind::call ? 1 : 0;
      EXPECT_LE(keeper.held_bytes(), longest + calls * 256) << "with the ids of all calls";
    }
    driver.end();
    EXPECT_EQ(driver.bytes(), "end");
    EXPECT_EQ(added_, static_cast<int>(deltas.size())) << "each event is written, too";
    return kept_;
  }
  reasoning_keeper make(std::size_t longest) {
    return reasoning_keeper(
        std::make_unique<silent_writer>(added_), "a1",
        [this](std::string_view key, std::string_view text) { kept_[std::string(key)] = json::parse(text); }, longest);
  }
  int added_ = 0;
  std::map<std::string, json> kept_;
};

delta signs(std::string_view text) { return {.kind = delta_kind::signature, .text = text, .id = "anthropic_messages"}; }
delta hides(std::string_view text) { return {.kind = delta_kind::opaque, .text = text, .id = "gemini"}; }

TEST_F(reasoning_keeper_test, WhatWasSignedBeforeACallIsKeptByItsIdAndName) {
  const auto kept = kept_from({thought("a "), thought("b"), signs("S"), called(0, "f", id), arguments(0, "{}"), finished()});
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept.at(std::string(id) + "\nf"),
            json::parse(R"([{"type":"reasoning.text","text":"a b","signature":"S","id":"toolu_0123456789","format":"anthropic-claude-v1","index":0}])"));
}

TEST_F(reasoning_keeper_test, TextBetweenThemIsNoted) {
  const auto kept = kept_from({thought("a"), signs("S"), said("Let me see"), called(0, "f", id), arguments(0, "{}"), finished()});
  EXPECT_FALSE(kept.at(std::string(id) + "\nf")[0].contains("id")) << "it does not stand directly before the call";
}

TEST_F(reasoning_keeper_test, EachCallHasItsOwn) {
  const auto kept = kept_from({hides("A"), called(0, "f", id), arguments(0, "{}"), hides("B"), hides("C"), called(1, "g", other_id),
                               arguments(1, "{}"), finished()});
  EXPECT_EQ(kept.at(std::string(id) + "\nf").size(), 1u);
  const json second = kept.at(std::string(other_id) + "\ng");
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[0].at("data"), "B");
  EXPECT_EQ(second[1].at("data"), "C");
}

TEST_F(reasoning_keeper_test, WhatIsNotSignedOrHasNoCallIsNotKept) {
  EXPECT_TRUE(kept_from({thought("plain"), called(0, "f", id), arguments(0, "{}"), finished()}).empty());
  EXPECT_TRUE(kept_from({thought("a"), signs("S"), said("Hi"), finished()}).empty());
}

TEST_F(reasoning_keeper_test, TheIdOfItsItemIsKeptWithIt) {
  delta in_an_item{.kind = delta_kind::signature, .text = "gAAA", .id = "openai_responses", .item = "rs_1"};
  const auto kept = kept_from({thought("sum"), in_an_item, called(0, "f", id), arguments(0, "{}"), finished()});
  const json details = kept.at(std::string(id) + "\nf");
  ASSERT_EQ(details.size(), 2u);
  EXPECT_EQ(details[0].at("summary"), "sum");
  EXPECT_EQ(details[1].at("data"), "gAAA");
  EXPECT_EQ(details[1].at("item_id"), "rs_1");
}

TEST_F(reasoning_keeper_test, AnIdThatComesAgainInEachConversationIsNotKept) {
  EXPECT_TRUE(kept_from({hides("A"), called(0, "f", "call_0"), arguments(0, "{}"), finished()}).empty());
}

TEST_F(reasoning_keeper_test, WhatIsTooLongIsForgottenUntilTheNextCall) {
  const std::string half(3000, 'x'), giant(100'000, 'y');
  const std::vector<delta> next{hides("B"), called(1, "g", other_id), arguments(1, "{}"), finished()};
  for (const std::vector<delta>& first : {std::vector<delta>{thought(half), thought(half), signs("S")},
                                          {thought(half), signs(half), signs(half)},
                                          {hides(giant)},
                                          {thought(giant), signs("S")},
                                          {hides(half), said("a"), hides(half)}}) {
    std::vector<delta> all = first;
    all.insert(all.end(), {hides("A"), called(0, "f", id), arguments(0, "{\"a\":"), arguments(0, "1}")});
    all.insert(all.end(), next.begin(), next.end());
    const auto kept = kept_from(all, 5000);
    EXPECT_FALSE(kept.contains(std::string(id) + "\nf")) << "a part of it is of no use";
    EXPECT_EQ(kept.size(), 1u) << "the next call's is kept";
  }
}

TEST_F(reasoning_keeper_test, LongTextsAndArgumentsTakeNoRoom) {
  const std::string giant(100'000, 'x'), json_text = '"' + giant + '"';
  const auto kept = kept_from({hides("A"), said(giant), called(0, "f", id), arguments(0, json_text), hides("B"),
                               called(1, "g", other_id), arguments(1, "{}"), finished()}, 5000);
  EXPECT_EQ(kept.size(), 2u);
}

TEST_F(reasoning_keeper_test, ACallWithTooManyPartsIsNotKept) {
  for (const std::size_t parts : {32u, 33u, 500u}) {
    std::vector<delta> all(parts, hides("A"));
    all.insert(all.end(), {called(0, "f", id), arguments(0, "{}"), finished()});
    EXPECT_EQ(kept_from(all).size(), parts == 32 ? 1u : 0u) << parts;
  }
}

TEST_F(reasoning_keeper_test, WhatIsNotSignedIsNotHeldBehindItsEnd) {
  const std::string text(3000, 'x');
  std::vector<delta> all;
  for (int at = 0; at < 100; ++at) all.insert(all.end(), {thought(text), said("a")});
  all.insert(all.end(), {thought("b"), signs("S"), called(0, "f", id), arguments(0, "{}"), finished()});
  const auto kept = kept_from(all, 5000);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept.begin()->second.size(), 1u);
}

TEST_F(reasoning_keeper_test, WhereMemoryIsShortItForgets) {
  const std::string text(3000, 'x');
  reasoning_keeper keeper = make(5000);
  answer_driver driver(keeper);
  driver.say_each({thought(text), signs("S")});
  EXPECT_GE(keeper.held_bytes(), text.size());
  keeper.keep_less();
  EXPECT_EQ(keeper.held_bytes(), 0u);
  driver.say_each({called(0, "f", id), arguments(0, "{}"), hides("B"), called(1, "g", other_id), arguments(1, "{}")}).end();
  EXPECT_EQ(kept_.size(), 1u);
  EXPECT_TRUE(kept_.contains(std::string(other_id) + "\ng"));
}

TEST_F(reasoning_keeper_test, OfAnAnswerWithAnyNumberOfCallsAThousandAreKept) {
  std::vector<std::string> ids;
  for (int at = 0; at < 1100; ++at) ids.push_back("call_0123456789_" + std::to_string(at));
  std::vector<delta> all;
  int part = 0;
  for (const std::string& each : ids) {
    all.insert(all.end(), {hides("A"), called(part, "f", each), arguments(part, "{}")});
    ++part;
  }
  EXPECT_EQ(kept_from(all).size(), 1000u);
}

}  // namespace
}  // namespace photofinish::gateway::testing
