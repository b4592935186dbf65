// Tests recorded answers of OpenAI's APIs other than chat. The gateway must pass embeddings and similar answers on unchanged, and must
// count their reported usage. For completions, the text must equal the text that a simple reader finds.
#include "proxy/dialects/openai/openai_dialect.hpp"
#include "tests/support/streams/recordings.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

struct recorded_whole {
  const char* path;
  wire_format format;
};

TEST(WholeRecordings, PassAsTheyAre) {
  const auto root = test::recordings();
  if (!root) GTEST_SKIP() << test::no_recordings;
  for (const recorded_whole& each : {recorded_whole{"ai/openai/embedding--openai-embedding.json", wire_format::openai_embeddings},
                                     {"ai/openai/image--openai-image.json", wire_format::openai_images},
                                     {"ai/openai/transcription--openai-transcription.json", wire_format::openai_transcription},
                                     {"ai/mistral/mistral-transcription.json", wire_format::openai_transcription},
                                     {"ai/cohere/reranking--cohere-reranking.1.json", wire_format::openai_rerank}}) {
    SCOPED_TRACE(each.path);
    const std::string body = test::recorded_text(*root / each.path);
    stream_settings settings;
    settings.format = each.format;
    const auto stream = openai_dialect().open_stream(std::move(settings));
    ASSERT_EQ(stream->on_head({200, {{"content-type", "application/json"}}}), answer_kind::whole);
    ASSERT_TRUE(stream->see_whole(body));
    ASSERT_TRUE(stream->on_whole(body));
    const auto said = stream->next_of_whole({});
    ASSERT_TRUE(said);
    ASSERT_EQ(said->size(), 2u);
    std::string passed;
    for (const std::string_view piece : said->front().json) passed += piece;
    EXPECT_EQ(passed, body);
    const json usage = json::parse(body).value("usage", json::object());
    const std::uint64_t input = usage.value("prompt_tokens", std::uint64_t{0});
    EXPECT_EQ(said->front().usage == nullptr ? 0 : said->front().usage->input_tokens, input);
    EXPECT_EQ(said->back().kind, event_kind::end);
  }
}

TEST(WholeRecordings, ACompletionIsReadAsItIs) {
  if (!test::recordings()) GTEST_SKIP() << test::no_recordings;
  std::size_t streams = 0;
  for (const auto& each : test::recorded_streams("ai/openai", "text_completion")) {
    SCOPED_TRACE(each.name);
    std::string text;
    for (const std::string& event : each.events) {
      const json chunk = json::parse(event);
      for (const json& choice : chunk.at("choices")) text += choice.at("text").get<std::string>();
    }
    const std::string bytes = test::events_of(each.events) + "data: [DONE]\n\n";
    for (const std::size_t cut : test::cuts_of(bytes, "data: ")) {
      stream_settings settings = test::settings_for_test();
      settings.format = wire_format::openai_completions;
      test::stream_player player(settings);
      player.feed(std::string_view(bytes).substr(0, cut));
      player.feed(std::string_view(bytes).substr(cut));
      player.end_body();
      ASSERT_FALSE(player.played().failed) << cut;
      ASSERT_EQ(player.played().said.at(delta_kind::text), text) << cut;
      ASSERT_EQ(player.played().ends, 1u) << cut;
    }
    ++streams;
  }
  EXPECT_GT(streams, 0u);
}

}  // namespace
}  // namespace photofinish::proxy
