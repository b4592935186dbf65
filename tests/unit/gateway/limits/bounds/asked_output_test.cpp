// Tests the parser of a request's output limit, with the different names in each API and with different spellings of the number.
#include "gateway/limits/bounds/asked_output.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using enum proxy::wire_format;

parsed_request asked(proxy::wire_format format, const std::string& members) {
  parsed_request made{.format = format};
  made.body = std::make_shared<const proxy::client_body>("{\"model\":\"m\"" + members + "}");
  made.prompt = made.body->value_of("prompt");
  return made;
}

TEST(AskedOutput, AnySpellingOfANumberIsThatNumber) {
  for (const char* text : {"20000", "20000.0", "2e4", "2E+4", "0.2e5", R"("20000")", R"(" 2e4 ")", "19999.5"})
    EXPECT_EQ(count_in_json(text), 20'000u) << text;
  EXPECT_EQ(count_in_json("1e300"), most_countable);
  EXPECT_EQ(count_in_json("1e999"), most_countable);
  EXPECT_EQ(count_in_json("18446744073709551616"), most_countable);
}

TEST(AskedOutput, WhatIsNotANumberAboveZeroIsUnknown) {
  for (const char* text : {"", "null", "-1", "-2e4", "-1e999", "0", "0.0", "true", "[20000]", "{}", R"("")", R"("many")",
                           R"("20000 tokens")", R"("inf")", R"("nan")"})
    EXPECT_FALSE(count_in_json(text)) << text;
}

TEST(AskedOutput, OnlyAnApisOwnNamesCount) {
  const std::string all = R"(,"max_tokens":20000,"max_output_tokens":1,"max_completion_tokens":30)";
  EXPECT_EQ(most_of_one_answer(asked(openai_chat, all)), 20'000u) << "one provider obeys this name, another that";
  EXPECT_EQ(most_of_one_answer(asked(openai_completions, all)), 20'000u);
  EXPECT_EQ(most_of_one_answer(asked(anthropic_messages, all)), 20'000u);
  EXPECT_EQ(most_of_one_answer(asked(openai_responses, all)), 1u);
  EXPECT_FALSE(most_of_one_answer(asked(openai_embeddings, all)));
  EXPECT_FALSE(most_of_one_answer(asked(openai_chat, R"(,"max_tokens":-1,"max_completion_tokens":null)")));
}

TEST(AskedOutput, EachAnswerIsBought) {
  EXPECT_EQ(answers_of(asked(openai_chat, "")), 1u);
  EXPECT_EQ(answers_of(asked(openai_chat, R"(,"n":20)")), 20u);
  EXPECT_EQ(answers_of(asked(openai_chat, R"(,"n":"2e1")")), 20u);
  EXPECT_EQ(answers_of(asked(openai_chat, R"(,"n":-3)")), 1u);
  EXPECT_EQ(answers_of(asked(openai_completions, R"(,"n":2,"best_of":5)")), 5u);
  EXPECT_EQ(answers_of(asked(openai_completions, R"(,"n":2,"prompt":["a","b","c"])")), 6u);
  EXPECT_EQ(answers_of(asked(openai_completions, R"(,"prompt":[[1,2],[3]])")), 2u);
  EXPECT_EQ(answers_of(asked(openai_completions, R"(,"prompt":[1,2,3])")), 1u) << "tokens of one prompt";
  EXPECT_EQ(answers_of(asked(openai_responses, R"(,"n":20)")), 1u);
  EXPECT_EQ(answers_of(asked(openai_chat, R"(,"n":1e30)")), 1'000'000u);
}

}  // namespace
}  // namespace photofinish::gateway
