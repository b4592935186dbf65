#include "proxy/failures/error_shapes.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace photofinish::proxy {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::sys_seconds now = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1};

failure read(int status, std::string_view body, std::string_view content_type = "application/json") {
  const error_response response{
      .status = status, .content_type = content_type, .retry_after = {}, .retry_after_ms = {}, .body = body};
  return read_error(response, now);
}

struct shape_case {
  std::string name;
  int status;
  std::string body;
  failure_kind kind;
  std::string detail;
  std::string code;
  std::string type;
  std::string param;
};
void PrintTo(const shape_case& one, std::ostream* out) { *out << one.name; }

class ReadError : public testing::TestWithParam<shape_case> {};

TEST_P(ReadError, FindsTheProvidersOwnWords) {
  const shape_case& given = GetParam();
  const failure why = read(given.status, given.body);
  EXPECT_EQ(to_string(why.kind), to_string(given.kind));
  EXPECT_EQ(why.status, given.status);
  EXPECT_EQ(why.detail, given.detail);
  EXPECT_EQ(why.code, given.code);
  EXPECT_EQ(why.type, given.type);
  EXPECT_EQ(why.param, given.param);
}

using enum failure_kind;
const auto name_of = [](const auto& info) { return info.param.name; };

INSTANTIATE_TEST_SUITE_P(
    Providers, ReadError,
    testing::Values(
        shape_case{
            "openai", 400,
            R"({"error":{"message":"Too long","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})",
            bad_request, "Too long", "context_length_exceeded", "invalid_request_error", "messages"},
        shape_case{
            "openai_nulls", 401,
            R"({"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}})",
            auth, "Incorrect API key provided", "invalid_api_key", "invalid_request_error", ""},
        shape_case{
            "openai_quota", 429,
            R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}})",
            quota, "You exceeded your current quota", "insufficient_quota", "insufficient_quota", ""},
        shape_case{
            "openai_unknown_model", 404,
            R"({"error":{"message":"The model `x` does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}})",
            bad_request, "The model `x` does not exist", "model_not_found", "invalid_request_error", ""},
        shape_case{"azure_gateway", 403, R"({"message":"Streaming requests are not yet allowed."})", auth,
                   "Streaming requests are not yet allowed.", "", "", ""},
        shape_case{"gemini_array", 429,
                   R"([{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}])",
                   rate_limited, "Quota exceeded", "", "RESOURCE_EXHAUSTED", ""},
        shape_case{
            "gemini_wrong_key", 400,
            R"([{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}])",
            auth, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID", "INVALID_ARGUMENT",
            ""},
        shape_case{
            "anthropic_overload", 529,
            R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"})",
            server_error, "Overloaded", "", "overloaded_error", ""},
        shape_case{
            "anthropic_credit", 400,
            R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}})",
            quota, "Your credit balance is too low", "", "invalid_request_error", ""},
        shape_case{"a_quoted_value_of_a_parameter", 400,
                   R"({"error":{"message":"Your credit balance is too low","type":"invalid_request_error","param":"metadata","code":null}})",
                   bad_request, "Your credit balance is too low", "", "invalid_request_error", "metadata"},
        shape_case{"a_quoted_key_of_a_parameter", 400,
                   R"({"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":"stop","code":null}})",
                   bad_request, "Incorrect API key provided", "", "invalid_request_error", "stop"},
        shape_case{"xai_wrong_key", 400,
                   R"({"code":"invalid-argument","error":"Incorrect API key provided: xa***12. You can obtain one from https://console.x.ai."})",
                   auth, "Incorrect API key provided: xa***12. You can obtain one from https://console.x.ai.", "invalid-argument", "", ""},
        shape_case{"mistral_detail", 422, R"({"detail":[{"type":"extra_forbidden","loc":["body","store"]}]})",
                   bad_request, "store: extra_forbidden", "", "extra_forbidden", "store"},
        shape_case{
            "mistral_message_detail", 422,
            R"({"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",0,"name"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error","param":null,"code":null})",
            bad_request, "messages.0.name: Extra inputs are not permitted", "", "extra_forbidden",
            "messages.0.name"},
        shape_case{
            "mistral_two_details", 422,
            R"({"detail":[{"loc":["body","n"],"msg":"forbidden"},{"loc":["body","user"],"msg":"forbidden"}]})",
            bad_request, "n: forbidden; user: forbidden", "", "", "n"},
        shape_case{
            "mistral_json_in_message", 400,
            R"({"object":"error","message":"{\"detail\":\"Bad role\",\"code\":3051}","type":"bad","code":3000})",
            bad_request, "Bad role", "3051", "bad", ""},
        shape_case{
            "mistral_numeric_code", 429,
            R"({"object":"error","message":"Service tier capacity exceeded","type":"service_tier_capacity_exceeded","param":null,"code":3505})",
            rate_limited, "Service tier capacity exceeded", "3505", "service_tier_capacity_exceeded", ""},
        shape_case{
            "groq_413", 413,
            R"({"error":{"message":"Request too large","type":"tokens","code":"rate_limit_exceeded"}})",
            rate_limited, "Request too large", "rate_limit_exceeded", "tokens", ""},
        shape_case{
            "xai", 400,
            R"({"code":"Client specified an invalid argument","error":"Argument not supported: stop"})",
            bad_request, "Argument not supported: stop", "", "", ""},
        shape_case{"deepseek_prose", 422,
                   "Failed to deserialize the JSON body into the target type: messages[0].role", bad_request,
                   "Failed to deserialize the JSON body into the target type: messages[0].role", "", "", ""},
        shape_case{"ollama", 404, R"({"error":"model 'x' not found"})", bad_request, "model 'x' not found",
                   "model_not_found", "", ""},
        shape_case{
            "llama_cpp", 400,
            R"({"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}})",
            bad_request, "the request exceeds the available context size", "context_length_exceeded",
            "exceed_context_size_error", ""},
        shape_case{"deepinfra_nothing", 422, "", bad_request, "HTTP 422 with an empty body", "", "", ""},
        shape_case{"balance", 402, R"({"error":"Insufficient balance","status":402})", quota,
                   "Insufficient balance", "", "", ""},
        shape_case{"success_false", 500, R"({"success":false,"error":{"message":"boom","code":"E1"}})",
                   server_error, "boom", "E1", "", ""},
        shape_case{"cohere", 400, R"({"message":"invalid request: model"})", bad_request,
                   "invalid request: model", "", "", ""},
        shape_case{
            "vllm_old", 400,
            R"({"object":"error","message":"This model's maximum context length is 4096 tokens","type":"BadRequestError","param":null,"code":400})",
            bad_request, "This model's maximum context length is 4096 tokens", "context_length_exceeded",
            "BadRequestError", ""},
        shape_case{
            "openrouter_wrapped", 502,
            R"({"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"{\"error\":{\"message\":\"no GPU left\"}}","provider_name":"X"}}})",
            server_error, "Provider returned error: no GPU left", "", "", ""}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Nesting, ReadError,
    testing::Values(
        shape_case{"nested_twice", 400, R"({"error":{"error":{"message":"deep","type":"t"}},"type":"outer"})",
                   bad_request, "deep", "", "t", ""},
        shape_case{"object_in_message", 400,
                   R"({"error":{"message":{"error":{"message":"deep","code":"c"}}}})", bad_request, "deep",
                   "c", "", ""},
        shape_case{"json_string_twice", 400,
                   R"({"message":"{\"message\":\"{\\\"error\\\":{\\\"message\\\":\\\"deep\\\"}}\"}"})",
                   bad_request, "deep", "", "", ""},
        shape_case{
            "zod_list_in_message", 400,
            R"({"error":{"name":"ZodError","message":"[{\"code\":\"invalid_type\",\"path\":[\"messages\"],\"message\":\"Required\"}]"}})",
            bad_request, "messages: Required", "invalid_type", "", "messages"},
        shape_case{"cause_nested_twice", 500, R"({"error":{"cause":{"error":{"message":"deep"}}}})",
                   server_error, "deep", "", "", ""},
        shape_case{"broken_json_in_message", 400, R"({"message":"{\"detail\":"})", bad_request,
                   R"({"detail":)", "", "", ""},
        shape_case{"empty_error", 500, R"({"error":{},"message":"outer"})", server_error, "outer", "", "",
                   ""},
        shape_case{"error_true", 500, R"({"error":true,"message":"outer"})", server_error, "outer", "", "",
                   ""},
        shape_case{"message_beats_reason_phrase", 400,
                   R"({"statusCode":400,"error":"Bad Request","message":"n too big"})", bad_request,
                   "n too big", "", "", ""},
        shape_case{"errors_list", 400, R"({"errors":[{"message":"a"},{"message":"b"}]})", bad_request, "a; b",
                   "", "", ""},
        shape_case{"string_alone", 503, R"("try later")", server_error, "try later", "", "", ""},
        shape_case{"strings_in_array", 400, R"(["a","b"])", bad_request, "a; b", "", "", ""},
        shape_case{"code_alone", 400, R"({"code":"odd_fault"})", bad_request, "odd_fault", "odd_fault", "",
                   ""},
        shape_case{"code_as_text_is_a_status", 429, R"({"code":"429","message":"slow"})", rate_limited,
                   "slow", "", "", ""},
        shape_case{"unknown_object", 500, R"({"x":1})", server_error, R"({"x":1})", "", "", ""},
        shape_case{"null", 500, "null", server_error, "null", "", "", ""},
        shape_case{"number", 500, "17", server_error, "17", "", "", ""},
        shape_case{"cut_json", 500, R"({"error":{"mess)", server_error, R"({"error":{"mess)", "", "", ""},
        shape_case{"white_space", 500, " \r\n\t", server_error, "HTTP 500 with an empty body", "", "", ""},
        shape_case{"wrong_types_everywhere", 500,
                   R"({"error":{"message":1,"code":[],"type":{},"param":2.5}})", server_error,
                   R"({"error":{"message":1,"code":[],"type":{},"param":2.5}})", "", "", ""}),
    name_of);

TEST(ReadError, KeepsDetailsForPrograms) {
  const failure why = read(404, R"({"type":"error","error":{"type":"not_found_error","message":"gone","details":{"error_code":"thread_not_found"}}})");
  EXPECT_EQ(why.details, R"({"error_code":"thread_not_found"})");
  EXPECT_EQ(read(400, R"({"error":{"code":400,"message":"m","details":[{"@type":"t\/x"}]}})").details, R"([{"@type":"t/x"}])");
  EXPECT_EQ(read(400, R"({"error":{"message":"m","details":"text"}})").details, "");
  EXPECT_EQ(read(400, R"({"error":{"message":"m","details":{"a":")" + std::string(3000, 'x') + R"("}}})").details, "");
}

TEST(ReadError, ShowsAPagesTitleAndNeverThePage) {
  const failure why =
      read(502, "<!DOCTYPE html><html><head><title>api | 502:\n Bad gateway</title></head><body>cf</body>",
           "text/html; charset=UTF-8");
  EXPECT_EQ(why.kind, server_error);
  EXPECT_EQ(why.detail, "HTTP 502 with an HTML page instead of JSON: \"api | 502: Bad gateway\"");
}

TEST(ReadError, KnowsPagesWithoutATitleOrAContentType) {
  EXPECT_EQ(read(504, "\n<html><body>x</body></html>", "").detail,
            "HTTP 504 with an HTML page instead of JSON");
  EXPECT_EQ(read(403, "<?xml version=\"1.0\"?><Error/>", "application/xml").detail,
            "HTTP 403 with an XML document instead of JSON");
  EXPECT_EQ(read(502, R"({"error":{"message":"<html><title>Oops</title>page</html>"}})").detail,
            "an HTML page: \"Oops\"");
}

TEST(ReadError, ShowsASentenceThatBeginsWithAMark) {
  for (const std::string sentence : {"<tool> is not allowed", "<b>bad</b> thing", "<400> InternalError.Algo: no", "<html> is not allowed",
                                     "<header>x</header> is not allowed", "<", "<?xmlx ?></a>"}) {
    EXPECT_EQ(read(400, R"({"error":{"message":")" + sentence + R"("}})").detail, sentence);
    EXPECT_EQ(read(400, R"({"type":"error","error":{"type":"invalid_request_error","message":")" + sentence + R"("}})").detail, sentence);
    EXPECT_EQ(read(400, R"({"error":{"code":400,"status":"INVALID_ARGUMENT","message":")" + sentence + R"("}})").detail, sentence);
    EXPECT_EQ(error_from_event(R"({"error":{"message":")" + sentence + R"("}})").detail, sentence);
  }
  EXPECT_EQ(read(400, "<tool> is not allowed", "text/plain").detail, "<tool> is not allowed");
  EXPECT_EQ(read(502, "<b>bad</b>", "text/html").detail, "HTTP 502 with an HTML page instead of JSON");
  EXPECT_EQ(read(502, "\n<HEAD><title>x</title></HEAD>", "").detail, "HTTP 502 with an HTML page instead of JSON: \"x\"");
}

TEST(ReadError, FindsAFullContextInTheWordsOfQwenAndZhipu) {
  const char* qwen = R"({"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]","type":"invalid_request_error","param":null,"code":"invalid_parameter_error"}})";
  const char* zhipu = R"({"error":{"code":"1261","message":"Prompt \u8d85\u957f"}})";
  const char* number = R"({"error":{"code":1261,"message":"Prompt \u8d85\u957f"}})";
  for (const char* body : {qwen, zhipu, number}) {
    EXPECT_EQ(read(400, body).code, "context_length_exceeded") << body;
    EXPECT_EQ(error_from_event(body).code, "context_length_exceeded") << body;
    EXPECT_EQ(error_from_event(body).status, 400) << body;
  }
  EXPECT_EQ(read(429, zhipu).kind, rate_limited);
  EXPECT_NE(read(429, zhipu).code, "context_length_exceeded");
}

TEST(ReadError, BoundsAndCleansEveryText) {
  const std::string huge(100'000, 'x');
  const failure why = read(400, R"({"error":{"message":"a\u0000\u001b[2J)" + huge + R"(","type":")" + huge +
                                    R"(","param":")" + huge + R"(","code":")" + huge + "\"}}");
  EXPECT_LE(why.detail.size(), 2048u);
  EXPECT_EQ(why.detail.substr(0, 6), "a[2Jxx");
  EXPECT_LE(why.type.size(), 128u);
  EXPECT_LE(why.param.size(), 128u);
  EXPECT_EQ(why.code, "");
}

TEST(ReadError, SurvivesDeepNesting) {
  for (const char* open : {"[", "{\"error\":"}) {
    std::string body;
    for (int depth = 0; depth < 100'000; ++depth) body += open;
    const failure why = read(500, body);
    EXPECT_EQ(why.kind, server_error);
    EXPECT_LE(why.detail.size(), 2048u);
  }
  EXPECT_EQ(read(400, std::string(900, '[') + "\"x\"" + std::string(900, ']')).kind, bad_request);
}

TEST(ReadError, SurvivesBrokenUtf8) {
  EXPECT_EQ(read(500, "{\"message\":\"caf\xe9\"}").detail, "{\"message\":\"caf\xef\xbf\xbd\"}");
}

struct wait_case {
  std::string name;
  std::string retry_after;
  std::string retry_after_ms;
  std::string body;
  std::optional<milliseconds> expected;
};
void PrintTo(const wait_case& one, std::ostream* out) { *out << one.name; }

class RetryAfterOfAnError : public testing::TestWithParam<wait_case> {};

TEST_P(RetryAfterOfAnError, IsKept) {
  const wait_case& given = GetParam();
  const error_response response{.status = 429,
                                .content_type = "application/json",
                                .retry_after = given.retry_after,
                                .retry_after_ms = given.retry_after_ms,
                                .body = given.body};
  EXPECT_EQ(read_error(response, now).retry_after, given.expected);
}

const std::string google_body =
    R"([{"error":{"code":429,"message":"m","details":[{"@type":"x.QuotaFailure"},{"@type":"x.RetryInfo","retryDelay":"34s"}]}}])";

INSTANTIATE_TEST_SUITE_P(
    Cases, RetryAfterOfAnError,
    testing::Values(wait_case{"none", "", "", "{}", {}},
                    wait_case{"seconds", "30", "", "{}", milliseconds{30'000}},
                    wait_case{"date", "Sun, 01 Mar 2026 00:00:10 GMT", "", "{}", milliseconds{10'000}},
                    wait_case{"milliseconds", "30", "1500", "{}", milliseconds{1500}},
                    wait_case{"garbage", "later", "soon", "{}", {}},
                    wait_case{"google", "", "", google_body, milliseconds{34'000}},
                    wait_case{"header_beats_body", "2", "", google_body, milliseconds{2000}}),
    name_of);

TEST(ReadError, TakesAnErrorObjectBehindA200AtItsWord) {
  const failure why = read(200, R"({"error":{"message":"slow down","code":429}})");
  EXPECT_EQ(why.kind, rate_limited);
  EXPECT_EQ(why.status, 429);
}

TEST(ReadError, CallsAnAnswerThatIsNoStreamABadStreamAndDoesNotShowIt) {
  const failure why = read(200, R"({"choices":[{"message":{"role":"assistant","content":"private"}}]})");
  EXPECT_EQ(why.kind, bad_stream);
  EXPECT_EQ(why.status, 200);
  EXPECT_EQ(why.detail, "HTTP 200 with something other than an event stream");
  EXPECT_EQ(read(301, "").kind, bad_stream);
  EXPECT_EQ(read(200, "<html></html>", "text/html").detail, "HTTP 200 with an HTML page instead of JSON");
}

struct event_case {
  std::string name;
  std::string json;
  failure_kind kind;
  int status;
  std::string detail;
};
void PrintTo(const event_case& one, std::ostream* out) { *out << one.name; }

class ErrorFromEvent : public testing::TestWithParam<event_case> {};

TEST_P(ErrorFromEvent, KeepsTheTextAndFindsTheKind) {
  const failure why = error_from_event(GetParam().json);
  EXPECT_EQ(to_string(why.kind), to_string(GetParam().kind));
  EXPECT_EQ(why.status, GetParam().status);
  EXPECT_EQ(why.detail, GetParam().detail);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ErrorFromEvent,
    testing::Values(
        event_case{"quota", R"({"error":{"type":"insufficient_quota","message":"gone"}})", quota, 429,
                   "gone"},
        event_case{"overloaded",
                   R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
                   server_error, 529, "Overloaded"},
        event_case{"rate_limit", R"({"error":{"code":"rate_limit_exceeded","message":"slow"}})", rate_limited,
                   429, "slow"},
        event_case{"credit", R"({"error":{"message":"Your credit balance is too low"}})", quota, 429,
                   "Your credit balance is too low"},
        event_case{"context", R"({"error":{"code":"context_length_exceeded","message":"long"}})", bad_request,
                   400, "long"},
        event_case{"numeric_code", R"({"error":{"code":503,"message":"Loading model"}})", server_error, 503,
                   "Loading model"},
        event_case{"empty_choices", R"({"id":"1","choices":[],"error":{"message":"cut","code":502}})",
                   server_error, 502, "cut"},
        event_case{"error_in_choice",
                   R"({"choices":[{"finish_reason":"error","error":{"message":"cut","code":502}}]})",
                   server_error, 502, "cut"},
        event_case{"top_level_message", R"({"message":"broken","type":"server_error"})", server_error, 500,
                   "broken"},
        event_case{"string", R"({"error":"out of memory"})", server_error, 0, "out of memory"},
        event_case{"minimax_balance", R"({"choices":null,"base_resp":{"status_code":1008,"status_msg":"no balance"}})",
                   quota, 429, "no balance"},
        event_case{"minimax_rate", R"({"base_resp":{"status_code":1002,"status_msg":"slow down"}})", rate_limited, 429,
                   "slow down"},
        event_case{"minimax_key", R"({"base_resp":{"status_code":1004}})", auth, 401, "error 1004"},
        event_case{"minimax_unknown", R"({"base_resp":{"status_code":1033,"status_msg":"down"}})", server_error, 500,
                   "down"},
        event_case{"type_alone", R"({"error":{"type":"api_error"}})", server_error, 500, "api_error"},
        event_case{"no_words", R"({"error":{}})", server_error, 0,
                   "the provider sent an error event without a text"},
        event_case{"prose", "upstream connect error", server_error, 0, "upstream connect error"},
        event_case{"nothing", "", server_error, 0, "the provider sent an error event without a text"}),
    name_of);

TEST(ErrorShapes, BareJsonIsAnErrorWhereItSaysSo) {
  const auto why = error_from_bare(R"([{"error":{"code":429,"message":"Slow down","status":"RESOURCE_EXHAUSTED"}}])");
  ASSERT_TRUE(why);
  EXPECT_EQ(why->kind, failure_kind::rate_limited);
  EXPECT_EQ(why->detail, "Slow down");
  EXPECT_EQ(error_from_bare(R"({"error":"down"})")->detail, "down");
  for (const char* other : {"", "[]", "{", R"({"error":null})", R"({"choices":[]})", R"([7])", R"({"error":{"message":"cut)"})
    EXPECT_FALSE(error_from_bare(other)) << other;
}

}  // namespace
}  // namespace photofinish::proxy
