#include "proxy/failures/error_words.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace photofinish::proxy {
namespace {

const auto name_of = [](const auto& info) { return info.param.name; };

struct word_case {
  std::string name;
  error_words words;
  failure_kind kind;
  int status;
};
void PrintTo(const word_case& one, std::ostream* out) { *out << one.name; }

class MeaningOf : public testing::TestWithParam<word_case> {};

TEST_P(MeaningOf, FindsKindAndStatus) {
  const error_meaning meaning = meaning_of(GetParam().words);
  EXPECT_EQ(to_string(meaning.kind), to_string(GetParam().kind));
  EXPECT_EQ(meaning.status, GetParam().status);
}

using enum failure_kind;

INSTANTIATE_TEST_SUITE_P(Statuses, MeaningOf,
                         testing::Values(word_case{"s400", {400, "", "", ""}, bad_request, 400},
                                         word_case{"s401", {401, "", "", ""}, auth, 401},
                                         word_case{"s402", {402, "", "", ""}, quota, 402},
                                         word_case{"s403", {403, "", "", ""}, auth, 403},
                                         word_case{"s404", {404, "", "", ""}, bad_request, 404},
                                         word_case{"s408", {408, "", "", ""}, server_error, 408},
                                         word_case{"s409", {409, "", "", ""}, server_error, 409},
                                         word_case{"s413", {413, "", "", ""}, bad_request, 413},
                                         word_case{"s422", {422, "", "", ""}, bad_request, 422},
                                         word_case{"s429", {429, "", "", ""}, rate_limited, 429},
                                         word_case{"s499", {499, "", "", ""}, server_error, 499},
                                         word_case{"s500", {500, "", "", ""}, server_error, 500},
                                         word_case{"s503", {503, "", "", ""}, server_error, 503},
                                         word_case{"s529", {529, "", "", ""}, server_error, 529},
                                         word_case{"nothing", {0, "", "", ""}, server_error, 0}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(
    Words, MeaningOf,
    testing::Values(
        word_case{"quota_as_429", {429, "insufficient_quota", "insufficient_quota", ""}, quota, 429},
        word_case{"quota_as_403", {403, "", "", "Your team has used all available credits"}, quota, 403},
        word_case{
            "quota_as_400", {400, "", "invalid_request_error", "Your credit balance is too low"}, quota, 400},
        word_case{"quota_without_status", {0, "", "", "Insufficient Balance"}, quota, 429},
        word_case{"billing_error", {403, "", "billing_error", ""}, quota, 403},
        word_case{"googles_quota_is_a_rate_limit",
                  {429, "", "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan"},
                  rate_limited,
                  429},
        word_case{"prose_about_credit_in_a_crash",
                  {500, "", "", "credit balance service crashed"},
                  server_error,
                  500},
        word_case{"rate_limit_as_413", {413, "rate_limit_exceeded", "tokens", ""}, rate_limited, 413},
        word_case{"rate_limit_as_503", {503, "rate_limit_exceeded", "", ""}, rate_limited, 503},
        word_case{"wrong_key_as_400",
                  {400, "", "INVALID_ARGUMENT", "API key not valid. Please pass one."},
                  auth,
                  400},
        word_case{"wrong_key_code_as_400", {400, "invalid_api_key", "", ""}, auth, 400},
        word_case{"status_beats_type", {401, "", "invalid_request_error", ""}, auth, 401},
        word_case{"code_beats_type", {0, "context_length_exceeded", "server_error", ""}, bad_request, 400},
        word_case{"overloaded_event", {0, "", "overloaded_error", "Overloaded"}, server_error, 529},
        word_case{"rate_limit_event", {0, "", "rate_limit_error", ""}, rate_limited, 429},
        word_case{"auth_event", {0, "", "authentication_error", ""}, auth, 401},
        word_case{"invalid_event", {0, "", "invalid_request_error", ""}, bad_request, 400},
        word_case{"internal_event", {0, "", "INTERNAL", ""}, server_error, 500},
        word_case{"prose_event", {0, "", "", "Rate limit reached for requests"}, rate_limited, 429},
        word_case{"unknown_words", {0, "odd", "stranger", "text"}, server_error, 0}),
    name_of);

TEST(MeaningOf, KnowsAContextThatIsTooLongByItsProse) {
  for (const char* text :
       {"This model's maximum context length is 4096 tokens", "prompt is too long: 2 tokens > 1",
        "the request exceeds the available context size"})
    EXPECT_EQ(meaning_of({400, "", "", text}).code, "context_length_exceeded") << text;
  EXPECT_EQ(meaning_of({400, "own_code", "", "maximum context length"}).code, "");
  EXPECT_EQ(meaning_of({500, "", "", "maximum context length"}).code, "");
}

TEST(MeaningOf, KnowsAMissingModelByItsProse) {
  EXPECT_EQ(meaning_of({404, "", "", "model 'x' not found"}).code, "model_not_found");
  EXPECT_EQ(meaning_of({404, "", "", "The model `x` does not exist"}).code, "model_not_found");
  EXPECT_EQ(meaning_of({404, "", "", "page not found"}).code, "");
}

}  // namespace
}  // namespace photofinish::proxy
