// Beside a writer: what of an answer is kept by its calls.
#include "gateway/api/conversation/reasoning_keeper.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <memory>
#include <string>

namespace photofinish::gateway {
namespace {

using testing::answer_driver;
using testing::arguments;
using testing::called;
using testing::finished;
using testing::json;
using testing::said;
using testing::thought;
using proxy::delta;
using proxy::delta_kind;

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
  std::map<std::string, json> kept_from(std::initializer_list<delta> deltas) {
    std::map<std::string, json> kept;
    reasoning_keeper keeper(std::make_unique<silent_writer>(added_), "a1",
                            [&kept](std::string_view key, std::string_view text) { kept[std::string(key)] = json::parse(text); });
    answer_driver driver(keeper);
    driver.say_each(deltas).end();
    EXPECT_EQ(driver.bytes(), "end");
    EXPECT_EQ(added_, static_cast<int>(deltas.size())) << "each event is written, too";
    return kept;
  }
  int added_ = 0;
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
  added_ = 0;
  EXPECT_TRUE(kept_from({thought("a"), signs("S"), said("Hi"), finished()}).empty());
}

TEST_F(reasoning_keeper_test, AnIdThatComesAgainInEachConversationIsNotKept) {
  EXPECT_TRUE(kept_from({hides("A"), called(0, "f", "call_0"), arguments(0, "{}"), finished()}).empty());
}

}  // namespace
}  // namespace photofinish::gateway
