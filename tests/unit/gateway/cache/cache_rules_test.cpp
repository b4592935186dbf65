#include "gateway/cache/cache_rules.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

using metrics::endpoint;
using std::chrono::seconds;

parsed_request asked_for(std::string body) {
  parsed_request made;
  made.body = std::make_shared<const proxy::client_body>(std::move(body));
  return made;
}

bool may_be(std::string body, endpoint called = endpoint::chat_completions, const cache_directives& directives = {}) {
  return may_be_cached(asked_for(std::move(body)), called, directives);
}

cache_directives directives_of(std::string_view value) {
  const std::vector<proxy::header_field> fields{{"cache-control", value}};
  return read_cache_directives(fields);
}

std::string digest_text(std::string body, endpoint called = endpoint::chat_completions, std::string_view owner = "o",
                        std::vector<std::string> targets = {"a/m"}) {
  const parsed_request made = asked_for(std::move(body));
  const digest found = question_digest(
      {.called = called, .route = "fast", .rule = "", .owner = owner, .targets = std::move(targets), .headers = {},
       .body = made.body.get()});
  return std::string(as_text(found));
}

TEST(CacheRules, OnlyWhatSaysTheSameEachTimeMayBeCached) {
  EXPECT_TRUE(may_be(R"({"temperature":0})"));
  EXPECT_TRUE(may_be(R"({"temperature": 0.0, "n": 1, "tools": [ ], "functions": null})"));
  EXPECT_TRUE(may_be(R"({"temperature":0e5})"));
  EXPECT_FALSE(may_be(R"({})"));
  EXPECT_FALSE(may_be(R"({"temperature":0.01})"));
  EXPECT_FALSE(may_be(R"({"temperature":null})"));
  EXPECT_FALSE(may_be(R"({"temperature":"0"})"));
  EXPECT_FALSE(may_be(R"({"temperature":0,"n":2})"));
  EXPECT_FALSE(may_be(R"({"temperature":0,"best_of":3})"));
  for (const char* acting : {"tools", "functions", "mcp_servers"})
    EXPECT_FALSE(may_be(R"({"temperature":0,")" + std::string(acting) + R"(":[{"a":1}]})")) << acting;
  EXPECT_FALSE(may_be(R"({"temperature":0,"web_search_options":{"a":1}})"));
}

TEST(CacheRules, AMaxAgeAllowsWhatVaries) {
  EXPECT_TRUE(may_be(R"({"temperature":1})", endpoint::chat_completions, directives_of("max-age=60")));
  EXPECT_TRUE(may_be(R"({})", endpoint::messages, directives_of("max-age=60")));
  EXPECT_FALSE(may_be(R"({"tools":[{}]})", endpoint::chat_completions, directives_of("max-age=60")));
}

TEST(CacheRules, ComputedAnswersNeedNoTemperature) {
  for (const endpoint called : {endpoint::embeddings, endpoint::rerank, endpoint::moderations})
    EXPECT_TRUE(may_be(R"({"input":"a"})", called));
  for (const endpoint called : {endpoint::images, endpoint::audio_speech, endpoint::audio_transcriptions})
    EXPECT_FALSE(may_be(R"({"temperature":0})", called));
}

TEST(CacheRules, NeitherStateNorGreatLengthIsCached) {
  parsed_request kept = asked_for(R"({"temperature":0,"store":true})");
  kept.state.field = "store";
  EXPECT_FALSE(may_be_cached(kept, endpoint::responses, {}));
  const std::string padding(longest_cached_request, 'x');
  EXPECT_FALSE(may_be(R"({"temperature":0,"a":")" + padding + R"("})"));
}

TEST(CacheRules, CacheControlIsReadAsHttpHasIt) {
  EXPECT_TRUE(directives_of("No-Cache").is_fresh_wanted);
  EXPECT_TRUE(directives_of("max-age=5 , no-store").is_unkept);
  EXPECT_EQ(directives_of("max-age=5 , no-store").max_age, seconds(5));
  EXPECT_EQ(directives_of("MAX-AGE=0").max_age, seconds(0));
  EXPECT_EQ(directives_of("max-age=99999999999999999999").max_age, seconds(366 * 24 * 3600));
  EXPECT_FALSE(directives_of("max-age=-1").max_age);
  EXPECT_FALSE(directives_of("max-age=").max_age);
  EXPECT_FALSE(directives_of("max-stale=5, s-maxage=3").max_age);
  EXPECT_FALSE(directives_of(",,no-cachex,").is_fresh_wanted);
}

TEST(CacheRules, FormAndUserAreNotPartOfTheQuestion) {
  const std::string asked = digest_text(R"({"model":"fast","messages":["a b"],"temperature":0})");
  EXPECT_EQ(digest_text("{ \"temperature\": 0,\n\"messages\": [ \"a b\" ], \"model\":\"fast\"}"), asked);
  EXPECT_EQ(digest_text(R"({"model":"fast","messages":["a b"],"temperature":0,"stream":true,)"
                        R"("stream_options":{"include_usage":true},"user":"u","safety_identifier":"s"})"),
            asked);
  EXPECT_NE(digest_text(R"({"model":"fast","messages":["a  b"],"temperature":0})"), asked);
  EXPECT_NE(digest_text(R"({"model":"fast","messages":["a b"],"temperature":0,"seed":1})"), asked);
  EXPECT_NE(digest_text(R"({"model":"fast","messages":["a b"],"temperature":0,"metadata":{"a":"b"}})"), asked);
}

// In the Responses API, an answer repeats the end user's id. Therefore an answer that was cached for one user must not be sent to another.
TEST(CacheRules, OfResponsesTheEndUserIsPartOfTheQuestion) {
  const std::string one = digest_text(R"({"model":"fast","input":"q","user":"u"})", endpoint::responses);
  EXPECT_NE(digest_text(R"({"model":"fast","input":"q","user":"v"})", endpoint::responses), one);
  EXPECT_EQ(digest_text(R"({"model":"fast","input":"q","user":"u","stream":true})", endpoint::responses), one);
  EXPECT_EQ(digest_text(R"({"messages":[],"metadata":{"user_id":"u"}})", endpoint::messages),
            digest_text(R"({"messages":[]})", endpoint::messages));
}

TEST(CacheRules, ContinuousUsageIsInEachChunk) {
  parsed_request continuous = asked_for(R"({"temperature":0})");
  continuous.usage = proxy::usage_chunk::wanted_always;
  EXPECT_FALSE(may_be_cached(continuous, endpoint::chat_completions, {}));
}

TEST(CacheRules, ApiOwnerAndTargetsArePartOfIt) {
  const std::string body = R"({"model":"fast","messages":[],"temperature":0})";
  const std::string asked = digest_text(body);
  EXPECT_NE(digest_text(body, endpoint::messages), asked);
  EXPECT_NE(digest_text(body, endpoint::chat_completions, "p"), asked);
  EXPECT_NE(digest_text(body, endpoint::chat_completions, "o", {"a/m", "b/m"}), asked);
  EXPECT_NE(digest_text(body, endpoint::chat_completions, "o", {"a/m2"}), asked);
}

// Different contents must never have the same digest, even if their parts give the same text when they are joined.
TEST(CacheRules, PartsDoNotRunTogether) {
  EXPECT_NE(digest_text(R"({"a":1,"b":2})"), digest_text(R"({"a":"1:b1:2"})"));
  EXPECT_NE(digest_text("{}", endpoint::chat_completions, "o", {"a", "b"}),
            digest_text("{}", endpoint::chat_completions, "o", {"ab"}));
  EXPECT_NE(digest_text(R"({"a":1,"a":2})"), digest_text(R"({"a":2,"a":1})"));
  EXPECT_EQ(digest_text(R"({"\u0061":1})"), digest_text(R"({"a":1})"));
}

TEST(CacheRules, AnotherRaceIsNotShared) {
  const digest question{1, 2, 3};
  const std::vector<proxy::header_field> none{{"x-request-id", "a"}}, lowered{{"x-race-policy", "fallback"}};
  EXPECT_EQ(race_digest(question, none), race_digest(question, {}));
  EXPECT_NE(race_digest(question, lowered), race_digest(question, {}));
}

proxy::stream_event finishing(const proxy::delta& with) {
  proxy::stream_event event;
  event.deltas = {&with, 1};
  return event;
}

TEST(CacheRules, SoundIsWhatStoppedByItself) {
  using proxy::finish_reason;
  const auto is_sound = [](proxy::delta end, endpoint called = endpoint::chat_completions) {
    sound_answer seen;
    seen.see(finishing(end));
    return seen.is_sound(called);
  };
  EXPECT_TRUE(is_sound({.kind = proxy::delta_kind::finish, .reason = finish_reason::stop}));
  EXPECT_FALSE(is_sound({.kind = proxy::delta_kind::finish, .reason = finish_reason::length}));
  EXPECT_FALSE(is_sound({.kind = proxy::delta_kind::finish, .reason = finish_reason::content_filter}));
  EXPECT_FALSE(is_sound({.kind = proxy::delta_kind::finish, .reason = finish_reason::stop, .is_foreign = true}));
  EXPECT_FALSE(is_sound({.kind = proxy::delta_kind::text, .text = "cut"}));
  EXPECT_TRUE(is_sound({.kind = proxy::delta_kind::text, .text = "[]"}, endpoint::embeddings));
  sound_answer calls;
  calls.see(finishing({.kind = proxy::delta_kind::call, .text = "f"}));
  calls.see(finishing({.kind = proxy::delta_kind::finish, .reason = finish_reason::stop}));
  EXPECT_FALSE(calls.is_sound(endpoint::chat_completions));
}

}  // namespace
}  // namespace photofinish::gateway
