// Tests every provider dialect with every client API. A simple client must find the provider's content in the format of the client's API.
#include "tests/unit/gateway/api/pairs/answering.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

class AnswerPairs : public ::testing::TestWithParam<named_answer> {};
INSTANTIATE_TEST_SUITE_P(Answers, AnswerPairs, ::testing::ValuesIn(all_answers()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(AnswerPairs, SayTheSame) {
  for (const reading_client& by : clients)
    for (const answering_provider& from : providers)
      for (const bool is_stream : {true, false}) {
        SCOPED_TRACE(std::string(from.name) + " to " + by.name + (is_stream ? ", streamed" : ", whole"));
        spoken_answer said = GetParam().said;
        if (from.format == wire_format::gemini) said.usage.written = 0;
        const spoken_answer got = read(by, by.request, sent_by(from, said), is_stream);
        EXPECT_EQ(got.text, said.text);
        EXPECT_EQ(got.thought, said.thought);
        ASSERT_EQ(got.calls.size(), said.calls.size());
        for (std::size_t at = 0; at < said.calls.size(); ++at) {
          EXPECT_EQ(got.calls[at].id, said.calls[at].id);
          EXPECT_EQ(got.calls[at].name, said.calls[at].name);
          EXPECT_EQ(json::parse(got.calls[at].arguments), json::parse(said.calls[at].arguments));
        }
        EXPECT_EQ(got.finish, said.finish);
        EXPECT_EQ(got.usage.input, said.usage.input);
        EXPECT_EQ(got.usage.cached, said.usage.cached);
        EXPECT_EQ(got.usage.written, said.usage.written);
        EXPECT_EQ(got.usage.output, said.usage.output);
      }
}

}  // namespace
}  // namespace photofinish::gateway::pairs
