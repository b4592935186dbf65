#include "gateway/limits/limit_answers.hpp"

#include "gateway/limits/reserved_tokens.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr proxy::instant start{std::chrono::hours(100)};

TEST(LimitAnswers, AResetIsWrittenAsOpenAIWritesIt) {
  EXPECT_EQ(reset_text(0s), "0s");
  EXPECT_EQ(reset_text(1ns), "1ms");
  EXPECT_EQ(reset_text(20ms), "20ms");
  EXPECT_EQ(reset_text(1s), "1s");
  EXPECT_EQ(reset_text(1500ms), "1.5s");
  EXPECT_EQ(reset_text(7005ms), "7.005s");
  EXPECT_EQ(reset_text(6min), "6m0s");
  EXPECT_EQ(reset_text(61s), "1m1s");
}

TEST(LimitAnswers, MoneyIsWrittenExactly) {
  EXPECT_EQ(dollars(0), "0");
  EXPECT_EQ(dollars(1), "0.000000001");
  EXPECT_EQ(dollars(12'500'000'000), "12.5");
  EXPECT_EQ(dollars(50'000'000'000), "50");
}

TEST(LimitAnswers, HeadersAreOfTheAccountWithTheLeastLeft) {
  const limit_settings key{.requests_per_minute = 60, .tokens_per_minute = 1000};
  const limit_settings team{.requests_per_minute = 600, .budget_nano_usd = 2'000'000'000};
  limit_account of_key, of_team;
  limit_claims claims;
  claims.add(limit_scope::key, key, of_key);
  claims.add(limit_scope::team, team, of_team);
  of_team.requests.charge(59s, start);  // 10 of 600 permitted requests remain
  of_key.tokens.charge(15s, start);
  of_team.spend(1'500'000'000);
  header_fields fields;
  append_limit_fields(fields, claims, start, std::chrono::sys_days(std::chrono::year(2026) / 11 / 30));
  EXPECT_EQ(fields.text(),
            "x-ratelimit-limit-requests: 600\r\nx-ratelimit-remaining-requests: 10\r\nx-ratelimit-reset-requests: 59s\r\n"
            "x-ratelimit-limit-tokens: 1000\r\nx-ratelimit-remaining-tokens: 750\r\nx-ratelimit-reset-tokens: 15s\r\n"
            "x-photofinish-key-spend-usd: 1.5\r\nx-photofinish-key-budget-usd: 2\r\n"
            "x-photofinish-key-budget-reset: 86400\r\n");
}

TEST(LimitAnswers, EachKindOfRefusalHasItsStatusAndAdvice) {
  const limit_settings limits{.requests_per_minute = 6, .tokens_per_minute = 9, .parallel_requests = 3,
                              .budget_nano_usd = 5};
  limit_account account;
  const limit_claim claim{limit_scope::team, &limits, &account};
  const auto error = [&claim](limit_kind kind) { return explain({kind, claim, 10, 1500us}); };
  for (const limit_kind kind : {limit_kind::requests, limit_kind::tokens, limit_kind::parallel}) {
    EXPECT_EQ(error(kind).status, 429);
    EXPECT_EQ(error(kind).code, "rate_limit_exceeded");
    EXPECT_GT(error(kind).retry_after->count(), 0);
    EXPECT_NE(error(kind).message.find("team"), std::string::npos);
  }
  EXPECT_EQ(error(limit_kind::requests).retry_after, 2ms);
  account.hold_money(5);
  EXPECT_EQ(error(limit_kind::budget).code, "rate_limit_exceeded") << "what runs may cost less than is held for it";
  EXPECT_TRUE(error(limit_kind::budget).retry_after);
  account.spend(5);
  EXPECT_EQ(error(limit_kind::budget).status, 429);
  EXPECT_EQ(error(limit_kind::budget).code, "insufficient_quota");
  EXPECT_EQ(error(limit_kind::budget).advice, retry_advice::no);
  EXPECT_FALSE(error(limit_kind::budget).retry_after);
  EXPECT_EQ(error(limit_kind::too_large).status, 400);
  EXPECT_EQ(error(limit_kind::too_large).code, "request_exceeds_limit");
  EXPECT_EQ(blocked_key().status, 401);
  EXPECT_EQ(expired_key({}).status, 401);
}

parsed_request asked(const std::string& more, std::string prompt = "",
                     proxy::wire_format format = proxy::wire_format::openai_chat) {
  parsed_request made{.format = format};
  static std::string kept;
  kept = std::move(prompt);
  made.prompt = kept;
  made.body = std::make_shared<const proxy::client_body>("{\"model\":\"m\"" + more + "}");
  return made;
}

TEST(ReservedTokens, AreThePromptsAndWhatItsAnswerMayHave) {
  using enum metrics::endpoint;
  EXPECT_EQ(tokens_to_reserve(asked("", std::string(400, 'x')), chat_completions).input, 100u);
  EXPECT_EQ(tokens_to_reserve(asked(R"(,"max_tokens":70)"), chat_completions).most_output, 70u);
  const parsed_request of_responses = asked(R"(,"max_output_tokens":50)", "", proxy::wire_format::openai_responses);
  EXPECT_EQ(tokens_to_reserve(of_responses, responses).most_output, 50u);
  EXPECT_FALSE(tokens_to_reserve(asked(""), chat_completions).most_output);
  EXPECT_EQ(tokens_to_reserve(asked(""), embeddings).most_output, 0u);
}

TEST(ReservedTokens, AreThoseOfAllAnswers) {
  using enum metrics::endpoint;
  EXPECT_EQ(tokens_to_reserve(asked(R"(,"max_tokens":2e4,"n":20)"), chat_completions).most_output, 400'000u);
  const wanted_tokens unknown = tokens_to_reserve(asked(R"(,"n":20)"), chat_completions);
  EXPECT_FALSE(unknown.most_output);
  EXPECT_EQ(unknown.answers, 20u);
}

TEST(ReservedTokens, APictureIsNotItsBytes) {
  const std::string picture(1'000'000, 'A');
  const std::string text = R"([{"url":"data:image/png;base64,)" + picture + R"("},{"data":")" + picture + R"("}])";
  const auto wanted = tokens_to_reserve(asked("", text), metrics::endpoint::chat_completions);
  EXPECT_GE(wanted.input, 2000u);
  EXPECT_LE(wanted.input, 2100u);
}

TEST(ReservedTokens, APictureWithinAnotherMembersTextCountsOnce) {
  const std::string text = R"({"data":"data:image/png;base64,)" + std::string(1'000'000, 'A') + R"("})";
  const auto wanted = tokens_to_reserve(asked("", text), metrics::endpoint::chat_completions);
  EXPECT_GE(wanted.input, 1000u);
  EXPECT_LE(wanted.input, 1100u);
}

TEST(ReservedTokens, WhatIsNoPictureCountsAsItsBytes) {
  std::string many;
  while (many.size() < 1'000'000) many += ";base64,\"\"data\":\"";
  const auto wanted = tokens_to_reserve(asked("", many), metrics::endpoint::chat_completions);
  EXPECT_EQ(wanted.input, many.size() / 4);
}

TEST(ReservedTokens, ADataUrlWithinATextIsText) {
  const std::string text = R"({"text":"see data:image/png;base64,)" + std::string(1'000'000, 'A') + R"("})";
  EXPECT_EQ(tokens_of_prompt(text), text.size() / 4);
}

TEST(ReservedTokens, APictureIsFoundWhereverItStands) {
  const std::string picture = R"("data":")" + std::string(4'000, 'A') + "\"";
  for (const std::size_t before : {0, 1, 3'990, 3'999, 4'000, 4'001, 9'000})
    for (const char of : {'x', '"'}) {
      const std::string text = std::string(before, of) + picture + std::string(before, of) + picture;
      EXPECT_EQ(tokens_of_prompt(text), (text.size() - 8'000) / 4 + 2'000) << before << of;
      // The last picture is incomplete, because its data ends after 3,999 bytes.
      const std::string_view cut = std::string_view(text).substr(0, text.size() - 2);
      EXPECT_EQ(tokens_of_prompt(cut), (cut.size() - 4'000) / 4 + 1'000) << before << of;
    }
}

TEST(ReservedTokens, NoNumberOfAClientsWrapsAround) {
  const parsed_request most = asked(R"(,"max_tokens":18446744073709551615)", std::string(400, 'x'));
  EXPECT_EQ(tokens_to_reserve(most, metrics::endpoint::chat_completions).most_output, most_countable);
}

}  // namespace
}  // namespace photofinish::gateway
