// Tests how the gateway detects requests whose answers no provider can stream.
#include "gateway/attempts/setup/only_whole.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace photofinish::gateway {
namespace {

using proxy::wire_format;

bool is_whole(const std::string& body, wire_format format = wire_format::openai_chat,
              answer_form form = answer_form::whole) {
  parsed_request asked;
  asked.format = format;
  asked.form = form;
  asked.body = std::make_shared<const proxy::client_body>(body);
  return is_only_whole(asked);
}

TEST(OnlyWhole, SoundOfChatInAnotherFormatThanPcm16) {
  EXPECT_TRUE(is_whole(R"({"audio":{"voice":"ash","format":"wav"}})"));
  EXPECT_TRUE(is_whole(R"({"audio":{"voice":"ash","format":"mp3"}})"));
  EXPECT_FALSE(is_whole(R"({"audio":{"voice":"ash","format":"pcm16"}})"));
  EXPECT_FALSE(is_whole(R"({"audio":{"voice":"ash","format":"pcm\u0031\u0036"}})"));
  EXPECT_FALSE(is_whole(R"({"audio":null})"));
  EXPECT_FALSE(is_whole(R"({"audio":"wav"})"));
  EXPECT_FALSE(is_whole(R"({})"));
}

TEST(OnlyWhole, ABeamSearch) {
  for (const wire_format format : {wire_format::openai_chat, wire_format::openai_completions}) {
    EXPECT_TRUE(is_whole(R"({"use_beam_search":true})", format));
    EXPECT_FALSE(is_whole(R"({"use_beam_search":false})", format));
  }
}

TEST(OnlyWhole, AClientThatWantsAStreamAsksForOne) {
  EXPECT_FALSE(is_whole(R"({"audio":{"format":"wav"}})", wire_format::openai_chat, answer_form::stream));
  EXPECT_FALSE(is_whole(R"({"audio":{"format":"wav"}})", wire_format::anthropic_messages));
}

}  // namespace
}  // namespace photofinish::gateway
