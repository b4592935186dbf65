// Tests an answer that breaks off and is continued by a second target: how the first part is collected, and how the continuation is
// appended.
#include "gateway/relay/answer_prefix.hpp"
#include "gateway/relay/continued_source.hpp"

#include <boost/asio/awaitable.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using proxy::delta;
using proxy::delta_kind;
using proxy::event_kind;

proxy::stream_event event_of(const delta& said) { return {.kind = event_kind::token, .deltas = {&said, 1}}; }

class TextSoFar : public testing::Test {
 protected:
  void say(delta each) { said.see(event_of(each)); }
  answer_prefix said{proxy::memory_share()};
};

TEST_F(TextSoFar, IsWhatOneChoiceHasSaid) {
  say({.text = "Once upon "});
  EXPECT_FALSE(said.may_go_on()) << "too little";
  say({.text = "a time, "});
  EXPECT_TRUE(said.may_go_on());
  EXPECT_EQ(said.text(), "Once upon a time, ");
}

TEST_F(TextSoFar, NothingElseCanBeGoneOnWith) {
  for (const delta& other : {delta{.kind = delta_kind::call, .text = "f"},
                             delta{.kind = delta_kind::reasoning, .text = "hm"},
                             delta{.kind = delta_kind::refusal, .text = "no"}, delta{.kind = delta_kind::finish},
                             delta{.choice = 1, .text = "other"}, delta{.kind = delta_kind::citation, .text = "{}"}}) {
    answer_prefix mixed{proxy::memory_share()};
    const delta text{.text = "Once upon a time, there was"};
    mixed.see(event_of(text));
    mixed.see(event_of(other));
    mixed.see(event_of(text));
    EXPECT_FALSE(mixed.may_go_on()) << static_cast<int>(other.kind);
    EXPECT_EQ(mixed.text(), "");
  }
}

TEST_F(TextSoFar, HasAnEnd) {
  const std::string much(answer_prefix::longest / 2, 'a');
  say({.text = much});
  say({.text = much});
  EXPECT_TRUE(said.may_go_on());
  say({.text = "b"});
  EXPECT_FALSE(said.may_go_on());
}

TEST_F(TextSoFar, KnowsTheMembersOfTheFirstChunkThatPassed) {
  EXPECT_EQ(said.chunks(), nullptr);
  const std::vector<std::string_view> pieces{R"({"id":"chatcmpl-1","object":"chat.completion.chunk",)",
                                             R"("created":17,"model":"m\n","choices":[]})"};
  said.see({.spoken = proxy::wire_format::openai_chat, .json = pieces});
  ASSERT_NE(said.chunks(), nullptr);
  EXPECT_EQ(said.chunks()->id, R"("chatcmpl-1")");
  EXPECT_EQ(said.chunks()->created, "17");
  EXPECT_EQ(said.chunks()->model, R"("m\n")");
}

// A source of an answer. All of its events are available from the beginning.
class given_events final : public answer_source {
 public:
  std::deque<proxy::result<proxy::stream_event>> all;

  std::optional<proxy::result<proxy::stream_event>> poll() override {
    if (all.empty()) return std::nullopt;
    auto next = std::move(all.front());
    all.pop_front();
    return next;
  }
  bool may_have_event() const override { return !all.empty(); }
  boost::asio::awaitable<void> readable() override { co_return; }
  std::optional<proxy::result<proxy::stream_event>> read() override { return poll(); }
};

class ContinuedSource : public testing::Test {
 protected:
  void say(std::string_view text) { add({.text = text}); }
  void add(delta each) {
    deltas.push_back(each);
    inner.all.push_back(event_of(deltas.back()));
  }
  void finish() {
    add({.kind = delta_kind::finish, .text = "stop"});
    inner.all.push_back(proxy::stream_event{.kind = event_kind::end});
  }
  void report(proxy::token_usage reported) {
    usage = reported;
    inner.all.push_back(proxy::stream_event{.usage = &usage});
  }

  // Returns the joined texts, followed by "|end" or by "|" and the failure.
  std::string read(const continued_chunks* chunks = nullptr) {
    continued_source from(inner, before, chunks);
    std::string text;
    while (const auto next = from.poll()) {
      if (!*next) return text + "|" + next->error().detail;
      for (const std::string_view piece : (*next)->json) passed.push_back(json::parse(piece));
      for (const delta& each : (*next)->deltas)
        if (each.kind == delta_kind::text) text += each.text;
      if ((*next)->usage != nullptr) seen_usage = *(*next)->usage;
      if ((*next)->kind == event_kind::end) return text + "|end";
    }
    return text;
  }

  std::deque<delta> deltas;
  proxy::token_usage usage;
  given_events inner;
  continued_text before{"Once upon a time", " ", 4};
  std::vector<json> passed;
  std::optional<proxy::token_usage> seen_usage;
};

TEST_F(ContinuedSource, GoesOnWithTheText) {
  say("there was"), say(" a fox"), finish();
  EXPECT_EQ(read(), "there was a fox|end");
}

TEST_F(ContinuedSource, WhiteSpaceThatTheClientHasIsNotSaidTwice) {
  before.cut = "\n\n";
  say("\n"), say("\n\n- a fox"), finish();
  EXPECT_EQ(read(), "\n- a fox|end");
}

TEST_F(ContinuedSource, OtherWhiteSpaceIsKept) {
  before.cut = "";
  say(" there"), finish();
  EXPECT_EQ(read(), " there|end");
}

TEST_F(ContinuedSource, ARepetitionOfWhatItWasGivenIsLeftOut) {
  say("Once "), say("upon a"), say(" time there was"), finish();
  EXPECT_EQ(read(), "there was|end") << "and the space behind it, which the client has";
}

TEST_F(ContinuedSource, WhatBeginsLikeOneAndIsNoneIsSaid) {
  say("Once "), say("more"), say(", please"), finish();
  EXPECT_EQ(read(), "Once more, please|end");
}

TEST_F(ContinuedSource, ARepetitionThatEndsThereDoesNotGoOn) {
  say("Once "), finish();
  EXPECT_EQ(read(), "|the target repeated the earlier text without continuing it");
}

TEST_F(ContinuedSource, ThoughtsAreLeftOutAndCallsAreRefused) {
  add({.kind = delta_kind::reasoning, .text = "how do I go on?"});
  say("there was");
  add({.kind = delta_kind::call, .text = "f"});
  EXPECT_EQ(read(), "there was|the target continued with an item that is not text");
}

TEST_F(ContinuedSource, AFailurePasses) {
  say("there was");
  inner.all.push_back(proxy::bad_stream("cut"));
  EXPECT_EQ(read(), "there was|cut");
}

TEST_F(ContinuedSource, ChunksAreLikeThoseBefore) {
  continued_chunks chunks{{R"("chatcmpl-1")", "17", R"("m")"}, true};
  say("there"), report({.input_tokens = 24, .output_tokens = 2, .cached_input_tokens = 22}), finish();
  EXPECT_EQ(read(&chunks), "there|end");
  ASSERT_EQ(passed.size(), 3u);
  for (const json& each : passed) {
    EXPECT_EQ(each["id"], "chatcmpl-1");
    EXPECT_EQ(each["created"], 17);
    EXPECT_EQ(each["model"], "m");
    EXPECT_EQ(each["object"], "chat.completion.chunk");
  }
  EXPECT_EQ(passed[0]["choices"], json::parse(R"([{"index":0,"delta":{"content":"there"},"finish_reason":null}])"));
  EXPECT_EQ(passed[1]["choices"], json::parse(R"([{"index":0,"delta":{},"finish_reason":"stop"}])"));
  EXPECT_EQ(passed[2]["choices"], json::array());
  EXPECT_EQ(passed[2]["usage"]["prompt_tokens"], 20) << "what it was given is output, too";
  EXPECT_EQ(passed[2]["usage"]["completion_tokens"], 6);
  EXPECT_EQ(passed[2]["usage"]["prompt_tokens_details"]["cached_tokens"], 20);
}

TEST_F(ContinuedSource, UsageIsShownToThoseWhoAskForIt) {
  continued_chunks chunks{{R"("chatcmpl-1")", "17", R"("m")"}, false};
  say("there"), report({.input_tokens = 24, .output_tokens = 2}), finish();
  read(&chunks);
  EXPECT_EQ(passed.size(), 2u);
}

TEST_F(ContinuedSource, OtherApisAreTheirWriters) {
  say("there"), report({.input_tokens = 3, .output_tokens = 2}), finish();
  EXPECT_EQ(read(), "there|end");
  EXPECT_TRUE(passed.empty());
  ASSERT_TRUE(seen_usage);
  EXPECT_EQ(seen_usage->input_tokens, 0u) << "no more is moved than it reports";
  EXPECT_EQ(seen_usage->output_tokens, 5u);
}

}  // namespace
}  // namespace photofinish::gateway
