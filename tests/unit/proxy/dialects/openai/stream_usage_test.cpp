// Tests the usage in streams with small faults: its position in the stream, and which token counts the gateway accepts.
#include "proxy/dialects/openai/stream_state.hpp"

#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::play_chunks;

const std::string role_chunk =
    R"({"id":"i","created":5,"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})";
const std::string stop_chunk = R"({"id":"i","created":5,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";
const std::string early_usage = R"({"prompt_tokens":3,"completion_tokens":1})";
const std::string late_usage = R"({"prompt_tokens":3,"completion_tokens":2,"cost":0.10})";

std::string with_usage(std::string_view content, const std::string& usage) {
  return R"({"id":"i","created":5,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":")" +
         std::string(content) + R"("},"finish_reason":"stop"}],"usage":)" + usage + "}";
}

TEST(StreamUsage, NoLaterReportLowersACount) {
  const auto chunk = [](const std::string& usage) { return R"({"id":"i","created":5,"choices":[],"usage":)" + usage + "}"; };
  const auto usage_in = [&](const std::vector<std::string>& reports) {
    std::vector<std::string> chunks{role_chunk, stop_chunk};
    for (const std::string& each : reports) chunks.push_back(chunk(each));
    const auto played = play_chunks(chunks, usage_chunk::wanted);
    EXPECT_EQ(played.summary.usage->input_tokens, 3u);
    EXPECT_EQ(played.summary.usage->output_tokens, 2u);
    return played.json.back();
  };
  EXPECT_EQ(usage_in({late_usage, R"({"prompt_tokens":0,"completion_tokens":0})"}), chunk(late_usage));
  EXPECT_EQ(usage_in({late_usage, early_usage}), chunk(late_usage));
  for (const auto& reports : {std::vector<std::string>{R"({"prompt_tokens":3,"a":1})", R"({"prompt_tokens":0,"completion_tokens":2})"},
                              {R"({"prompt_tokens":0,"completion_tokens":2})", R"({"prompt_tokens":3,"completion_tokens":0})"}}) {
    const std::string last = usage_in(reports);
    EXPECT_NE(last.find(R"("prompt_tokens":3)"), std::string::npos) << last;
    EXPECT_NE(last.find(R"("completion_tokens":2)"), std::string::npos) << last;
    EXPECT_NE(last.find(R"("total_tokens":5)"), std::string::npos) << last;
  }
}

TEST(StreamUsage, CountsThatClientsCannotReadBecomeNumbersUnderTheUsualNames) {
  for (const char* const usage : {R"({"prompt_tokens":"3","completion_tokens":"2","total_tokens":"5"})", R"({"input_tokens":3,"output_tokens":2})"}) {
    const auto played = play_chunks({role_chunk, stop_chunk, R"({"id":"i","created":5,"choices":[],"usage":)" + std::string(usage) + "}"}, usage_chunk::wanted);
    for (const char* const count : {R"("prompt_tokens":3)", R"("completion_tokens":2)", R"("total_tokens":5)"})
      EXPECT_NE(played.json.back().find(count), std::string::npos) << played.json.back();
  }
}

TEST(StreamUsage, CountsOfDetailsBecomeNumbersToo) {
  const std::string usage = R"({"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,)"
                            R"("prompt_tokens_details":{"cached_tokens":"1","note":"7"},)"
                            R"("completion_tokens_details":{"reasoning_tokens":"0"}})";
  const auto played = play_chunks({role_chunk, stop_chunk, R"({"id":"i","created":5,"choices":[],"usage":)" + usage + "}"},
                                  usage_chunk::wanted);
  const std::string& last = played.json.back();
  EXPECT_NE(last.find(R"("prompt_tokens_details":{"cached_tokens":1,"note":"7"})"), std::string::npos) << last;
  EXPECT_NE(last.find(R"("completion_tokens_details":{"reasoning_tokens":0})"), std::string::npos) << last;
}

TEST(StreamUsage, UsageIsTakenOffContentChunks) {
  EXPECT_EQ(play_chunks({with_usage("a", late_usage)}).json, (std::vector<std::string>{with_usage("a", "null")}));
}

TEST(StreamUsage, NullUsageStaysWhereItIs) {
  EXPECT_EQ(play_chunks({with_usage("a", "null")}).json, (std::vector<std::string>{with_usage("a", "null")}));
}

TEST(StreamUsage, CumulativeUsageComesOnceAtTheEndIfAskedFor) {
  const std::string more =
      R"({"id":"i","created":5,"choices":[{"index":0,"delta":{"content":"b"}}],"usage":)" + late_usage + "}";
  const auto played = play_chunks({with_usage("a", early_usage), more}, usage_chunk::wanted);
  ASSERT_EQ(played.json.size(), 3u);
  EXPECT_EQ(played.json[2],
            R"({"id":"i","object":"chat.completion.chunk","created":5,"model":"m","choices":[],"usage":)" + late_usage + "}");
  EXPECT_EQ(played.summary.usage->output_tokens, 2u);
}

TEST(StreamUsage, UsageInEachChunkStaysIfAskedFor) {
  const auto played = play_chunks({with_usage("a", early_usage)}, usage_chunk::wanted_always);
  ASSERT_EQ(played.json.size(), 2u);
  EXPECT_EQ(played.json[0], with_usage("a", early_usage));
  EXPECT_NE(played.json[1].find(R"("choices":[],"usage":)" + early_usage), std::string::npos);
}

TEST(StreamUsage, AnObjectOfAnotherNameIsMended) {
  const std::string before = R"({"id":"i","created":5,"object":"chat.completion","choices":[],"usage":)" + late_usage + "}";
  const std::string after = R"({"id":"i","created":5,"object":"chat.completion.chunk","choices":[],"usage":)" + late_usage + "}";
  EXPECT_EQ(play_chunks({role_chunk, stop_chunk, before}, usage_chunk::wanted).json,
            (std::vector<std::string>{role_chunk, stop_chunk, after}));
  const std::string text = R"({"id":"i","created":5,"object":"text_completion","choices":[{"index":0,"delta":{"content":"a"}}]})";
  EXPECT_EQ(play_chunks({role_chunk, text, text, stop_chunk}).json.at(2),
            R"({"id":"i","created":5,"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]})");
}

TEST(StreamUsage, AUsageChunkIsSwallowedIfNotAskedFor) {
  const std::string usage_only = R"({"id":"i","created":5,"choices":[],"usage":)" + late_usage + "}";
  const auto played = play_chunks({role_chunk, stop_chunk, usage_only});
  EXPECT_EQ(played.json, (std::vector<std::string>{role_chunk, stop_chunk}));
  EXPECT_EQ(played.summary.usage->output_tokens, 2u);
}

TEST(StreamUsage, TheProvidersOwnUsageChunkComesLastWithAllItHolds) {
  const std::string before = R"({"id":"other","created":6,"choices":[],"usage":)" + late_usage + R"(,"time_info":{"total_time":1}})";
  const std::string after = R"({"id":"i","created":5,"choices":[],"usage":)" + late_usage + R"(,"time_info":{"total_time":1}})";
  EXPECT_EQ(play_chunks({role_chunk, before, before, stop_chunk}, usage_chunk::wanted).json,
            (std::vector<std::string>{role_chunk, stop_chunk, after}));
}

TEST(StreamUsage, NoUsageChunkWithoutAKnownUsage) {
  EXPECT_EQ(play_chunks({role_chunk, stop_chunk, R"({"id":"i","created":5,"choices":[],"usage":{}})"}, usage_chunk::wanted).json,
            (std::vector<std::string>{role_chunk, stop_chunk}));
}


}  // namespace
}  // namespace photofinish::proxy
