// Tests that each failure becomes an error answer that shows the client how to react.
#include "gateway/api/api_error.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using proxy::failure;
using proxy::failure_kind;
using racing::defeat;

attempt_failure failed(failure_kind kind, int status = 0, std::optional<std::chrono::milliseconds> retry_after = {}) {
  failure why;
  why.kind = kind;
  why.status = status;
  why.retry_after = retry_after;
  return {"groq/m", why, false};
}

attempt_failure on_callers_key(attempt_failure each) {
  each.is_callers_key = true;
  return each;
}

struct defeat_case {
  const char* name;
  std::vector<attempt_failure> failures;
  int status;
  const char* code;
  retry_advice advice = retry_advice::by_status;
};

class ADefeat : public ::testing::TestWithParam<defeat_case> {};

INSTANTIATE_TEST_SUITE_P(
    ApiError, ADefeat,
    ::testing::Values(
        defeat_case{"a_400_agreed_by_all", {failed(failure_kind::bad_request, 400), failed(failure_kind::bad_request, 400)}, 400, ""},
        defeat_case{"a_422_is_a_400", {failed(failure_kind::bad_request, 422)}, 400, ""},
        defeat_case{"a_404_stays", {failed(failure_kind::bad_request, 404)}, 404, ""},
        defeat_case{"a_413_stays", {failed(failure_kind::bad_request, 413)}, 413, ""},
        defeat_case{"a_limit_beats_a_single_400", {failed(failure_kind::bad_request, 400), failed(failure_kind::rate_limited, 429)}, 429, "rate_limit_exceeded"},
        defeat_case{"a_limit_beats_a_5xx", {failed(failure_kind::server_error, 500), failed(failure_kind::rate_limited, 429)}, 429, "rate_limit_exceeded"},
        defeat_case{"quota_everywhere", {failed(failure_kind::quota, 402), failed(failure_kind::quota, 429)}, 429, "insufficient_quota", retry_advice::no},
        defeat_case{"quota_here_and_a_rate_limit_there_heals", {failed(failure_kind::quota, 402), failed(failure_kind::rate_limited, 429)}, 429, "rate_limit_exceeded"},
        defeat_case{"our_key_is_refused", {failed(failure_kind::auth, 401)}, 502, "provider_auth", retry_advice::no},
        defeat_case{"our_keys_are_refused", {failed(failure_kind::auth, 401), failed(failure_kind::auth, 403)}, 502, "provider_auth", retry_advice::no},
        defeat_case{"our_key_is_refused_here_and_the_request_there", {failed(failure_kind::auth, 401), failed(failure_kind::bad_request, 400)}, 502, "provider_error", retry_advice::no},
        defeat_case{"our_key_is_refused_here_and_there_it_broke", {failed(failure_kind::auth, 401), failed(failure_kind::server_error, 500)}, 502, "provider_error"},
        defeat_case{"the_callers_key_is_refused", {on_callers_key(failed(failure_kind::auth, 403))}, 401, ""},
        defeat_case{"all_overloaded", {failed(failure_kind::server_error, 503), failed(failure_kind::server_error, 529)}, 503, "provider_overloaded"},
        defeat_case{"all_timed_out", {failed(failure_kind::timeout), failed(failure_kind::timeout)}, 504, "upstream_timeout", retry_advice::no},
        defeat_case{"one_cannot_be_reached", {failed(failure_kind::connect), failed(failure_kind::timeout)}, 502, "provider_error"},
        defeat_case{"no_room_anywhere", {failed(failure_kind::busy), failed(failure_kind::busy)}, 503, "provider_busy"},
        defeat_case{"no_room_there_and_a_400_here", {failed(failure_kind::busy), failed(failure_kind::bad_request, 400)}, 400, ""},
        defeat_case{"no_room_there_and_an_overload_here", {failed(failure_kind::busy), failed(failure_kind::server_error, 503)}, 503, "provider_overloaded"},
        defeat_case{"a_broken_stream", {failed(failure_kind::bad_stream)}, 502, "provider_error"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ADefeat, HasTheBestCausesStatus) {
  const api_error error = explain_defeat(GetParam().failures, defeat::all_failed);
  EXPECT_EQ(error.status, GetParam().status);
  EXPECT_EQ(error.code, GetParam().code);
  EXPECT_EQ(error.advice, GetParam().advice);
}

TEST(ApiError, TheSmallestRetryAfterCounts) {
  const std::vector<attempt_failure> limits{failed(failure_kind::rate_limited, 429, 30s), failed(failure_kind::rate_limited, 429, 2s),
                                            failed(failure_kind::rate_limited, 429, 600s)};
  EXPECT_EQ(explain_defeat(limits, defeat::all_failed).retry_after, 2s);
}

TEST(ApiError, ARetryAfterIsAtMostAMinute) {
  const std::vector<attempt_failure> limit{failed(failure_kind::rate_limited, 429, 600s)};
  EXPECT_EQ(explain_defeat(limit, defeat::all_failed).retry_after, 60s);
}

TEST(ApiError, TheMessageNamesEachAttemptWithItsReason) {
  auto first = failed(failure_kind::rate_limited, 429);
  first.why.detail = "slow down";
  auto second = failed(failure_kind::dns);
  second.target = "lab/m";
  const std::vector<attempt_failure> both{first, second};
  EXPECT_EQ(explain_defeat(both, defeat::all_failed).message,
            "all 2 attempts failed. groq/m: rate_limited (HTTP 429): slow down; lab/m: dns");
}

TEST(ApiError, ARaceThatRanOutOfTimeIs504) {
  const std::vector<attempt_failure> late{failed(failure_kind::timeout), failed(failure_kind::bad_request, 400)};
  EXPECT_EQ(explain_defeat(late, defeat::timed_out).status, 504);
}

TEST(ApiError, AClientFaultKeepsTheProvidersCodeAndParam) {
  auto fault = failed(failure_kind::bad_request, 400);
  fault.why.code = "context_length_exceeded";
  fault.why.param = "messages";
  const std::vector<attempt_failure> faults{fault};
  const api_error error = explain_defeat(faults, defeat::all_failed);
  EXPECT_EQ(error.code, "context_length_exceeded");
  EXPECT_EQ(error.param, "messages");
}

TEST(ApiError, AClientFaultHasATypeOfTheApiThatWasCalled) {
  for (const char* foreign : {"INVALID_ARGUMENT", "ValidationException", "extra_forbidden", "BadRequestError", "not_found_error", ""}) {
    auto fault = failed(failure_kind::bad_request, 400);
    fault.why.type = foreign;
    const std::vector<attempt_failure> faults{fault};
    EXPECT_EQ(explain_defeat(faults, defeat::all_failed).type, "invalid_request_error") << foreign;
  }
  auto own = failed(failure_kind::bad_request, 400);
  own.why.type = "image_generation_user_error";
  const std::vector<attempt_failure> faults{own};
  EXPECT_EQ(explain_defeat(faults, defeat::all_failed).type, "image_generation_user_error");
}

TEST(ApiError, AProvidersNumberIsNoCodeForClients) {
  for (const char* number : {"3051", "1261"}) {
    auto fault = failed(failure_kind::bad_request, 400);
    fault.why.code = number;
    const std::vector<attempt_failure> faults{fault};
    const api_error error = explain_defeat(faults, defeat::all_failed);
    EXPECT_EQ(error.code, "") << number;
    EXPECT_FALSE(error.is_providers_code);
    EXPECT_EQ(explain_broken_winner("a/b", fault.why).code, "upstream_broken") << number;
  }
}

TEST(ApiError, WhatAProviderSaysForProgramsPasses) {
  auto fault = failed(failure_kind::bad_request, 404);
  fault.why.details = R"({"error_code":"thread_not_found"})";
  const std::vector<attempt_failure> faults{fault};
  EXPECT_NE(to_json(explain_defeat(faults, defeat::all_failed)).find(R"("details":{"error_code":"thread_not_found"}}})"), std::string::npos);
  auto limit = failed(failure_kind::rate_limited, 429);
  limit.why.details = "[1]";
  const std::vector<attempt_failure> limits{limit};
  EXPECT_EQ(explain_defeat(limits, defeat::all_failed).details, "[1]");
  EXPECT_EQ(explain_broken_winner("a/b", limit.why).details, "[1]");
}

TEST(ApiError, IsOpenAisShapeWithNullsForWhatIsMissing) {
  api_error error = bad_request("say \"hello\"");
  EXPECT_EQ(to_json(error),
            R"({"error":{"message":"say \"hello\"","type":"invalid_request_error","param":null,"code":null}})");
}

TEST(ApiError, AnAnswerThatOutgrewALimitOfOursIsNotWorthAnother) {
  auto outgrown = failed(failure_kind::bad_stream);
  EXPECT_EQ(explain_broken_winner("a/b", outgrown.why).advice, retry_advice::by_status);
  outgrown.why.origin = proxy::failure_origin::gateway;
  EXPECT_EQ(explain_broken_winner("a/b", outgrown.why).advice, retry_advice::no);
}

TEST(ApiError, HttpThatIsNotServedIsNotWorthARetry) {
  for (const int status : {501, 505}) EXPECT_EQ(to_api_error({status, "x", {}}).advice, retry_advice::no);
  for (const int status : {400, 401, 403}) EXPECT_EQ(to_api_error({status, "x", {}}).advice, retry_advice::by_status);
}

TEST(ApiError, ABrokenWinnerIs502AndAStalledOne504) {
  EXPECT_EQ(explain_broken_winner("a/b", failed(failure_kind::bad_stream).why).status, 502);
  EXPECT_EQ(explain_broken_winner("a/b", failed(failure_kind::stall).why).status, 504);
  EXPECT_EQ(explain_broken_winner("a/b", failed(failure_kind::crawl).why).status, 504);
  EXPECT_EQ(explain_broken_winner("a/b", failed(failure_kind::crawl).why).code, "upstream_too_slow");
}

struct reported_case {
  const char* name;
  failure_kind kind;
  int provider_status;
  int status;
  const char* type;
  const char* code;
};

class AReportedError : public ::testing::TestWithParam<reported_case> {};

INSTANTIATE_TEST_SUITE_P(
    ApiError, AReportedError,
    ::testing::Values(
        reported_case{"rate_limit", failure_kind::rate_limited, 429, 429, "rate_limit_error", "rate_limit_exceeded"},
        reported_case{"quota", failure_kind::quota, 402, 429, "insufficient_quota", "insufficient_quota"},
        reported_case{"overload", failure_kind::server_error, 529, 503, "upstream_error", "provider_overloaded"},
        reported_case{"unavailable", failure_kind::server_error, 503, 503, "upstream_error", "provider_overloaded"},
        reported_case{"timeout", failure_kind::server_error, 504, 504, "timeout_error", "upstream_broken"},
        reported_case{"models_timeout", failure_kind::server_error, 408, 504, "timeout_error", "upstream_broken"},
        reported_case{"bad_request", failure_kind::bad_request, 400, 400, "invalid_request_error", "upstream_broken"},
        reported_case{"too_large", failure_kind::bad_request, 413, 413, "invalid_request_error", "upstream_broken"},
        reported_case{"unknown_model", failure_kind::bad_request, 404, 404, "invalid_request_error", "upstream_broken"},
        reported_case{"refused_key", failure_kind::auth, 401, 502, "authentication_error", "provider_auth"},
        reported_case{"forbidden", failure_kind::auth, 403, 502, "permission_error", "provider_auth"},
        reported_case{"fault", failure_kind::server_error, 500, 502, "upstream_error", "upstream_broken"},
        reported_case{"no_status", failure_kind::server_error, 0, 502, "upstream_error", "upstream_broken"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(AReportedError, KeepsItsMeaningAfterTheFirstToken) {
  const auto& [name, kind, provider_status, status, type, code] = GetParam();
  proxy::failure why = failed(kind, provider_status).why;
  why.detail = "said so";
  const api_error error = explain_broken_winner("a/b", why);
  EXPECT_EQ(error.status, status);
  EXPECT_EQ(error.type, type);
  EXPECT_EQ(error.code, code);
  EXPECT_FALSE(error.is_providers_code);
  EXPECT_NE(error.message.find("said so"), std::string::npos);
  EXPECT_EQ(error.retry_after.has_value(), status == 429 || status == 503);
}

TEST(ApiError, AFullContextAfterTheFirstTokenKeepsItsCode) {
  proxy::failure why = failed(failure_kind::bad_request, 400).why;
  why.code = "context_length_exceeded";
  const api_error error = explain_broken_winner("a/b", why);
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.code, "context_length_exceeded");
  EXPECT_TRUE(error.is_providers_code);
  why = failed(failure_kind::rate_limited, 429).why;
  why.code = "context_length_exceeded";
  EXPECT_EQ(explain_broken_winner("a/b", why).code, "rate_limit_exceeded");
}

TEST(ApiError, AnErrorOfTheGatewaysOwnIsNotTakenForAProviders) {
  proxy::failure why = failed(failure_kind::bad_request, 400).why;
  why.origin = proxy::failure_origin::gateway;
  EXPECT_EQ(explain_broken_winner("a/b", why).status, 502);
}

TEST(ApiError, ABodyIsValidUtf8WhateverItQuotes) {
  api_error error = bad_request("no \xe8\xaa and no \xff", "\xc3(", "\xed\xa0\x80");
  error.type = "\xf5";
  EXPECT_EQ(to_json(error), "{\"error\":{\"message\":\"no \xef\xbf\xbd\xef\xbf\xbd and no \xef\xbf\xbd\",\"type\":\"\xef\xbf\xbd\","
                            "\"param\":\"\xef\xbf\xbd(\",\"code\":\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}}");
}

TEST(ApiError, ARefusalForALimitOfOursIsWordedAsOverload) {
  const api_error refused = to_api_error({503, "the gateway has reached max_memory", "gateway_overloaded", 1000ms});
  const api_error ours = memory_overloaded();
  EXPECT_EQ(to_json(refused), to_json(ours));
  EXPECT_EQ(refused.status, ours.status);
  EXPECT_EQ(refused.retry_after, ours.retry_after);
  EXPECT_EQ(refused.advice, ours.advice);
}

TEST(ApiError, NoRoomIsToBeRepeatedSoon) {
  const std::vector<attempt_failure> all{failed(failure_kind::busy)};
  EXPECT_EQ(explain_defeat(all, defeat::all_failed).retry_after, 1s);
}

}  // namespace
}  // namespace photofinish::gateway
