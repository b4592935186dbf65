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
                                         word_case{"s498", {498, "capacity_exceeded", "", ""}, server_error, 498},
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
        word_case{"quota_as_429_in_prose", {429, "1113", "", "Insufficient balance"}, quota, 429},
        word_case{"quota_code_as_400", {400, "insufficient_quota", "", ""}, quota, 400},
        word_case{"quoted_credit", {400, "", "", "Invalid value: 'credit balance'"}, bad_request, 400},
        word_case{"credit_in_a_sentence", {400, "", "", "I cannot parse Your credit balance is too low"}, bad_request, 400},
        word_case{"credit_with_a_code", {400, "invalid_value", "", "Your credit balance is too low"}, bad_request, 400},
        word_case{"quoted_credit_as_403", {403, "", "", "flagged: \"insufficient credit\""}, auth, 403},
        word_case{"quoted_credit_without_status", {0, "", "", "not a color: 'out of credits'"}, server_error, 0},
        word_case{"credit_of_another_type", {0, "", "invalid_request_error", "insufficient balance"}, bad_request, 400},
        word_case{"key_in_a_sentence", {400, "", "", "stop: expected a string, not Invalid API key"}, bad_request, 400},
        word_case{"credit_as_404", {404, "", "", "insufficient credits"}, bad_request, 404},
        word_case{"credit_as_413", {413, "", "", "payment required"}, bad_request, 413},
        word_case{"credit_as_422", {422, "", "", "insufficient balance"}, bad_request, 422},
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

struct overflow_case {
  const char* vendor;
  const char* text;
  const char* code = "";
  const char* type = "";
  const char* param = "";
};

// These error texts come from the vendors' real servers.
const overflow_case overflows[] = {
    {"openai", "This model's maximum context length is 4096 tokens", "", "invalid_request_error", "messages"},
    {"openai's responses", "Your input exceeds the context window of this model.", "", "", "input"},
    {"anthropic", "prompt is too long: 213462 tokens > 200000 maximum", "", "invalid_request_error"},
    {"anthropic's max_tokens", "input length and `max_tokens` exceed context limit: 199000 + 20000 > 200000, decrease input length or `max_tokens` and try again"},
    {"gemini", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", "", "INVALID_ARGUMENT"},
    {"xai", "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", "invalid-argument"},
    {"groq", "Please reduce the length of the messages or completion.", "", "invalid_request_error", "messages"},
    {"moonshot", "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)", "", "invalid_request_error"},
    {"minimax", "invalid params, context window exceeds limit (2013)", "", "bad_request_error"},
    {"lm studio", "The number of tokens to keep from the initial prompt is greater than the context length."},
    {"lm studio, loaded", "Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."},
    {"sglang", "The input (5000 tokens) is longer than the model's context length (4096 tokens).", "", "BadRequestError"},
    {"sglang's limit", "Input length (5000 tokens) exceeds the maximum allowed length (4096 tokens)."},
    {"together", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 20 `max_new_tokens`"},
    {"zhipu", "Prompt exceeds max length", "1261"},
    {"zhipu in Chinese", "Prompt \u8d85\u957f", "1261"},
    {"mistral", "Prompt contains 65673 tokens, too large for model with 32768 maximum context length", "3051", "invalid_request_prompt"},
    {"bedrock", "Input is too long for requested model.", "", "ValidationException"},
    {"nova", "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.", "", "ValidationException"},
    {"llama.cpp", "the request exceeds the available context size, try increasing it", "", "exceed_context_size_error"},
    {"vllm", "The decoder prompt (length 5000) is longer than the maximum model length of 4096.", "", "BadRequestError", "input_tokens"},
    {"ollama", "prompt too long; exceeded max context length by 12 tokens"},
    {"cohere", "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000."},
    {"dashscope", "Range of input length should be [1, 129024]", "invalid_parameter_error", "invalid_request_error"},
    {"dashscope's own API", "<400> InternalError.Algo.InvalidParameter: Range of input length must be [1, 129024]", "InvalidParameter"},
};

TEST(MeaningOf, KnowsAFullContextInTheWordsOfEveryVendor) {
  for (const overflow_case& each : overflows) {
    const error_words said{400, each.code, each.type, each.text, each.param};
    EXPECT_EQ(meaning_of(said).code, "context_length_exceeded") << each.vendor;
    EXPECT_EQ(to_string(meaning_of(said).kind), "bad_request") << each.vendor;
  }
}

TEST(MeaningOf, DoesNotTakeOtherSentencesForAFullContext) {
  EXPECT_EQ(meaning_of({400, "", "", "Invalid value: 'prompt is too long'"}).code, "");
  EXPECT_EQ(meaning_of({400, "", "", "expected a number, not \"maximum context length\"", "temperature"}).code, "");
  EXPECT_EQ(meaning_of({400, "", "", "prompt is too long", "tools.0.name"}).code, "");
  EXPECT_EQ(meaning_of({404, "", "", "The model `prompt is too long` does not exist"}).code, "model_not_found");
  EXPECT_EQ(meaning_of({400, "own_code", "", "maximum context length"}).code, "");
  EXPECT_EQ(meaning_of({500, "", "", "maximum context length"}).code, "");
}

TEST(MeaningOf, ProseHoldsForItsCallerAlone) {
  const auto scope = [](const error_words& words) { return meaning_of(words).scope; };
  EXPECT_EQ(scope({0, "", "", "Insufficient Balance"}), failure_scope::caller);
  EXPECT_EQ(scope({403, "", "", "out of credits"}), failure_scope::caller);
  EXPECT_EQ(scope({0, "", "", "Rate limit reached for requests"}), failure_scope::caller);
  EXPECT_EQ(scope({0, "", "", "the model is overloaded"}), failure_scope::caller);
  EXPECT_EQ(scope({413, "rate_limit_exceeded", "tokens", "Request too large"}), failure_scope::caller);
}

TEST(MeaningOf, CodesAndRecordedSentencesHoldForAll) {
  const auto scope = [](const error_words& words) { return meaning_of(words).scope; };
  EXPECT_EQ(scope({402, "", "", ""}), failure_scope::target);
  EXPECT_EQ(scope({429, "", "", "Insufficient balance"}), failure_scope::target);
  EXPECT_EQ(scope({400, "insufficient_quota", "", "x"}), failure_scope::target);
  EXPECT_EQ(scope({400, "", "invalid_request_error", "Your credit balance is too low to access the Anthropic API."}), failure_scope::target);
  EXPECT_EQ(scope({403, "", "", "Your team 1f has either used all available credits or reached its monthly spending limit."}), failure_scope::target);
  EXPECT_EQ(scope({0, "rate_limit_exceeded", "", ""}), failure_scope::target);
  EXPECT_EQ(scope({0, "", "overloaded_error", ""}), failure_scope::target);
}

TEST(MeaningOf, KnowsAMissingModelByItsProse) {
  EXPECT_EQ(meaning_of({404, "", "", "model 'x' not found"}).code, "model_not_found");
  EXPECT_EQ(meaning_of({404, "", "", "The model `x` does not exist"}).code, "model_not_found");
  EXPECT_EQ(meaning_of({404, "", "", "page not found"}).code, "");
}

}  // namespace
}  // namespace photofinish::proxy
