// Tests how the gateway adapts a request for each provider, and which differences between providers it hides from the client.
#include "proxy/providers/presets.hpp"
#include "tests/support/streams/stream_bytes.hpp"

#include <nlohmann/json.hpp>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using nlohmann::json;

class requests_test : public one_provider_test {
 protected:
  // Adds a local provider with the API and the quirks of this preset, as if the user had configured the preset with another base_url.
  void add_as(const std::string& preset, const scripted_provider& at) {
    const proxy::preset& known = proxy::presets().at(preset);
    add(preset, at).behaves = (known.compatible.empty() ? known : known.compatible.front()).defaults.behaves;
  }
};

TEST_F(requests_test, EachTargetGetsTheBodyItUnderstandsAndNoneChangesTheOthers) {
  scripted_provider openai(stays_silent()), mistral(stays_silent());
  const auto are_all_asked = [&] { return openai.requests().size() == 1 && mistral.requests().size() == 1; };
  scripted_provider deepseek(streams_when(are_all_asked, {"d"}));
  add_as("openai", openai), add_as("mistral", mistral), add_as("deepseek", deepseek);
  add_route("r", {"openai/a", "mistral/b", "deepseek/c"});
  start();
  const http_response got = post(
      R"({"model":"r","stream":true,"stream_options":{"include_usage":true},"max_tokens":7,"store":false,"metadata":{"k":"v"},)"
      R"("tools":[],"seed":5,"messages":[{"role":"developer","content":"be brief"},{"role":"user","content":"hi"}]})");
  ASSERT_EQ(got.status, 200);

  const json to_openai = json::parse(openai.request().body);
  EXPECT_EQ(to_openai["model"], "a");
  EXPECT_EQ(to_openai["max_completion_tokens"], 7);
  EXPECT_EQ(to_openai["messages"][0]["role"], "developer");
  EXPECT_EQ(to_openai["store"], false);
  EXPECT_EQ(to_openai["stream_options"], json({{"include_usage", true}}));
  EXPECT_FALSE(to_openai.contains("max_tokens") || to_openai.contains("tools"));

  const json to_mistral = json::parse(mistral.request().body);
  EXPECT_EQ(to_mistral, json::parse(R"({"model":"b","stream":true,"max_tokens":7,"random_seed":5,"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}]})"));

  const json to_deepseek = json::parse(deepseek.request().body);
  EXPECT_EQ(to_deepseek["max_tokens"], 7);
  EXPECT_EQ(to_deepseek["seed"], 5);
  EXPECT_EQ(to_deepseek["messages"][0]["role"], "system");
  EXPECT_FALSE(to_deepseek.contains("store"));

  const std::string dropped = got.field_or("x-race-dropped", "");
  EXPECT_EQ(dropped, "mistral/b;param=metadata") << "store: false says nothing";
}

struct meaning_case {
  const char* parameter;
  const char* value;
  const char* preset;  // the preset of a provider that does not support this member of the request
};

class meaning_test : public requests_test, public ::testing::WithParamInterface<meaning_case> {};

TEST_P(meaning_test, TakesTheTargetOutOfThisRaceAndSaysSo) {
  scripted_provider unable(streams({"wrong"})), able(streams({"right"}, 50ms));
  add_as(GetParam().preset, unable), add("able", able);
  add_route("r", {std::string(GetParam().preset) + "/x", "able/y"});
  add_route("alone", {std::string(GetParam().preset) + "/x"});
  start();
  const std::string member = std::string(",\"") + GetParam().parameter + "\":" + GetParam().value;
  const http_response got = post(streamed("r", member));
  EXPECT_EQ(got.text(), "right");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), std::string(GetParam().preset) + "/x;reason=unsupported:" + GetParam().parameter);
  EXPECT_EQ(unable.requests().size(), 0u);
  EXPECT_EQ(json::parse(able.request().body)[GetParam().parameter], json::parse(GetParam().value));
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="skipped")", R"(reason="unsupported")"});
  const http_response alone = post(streamed("alone", member));
  EXPECT_EQ(alone.status, 400);
  EXPECT_EQ(alone.error("param"), GetParam().parameter);
  EXPECT_EQ(post(streamed("alone")).text(), "wrong");  // the route's only target gets the request without the unsupported member
}

INSTANTIATE_TEST_SUITE_P(
    , meaning_test,
    ::testing::Values(meaning_case{"n", "2", "groq"}, meaning_case{"logprobs", "true", "groq"}, meaning_case{"logit_bias", R"({"50256":-100})", "cerebras"},
                      meaning_case{"response_format", R"({"type":"json_object"})", "anthropic"},
                      meaning_case{"top_logprobs", "3", "mistral"},
                      meaning_case{"frequency_penalty", "0.5", "sambanova"}, meaning_case{"parallel_tool_calls", "false", "cerebras"}),
    [](const auto& row) { return std::string(row.param.parameter) + "_" + row.param.preset; });

struct passing_case {
  const char* name;
  const char* member;
};

class passing_test : public requests_test, public ::testing::WithParamInterface<passing_case> {};

TEST_P(passing_test, ReachesTheProviderAsItWasWritten) {
  serve(streams({"hi"}));
  EXPECT_EQ(post(streamed("r", std::string(",") + GetParam().member)).text(), "hi");
  EXPECT_NE(provider->request().body.find(GetParam().member), std::string::npos) << provider->request().body;
}

INSTANTIATE_TEST_SUITE_P(
    , passing_test,
    ::testing::Values(passing_case{"SixtyFourBits", R"("seed":-9223372036854775808)"}, passing_case{"UnsignedSixtyFourBits", R"("seed":18446744073709551615)"},
                      passing_case{"MoreThanSixtyFourBits", R"("seed":123456789012345678901234567890)"},
                      passing_case{"MoreThanADouble", R"("x":1e999)"}, passing_case{"NumbersAsWritten", R"("temperature":1.0e-0)"},
                      passing_case{"HalfASurrogatePair", R"("user":"\ud83d")"}, passing_case{"OtherHalf", R"("user":"x\ude00y")"},
                      passing_case{"UnknownMemberTwice", R"("x":1,"x":2)"}, passing_case{"NullByteEscaped", R"("user":"a\u0000b")"},
                      passing_case{"NestedTenDeep", R"("x":[[[[[[[[[[]]]]]]]]]])"}, passing_case{"EmptyKey", R"("":"")"}),
    [](const auto& row) { return row.param.name; });

struct refused_case {
  const char* name;
  std::string body;
};

class refused_test : public requests_test, public ::testing::WithParamInterface<refused_case> {};

TEST_P(refused_test, IsA400InOpenAisShapeAndReachesNobody) {
  serve(streams({"hi"}));
  const http_response got = post(GetParam().body);
  EXPECT_EQ(got.status, 400) << got.body;
  EXPECT_EQ(got.error("type"), "invalid_request_error");
  EXPECT_EQ(provider->requests().size(), 0u);
  EXPECT_EQ(post(streamed("r")).text(), "hi");
}

INSTANTIATE_TEST_SUITE_P(
    , refused_test,
    ::testing::Values(
        refused_case{"TenThousandLevels", streamed("r", ",\"x\":" + std::string(10'000, '[') + std::string(10'000, ']'))},
        refused_case{"TenThousandLevelsUnclosed", streamed("r", ",\"x\":" + std::string(10'000, '['))},
        refused_case{"StreamIsAWord", R"({"model":"r","messages":[{}],"stream":"yes"})"},
        refused_case{"StreamIsANumber", R"({"model":"r","messages":[{}],"stream":1})"},
        refused_case{"MessagesTwice", R"({"model":"r","messages":[{}],"messages":[{}]})"},
        refused_case{"LeadingZero", streamed("r", ",\"x\":0123456789012345678901234")},
        refused_case{"CutEscape", streamed("r", R"(,"x":"\ud83")")},
        refused_case{"NotUtf8BehindHalfAPair", streamed("r", ",\"x\":\"\\ud83d\xC3\"")},
        refused_case{"AnEmptyModel", R"({"model":"","messages":[{}]})"}),
    [](const auto& row) { return row.param.name; });

TEST_F(requests_test, AStreamIsAStreamWhateverTheClientAccepts) {
  serve(streams({"hi"}));
  for (const char* accept : {"application/json", "*/*", "text/html", "application/json;q=0.9, text/event-stream;q=0"}) {
    const http_response got = post(streamed("r"), "Accept: " + std::string(accept) + "\r\nAccept-Encoding: gzip, deflate\r\n");
    EXPECT_EQ(got.field_or("content-type", ""), "text/event-stream");
    EXPECT_EQ(got.text(), "hi");
  }
  EXPECT_EQ(post(whole("r"), "Accept: text/event-stream\r\n").field_or("content-type", ""), "application/json");
}

TEST_F(requests_test, APreflightAllowsEveryHeaderThatSdksSend) {
  serve(streams({"hi"}));
  constexpr std::string_view wanted = "authorization, content-type, user-agent, x-stainless-arch, x-stainless-retry-count, x-stainless-read-timeout";
  test_client client = connect();
  client.get("/v1/chat/completions", "Origin: http://localhost:3000\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: " +
                                         std::string(wanted) + "\r\n", "OPTIONS");
  const http_response got = client.read();
  EXPECT_EQ(got.status, 204);
  for (const char* each : {"authorization", "content-type", "user-agent", "x-stainless-arch", "x-stainless-retry-count", "x-stainless-read-timeout"})
    EXPECT_NE(got.field_or("access-control-allow-headers", "").find(each), std::string::npos) << each;
}

TEST_F(requests_test, AnExpectationIsAnsweredAtOnceAndGoesNoFurther) {
  serve(streams({"hi"}));
  const std::string body = R"({"model":"r","stream":true,"messages":[{"role":"user","content":")" + std::string(5u << 20, 'x') + "\"}]}";
  test_client client = connect();
  client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(client.read_head().status, 100);
  client.send(body);
  EXPECT_EQ(client.read().text(), "hi");
  EXPECT_EQ(provider->request().field("expect"), "");
  EXPECT_EQ(json::parse(provider->request().body)["messages"], json::parse(body)["messages"]);
}

TEST_F(requests_test, AnEndpointThatIsNotServedIsToldAllThatAre) {
  serve(streams({"hi"}));
  const std::string message = get("/v1/nothing").error("message");
  for (const char* each : {"POST /v1/chat/completions", "GET /v1/models", "GET /v1/models/{id}", "GET /metrics", "GET /readyz"})
    EXPECT_NE(message.find(each), std::string::npos) << message;
}

TEST_F(requests_test, NamesThatNobodyConfiguredMakeNoSeriesHoweverManyAndOdd) {
  serve(streams({"hi"}));
  ASSERT_EQ(post(streamed("r")).status, 200);
  const auto lines = [this] {
    const std::string page = get("/metrics").body;
    return std::count(page.begin(), page.end(), '\n');
  };
  post(streamed("p/unknown-0")), post(streamed("unknown-0"));
  const auto before = lines();
  test_client client = connect();
  for (int number = 1; number < 500; ++number)
    for (const std::string& name : {"unknown-" + std::to_string(number), "p/unknown-" + std::to_string(number), R"(quote\"line\n)" + std::to_string(number)}) {
      client.post(streamed(name));
      ASSERT_LT(client.read().status, 500) << name;
    }
  EXPECT_EQ(lines(), before);
  EXPECT_EQ(post(streamed(std::string(1u << 20, 'n'))).status, 400) << "longer than a model's name";
  EXPECT_EQ(get("/metrics").body.find("unknown-"), std::string::npos);
  EXPECT_EQ(lines(), before);
}

}  // namespace
}  // namespace photofinish::testing
