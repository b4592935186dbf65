// Tests the refusals of all known providers. The client gets an error in OpenAI's format, with the provider's message. The error's status
// makes SDKs retry only if a retry can help.
#include "tests/support/streams/stream_bytes.hpp"

#include <nlohmann/json.hpp>

#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using nlohmann::json;

struct refusal_case {
  const char* name;
  int status;
  std::string body;
  int seen_status;
  const char* text;        // the text of the provider's error message
  const char* code;        // "" for null
  const char* retry = "";  // x-should-retry
};

class refusal_test : public one_provider_test, public ::testing::WithParamInterface<refusal_case> {};

TEST_P(refusal_test, IsToldInOpenAisShapeWithTheProvidersWords) {
  serve(refuses(GetParam().status, GetParam().body));
  for (const std::string& body : {streamed("r"), whole("r")}) {
    const http_response got = post(body);
    EXPECT_EQ(got.status, GetParam().seen_status) << got.body;
    EXPECT_EQ(got.field_or("content-type", ""), "application/json");
    EXPECT_NE(got.error("message").find(GetParam().text), std::string::npos) << got.body;
    EXPECT_EQ(got.error("code"), GetParam().code) << got.body;
    EXPECT_FALSE(got.error("type").empty());
    EXPECT_EQ(got.field_or("x-should-retry", ""), GetParam().retry);
    EXPECT_EQ(got.field("retry-after").has_value(), got.status == 429 || got.status == 503);
    EXPECT_EQ(got.field("retry-after-ms").has_value(), got.status == 429 || got.status == 503);
  }
}

TEST_P(refusal_test, DoesNotFailTheRequestWhileARivalLives) {
  scripted_provider refusing(refuses(GetParam().status, GetParam().body)), rival(streams({"rival"}, 30ms));
  add("p", refusing), add("rival", rival);
  add_route("r", {"p/m", "rival/m"});
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.text(), "rival");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "rival/m");
}

constexpr const char* spent = "insufficient_quota";
constexpr const char* limited = "rate_limit_exceeded";

INSTANTIATE_TEST_SUITE_P(
    , refusal_test,
    ::testing::Values(
        refusal_case{"OpenAi", 400, R"({"error":{"message":"Unsupported value: temperature","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}})",
                     400, "Unsupported value: temperature", "unsupported_value"},
        refusal_case{"AzureGateway", 403, R"({"message":"Streaming requests are not yet allowed."})", 502, "Streaming requests are not yet allowed.", "provider_auth", "false"},
        refusal_case{"GeminiRate", 429, R"([{"error":{"code":429,"message":"Quota exceeded for requests per minute","status":"RESOURCE_EXHAUSTED"}}])",
                     429, "Quota exceeded for requests per minute", limited},
        refusal_case{"GeminiClientFault", 400, R"([{"error":{"code":400,"message":"Invalid JSON payload","status":"INVALID_ARGUMENT"}}])", 400, "Invalid JSON payload", ""},
        refusal_case{"AnthropicOverload", 529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"})",
                     503, "Overloaded", "provider_overloaded"},
        refusal_case{"AnthropicCredit", 400, R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}})",
                     429, "credit balance is too low", spent, "false"},
        refusal_case{"MistralDetail", 422, R"({"detail":[{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted"}]})",
                     400, "store: Extra inputs are not permitted", ""},
        refusal_case{"MistralMessageDetail", 422,
                     R"({"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","n"],"msg":"Extra inputs"}]},"type":"invalid_request_error","param":null,"code":null})",
                     400, "n: Extra inputs", ""},
        refusal_case{"MistralJsonInAString", 400, R"({"object":"error","message":"{\"detail\":\"Bad role\"}","type":"bad","code":3000})", 400, "Bad role", ""},
        refusal_case{"MistralNumericCode", 429, R"({"object":"error","message":"Service tier capacity exceeded","type":"x","param":null,"code":3505})", 429, "capacity exceeded", limited},
        refusal_case{"GroqTokensAs413", 413, R"({"error":{"message":"Request too large: TPM","type":"tokens","code":"rate_limit_exceeded"}})", 429, "Request too large: TPM", limited},
        refusal_case{"TooLarge", 413, R"({"error":{"message":"body too large","type":"invalid_request_error"}})", 413, "body too large", ""},
        refusal_case{"Xai", 400, R"({"code":"Client specified an invalid argument","error":"Argument not supported: stop"})", 400, "Argument not supported: stop", ""},
        refusal_case{"DeepSeekProse", 400, "Failed to deserialize the JSON body into the target type: messages[0]", 400, "Failed to deserialize the JSON body", ""},
        refusal_case{"Ollama", 404, R"({"error":"model 'x' not found"})", 404, "model 'x' not found", "model_not_found"},
        refusal_case{"LlamaCpp", 400, R"({"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}})",
                     400, "exceeds the available context size", "context_length_exceeded"},
        refusal_case{"LlamaCppLoading", 503, R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})", 503, "Loading model", "provider_overloaded"},
        refusal_case{"DeepInfraNothing", 422, "", 400, "HTTP 422 with an empty body", ""},
        refusal_case{"Balance", 402, R"({"error":"Insufficient balance","status":402})", 429, "Insufficient balance", spent, "false"},
        refusal_case{"Quota", 429, R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}})",
                     429, "You exceeded your current quota", spent, "false"},
        refusal_case{"SuccessFalse", 500, R"({"success":false,"error":{"message":"boom"}})", 502, "boom", "provider_error"},
        refusal_case{"ZodErrorNestedTwice", 400,
                     R"({"error":{"name":"ZodError","message":"[{\"code\":\"invalid_type\",\"path\":[\"messages\"],\"message\":\"Required\"}]"}})",
                     400, "messages: Required", "invalid_type"},
        refusal_case{"Cohere", 400, R"({"message":"invalid request: model"})", 400, "invalid request: model", ""},
        refusal_case{"OldVllm", 400, R"({"object":"error","message":"max_tokens is too large","type":"BadRequestError","param":null,"code":400})", 400, "max_tokens is too large", ""},
        refusal_case{"WrongKey", 401, R"({"error":{"message":"Invalid key","type":"authentication_error"}})", 502, "Invalid key", "provider_auth", "false"},
        refusal_case{"CloudflarePage", 502, "<!DOCTYPE html><html><head><title>502: Bad gateway</title></head></html>", 502, "502: Bad gateway", "provider_error"},
        refusal_case{"GatewayTimeoutPage", 504, "<html><body>504</body></html>", 502, "HTTP 504", "provider_error"},
        refusal_case{"NumberBeyond64Bits", 400, R"({"error":{"message":"bad seed","type":"t","param":"seed","seed":123456789012345678901234567890}})", 400, "bad seed", ""},
        refusal_case{"NoContent", 204, "", 502, "HTTP 204", "provider_error"},
        refusal_case{"AnAnswerThatIsNotACompletion", 200, R"({"object":"response","output":[{"content":"secret"}]})", 502, "something other than an event stream", "provider_error"}),
    [](const auto& row) { return row.param.name; });

class errors_catalogue_test : public one_provider_test {};

TEST_F(errors_catalogue_test, AnAnswerInTheWrongPlaceIsNotShownInTheError) {
  serve(refuses(200, R"({"object":"response","output":[{"content":"secret"}]})"));
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 502);
  EXPECT_EQ(got.body.find("secret"), std::string::npos);
}

TEST_F(errors_catalogue_test, OfThreeWaitsTheShortestIsTold) {
  std::vector<std::unique_ptr<scripted_provider>> all;
  add_route("r", {});
  for (const char* wait : {"2", "30", "600"}) {
    all.push_back(std::make_unique<scripted_provider>(refuses(429, "{}", "Retry-After: " + std::string(wait) + "\r\n")));
    add(std::string("p") + wait, *all.back());
    settings.routes["r"].targets.push_back({std::string("p") + wait, "m"});
  }
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 429);
  EXPECT_EQ(got.field_or("retry-after", ""), "2");
  EXPECT_EQ(got.field_or("retry-after-ms", ""), "2000");
  EXPECT_EQ(got.field("x-should-retry"), std::nullopt);
}

TEST_F(errors_catalogue_test, AWaitAsADateIsUnderstood) {
  serve(refuses(429, "{}", "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT\r\n"));
  EXPECT_EQ(post(streamed("r")).field_or("retry-after", ""), "60");
}

TEST_F(errors_catalogue_test, ATargetWithoutCreditIsLeftOutOfTheNextRaces) {
  scripted_provider broke(refuses(400, R"({"error":{"message":"Your credit balance is too low"}})")), paid(streams({"paid"}, 20ms));
  add("broke", broke), add("paid", paid);
  add_route("r", {"broke/m", "paid/m"});
  start();
  ASSERT_EQ(post(streamed("r")).text(), "paid");
  ASSERT_TRUE(comes_true([&] { return post(streamed("r")).field_or("x-race-skipped", "") == "broke/m;reason=cooldown"; }));
  const std::size_t asked = broke.requests().size();
  EXPECT_EQ(post(streamed("r")).text(), "paid");
  EXPECT_EQ(broke.requests().size(), asked);
}

TEST_F(errors_catalogue_test, ARefusalThatQuotesItsCallerCoolsNoTarget) {
  std::string said;
  scripted_provider strict([&said](provider_call& call) { call.answer(400, said); }), other(streams({"other"}, 20ms));
  add("strict", strict), add("other", other);
  add_route("r", {"strict/m"}), add_route("both", {"strict/m", "other/m"}, racing::race_policy::fallback);
  start();
  std::size_t asked = 0;
  for (const char* quoted : {R"({"error":{"message":"Invalid value: 'credit balance'"}})",
                             R"({"error":{"message":"Your credit balance is too low","param":"metadata"}})",
                             R"({"error":{"message":"no tool is called Invalid API key"}})"}) {
    said = quoted;
    for (int times = 0; times < 4; ++times) EXPECT_EQ(post(streamed("r")).status, 400) << quoted;
    EXPECT_EQ(strict.requests().size(), asked += 4) << quoted;
    EXPECT_EQ(post(streamed("both")).field_or("x-race-skipped", ""), "") << quoted;
    ++asked;
  }
}

TEST_F(errors_catalogue_test, ARefusalWhoseBodyNeverEndsDoesNotHoldUpTheNextTarget) {
  scripted_provider endless([](provider_call& call) {
    call.send("HTTP/1.1 429 No\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"error\"");
    call.hang();
  });
  scripted_provider next(streams({"next"}));
  add("endless", endless), add("next", next);
  add_route("r", {"endless/m", "next/m"}, racing::race_policy::fallback), add_route("alone", {"endless/m"});
  start();
  EXPECT_EQ(post(streamed("r")).text(), "next");
  EXPECT_EQ(post(streamed("alone")).status, 429);
  endless.closed_at(endless.request());
}

TEST_F(errors_catalogue_test, ARefusalBeforeTheBodyHasBeenReadIsHeard) {
  scripted_server impatient([](peer& client) {
    client.read_some();
    client.write("HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n"
                 R"({"error":{"message":"shorter, please."}})");
    std::this_thread::sleep_for(100ms);  // waits before it closes the connection, because otherwise the unread bytes would cause a reset
  });
  settings.providers["p"] = local_provider("p", impatient.port());
  add_route("r", {"p/m"});
  start();
  const std::string prompt(8u << 20, 'x');
  const http_response got = post(R"({"model":"r","messages":[{"role":"user","content":")" + prompt + "\"}]}");
  EXPECT_EQ(got.status, 413) << got.body;
  EXPECT_NE(got.error("message").find("shorter, please"), std::string::npos);
}

TEST_F(errors_catalogue_test, AnErrorBodyIsTakenInPartWhenItIsHuge) {
  serve(refuses(400, R"({"error":{"message":")" + std::string(5u << 20, 'x') + "\"}}"));
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 400);
  EXPECT_LT(got.body.size(), 8'192u);
}

}  // namespace
}  // namespace photofinish::testing
