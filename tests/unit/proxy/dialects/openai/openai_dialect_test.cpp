#include "proxy/dialects/openai/openai_dialect.hpp"

#include "proxy/find_dialect.hpp"
#include "proxy/providers/presets.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using header_list = std::vector<std::pair<std::string, std::string>>;

provider plain_provider() {
  provider target;
  target.name = "lab";
  target.url = {.is_tls = true, .host = "llm.example.com", .port = 443, .path = "/v1"};
  return target;
}

std::string edited(const std::string& json, const behaviour& behaves, std::vector<std::string>* dropped = nullptr) {
  const auto body = std::make_shared<const client_body>(json);
  provider target = plain_provider();
  target.behaves = behaves;
  const secret key("k");
  prepared_request prepared =
      openai_dialect().prepare({body, wire_format::openai_chat, target, "big/model", key, {}});
  std::string text;
  for (const std::string_view piece : prepared.body.pieces()) text += piece;
  if (dropped != nullptr) *dropped = prepared.dropped;
  EXPECT_EQ(body->json(), json) << "the client's body belongs to every attempt";
  return text;
}

struct body_case {
  const char* name;
  behaviour behaves;
  std::string sent;
  std::string upstream;
};

behaviour with_usage(usage_in_stream usage) {
  behaviour behaves;
  behaves.usage = usage;
  return behaves;
}

behaviour renaming() {
  behaviour behaves = with_usage(usage_in_stream::never);
  behaves.rename_params = {{"max_completion_tokens", "max_tokens"}};
  return behaves;
}

behaviour dropping() {
  behaviour behaves = with_usage(usage_in_stream::never);
  behaves.drop_params = {"store", "metadata"};
  behaves.reject_params = {"tools", "n"};
  return behaves;
}

behaviour strict() {
  behaviour behaves = with_usage(usage_in_stream::never);
  behaves.accept_params = {"max_tokens", "stop"};
  behaves.rename_params = {{"max_completion_tokens", "max_tokens"}};
  return behaves;
}

behaviour without_developer() {
  behaviour behaves = with_usage(usage_in_stream::never);
  behaves.developer_role = false;
  return behaves;
}

behaviour dropping_inside() {
  behaviour behaves = with_usage(usage_in_stream::never);
  behaves.drop_params = {"messages[].reasoning_content", "tools[].function.strict"};
  behaves.developer_role = false;
  return behaves;
}

class BodyEdits : public testing::TestWithParam<body_case> {};

TEST_P(BodyEdits, GiveTheProvidersBody) {
  EXPECT_EQ(edited(GetParam().sent, GetParam().behaves), GetParam().upstream);
}

// The gateway searches bodies above a megabyte with another algorithm. Both algorithms must find the same members.
TEST_P(BodyEdits, AreTheSameInALongBody) {
  const auto longer = [](std::string_view json) {
    return std::string(json.substr(0, json.rfind('}'))) + R"(,"padding":")" + std::string(1u << 20, 'x') + "\"}";
  };
  EXPECT_EQ(edited(longer(GetParam().sent), GetParam().behaves), longer(GetParam().upstream));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BodyEdits,
    testing::Values(
        body_case{"ModelAndStream", with_usage(usage_in_stream::never), R"({"model":"fast","x": 1.10,"stream":false})",
                  R"({"model":"big/model","x": 1.10,"stream":true})"},
        body_case{"StreamIsPutIn", with_usage(usage_in_stream::never), R"({"model":"fast"})", R"({"stream":true,"model":"big/model"})"},
        body_case{"EscapedKey", with_usage(usage_in_stream::never), R"({"\u006dodel":"fast","stream":true})",
                  R"({"\u006dodel":"big/model","stream":true})"},
        body_case{"InnerModelStays", with_usage(usage_in_stream::never),
                  R"({"model":"fast","stream":true,"metadata":{"model":"fast"}})",
                  R"({"model":"big/model","stream":true,"metadata":{"model":"fast"}})"},
        body_case{"UsageIsAskedFor", with_usage(usage_in_stream::request), R"({"model":"fast","stream":true})",
                  R"({"stream_options":{"include_usage":true},"model":"big/model","stream":true})"},
        body_case{"UsageWasAskedFor", with_usage(usage_in_stream::request),
                  R"({"model":"fast","stream":true,"stream_options":{"include_usage":true}})",
                  R"({"model":"big/model","stream":true,"stream_options":{"include_usage":true}})"},
        body_case{"UsageWasDeclined", with_usage(usage_in_stream::request),
                  R"({"model":"fast","stream":true,"stream_options":{"include_usage":false,"include_obfuscation":false}})",
                  R"({"model":"big/model","stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false}})"},
        body_case{"OtherStreamOptions", with_usage(usage_in_stream::request),
                  R"({"model":"fast","stream":true,"stream_options":{"include_obfuscation":false}})",
                  R"({"model":"big/model","stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false}})"},
        body_case{"NullStreamOptions", with_usage(usage_in_stream::request), R"({"model":"fast","stream":true,"stream_options":null})",
                  R"({"model":"big/model","stream":true,"stream_options":{"include_usage":true}})"},
        body_case{"StreamOptionsAreAnErrorThere", with_usage(usage_in_stream::always),
                  R"({"model":"fast","stream":true,"stream_options":{"include_usage":true}})", R"({"model":"big/model","stream":true})"},
        body_case{"Renamed", renaming(), R"({"model":"m","stream":true,"max_completion_tokens":5})",
                  R"({"model":"big/model","stream":true,"max_tokens":5})"},
        body_case{"RenamedToOneThatIsThere", renaming(), R"({"model":"m","stream":true,"max_completion_tokens":5,"max_tokens":6})",
                  R"({"model":"big/model","stream":true,"max_tokens":6})"},
        body_case{"Dropped", dropping(), R"({"store":true,"model":"m","stream":true,"metadata":{}})", R"({"model":"big/model","stream":true})"},
        body_case{"EmptyToolsAndOneAnswerAreLeftOut", dropping(), R"({"model":"m","tools":[],"n":1,"stream":true})",
                  R"({"model":"big/model","stream":true})"},
        body_case{"DroppedInsideEachMessage", dropping_inside(),
                  R"({"model":"m","stream":true,"messages":[{"role":"developer","reasoning_content":"a"},{"reasoning_content":null,"role":"user"},{"reasoning_content":"b"},7]})",
                  R"({"model":"big/model","stream":true,"messages":[{"role":"system"},{"role":"user"},{},7]})"},
        body_case{"DroppedInsideEachTool", dropping_inside(),
                  R"({"model":"m","stream":true,"tools":[{"function":{"name":"f","strict":true}},{"function":{"strict":false,"x":{"strict":1}}}]})",
                  R"({"model":"big/model","stream":true,"tools":[{"function":{"name":"f"}},{"function":{"x":{"strict":1}}}]})"},
        body_case{"NothingInsideToDrop", dropping_inside(),
                  R"({"model":"m","stream":true,"messages":"reasoning_content","tools":[{"strict":true}]})",
                  R"({"model":"big/model","stream":true,"messages":"reasoning_content","tools":[{"strict":true}]})"},
        body_case{"AnEmptyToolListGoesEverywhere", with_usage(usage_in_stream::never), R"({"model":"m","tools":[ ],"stream":true})",
                  R"({"model":"big/model","stream":true})"},
        body_case{"DeveloperBecomesSystem", without_developer(),
                  R"({"model":"m","stream":true,"messages":[{"role":"developer","content":"developer"},{"content":"x","role":"d\u0065veloper"},{"role":"user"}]})",
                  R"({"model":"big/model","stream":true,"messages":[{"role":"system","content":"developer"},{"content":"x","role":"system"},{"role":"user"}]})"},
        body_case{"DeveloperStaysWhereItIsKnown", with_usage(usage_in_stream::never),
                  R"({"model":"m","stream":true,"messages":[{"role":"developer"}]})",
                  R"({"model":"big/model","stream":true,"messages":[{"role":"developer"}]})"}),
    [](const auto& tested) { return tested.param.name; });

std::vector<std::string> dropped_of(const std::string& json, const behaviour& behaves) {
  std::vector<std::string> dropped;
  edited(json, behaves, &dropped);
  return dropped;
}

TEST(OpenAiDialect, AStrictSchemaGetsOnlyWhatItKnows) {
  const std::string sent =
      R"({"model":"m","messages":[],"stream":false,"stop":"x","max_completion_tokens":5,"user":"u","top_k":3,"n":1})";
  EXPECT_EQ(edited(sent, strict()),
            R"({"model":"big/model","messages":[],"stream":true,"stop":"x","max_tokens":5})");
  EXPECT_EQ(dropped_of(sent, strict()), (std::vector<std::string>{"user", "top_k"}));
}

TEST(OpenAiDialect, TellsOfNamesThatClientsMadeUpOnlyWhereTheyAreWords) {
  std::string sent = R"({"model":"m","messages":[],"a\r\nx-evil: 1":1,")" + std::string(41, 'x') + R"(":1)";
  for (int count = 0; count < 30; ++count) sent += ",\"made_up_" + std::to_string(count) + "\":1";
  const auto dropped = dropped_of(sent + "}", strict());
  ASSERT_EQ(dropped.size(), 16u);
  EXPECT_EQ(dropped.front(), "made_up_0");
}

TEST(OpenAiDialect, GroqGetsNoNamesOfMessages) {
  const behaviour groq = presets().at("groq").defaults.behaves;
  EXPECT_EQ(edited(R"({"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","name":"bob","content":"name"}]})", groq),
            R"({"model":"big/model","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"name"}]})");
}

TEST(OpenAiDialect, MistralGetsNothingOfOpenAisThatItsSchemaForbids) {
  const behaviour mistral = presets().at("mistral").defaults.behaves;
  EXPECT_EQ(edited(R"({"model":"m","stream":true,"store":false,"metadata":{"a":"b"},"verbosity":"low","safety_identifier":"s","seed":7,"stream_options":{"include_usage":true},"reasoning_effort":"high","messages":[{"role":"assistant","content":"a","refusal":null,"annotations":[],"audio":null,"name":"x","reasoning_content":"hm"}]})", mistral),
            R"({"model":"big/model","stream":true,"random_seed":7,"reasoning_effort":"high","messages":[{"role":"assistant","content":"a"}]})");
}

// The gateway's answers contain reasoning in the members of several model families, for example reasoning_details. Clients send these
// members back in later requests, but strict targets must not get the members of other families.
TEST(OpenAiDialect, StrictTargetsGetNothingOfOtherFamiliesReasoning) {
  const std::string sent =
      R"({"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"assistant","reasoning_content":"hm",)"
      R"("reasoning_details":[{"type":"reasoning.encrypted","data":"A"}],"extra_content":{"google":{"thought_signature":"A"}},)"
      R"("tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"A"}}}]}]})";
  for (const char* name : {"groq", "mistral"}) {
    const std::string got = edited(sent, presets().at(name).defaults.behaves);
    EXPECT_NE(got.find(R"([{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}])"),
              std::string::npos)
        << name << got;
  }
}

TEST(OpenAiDialect, ListsWhatItDroppedAndMeantSomething) {
  std::vector<std::string> dropped;
  edited(R"({"model":"m","store":true,"metadata":null,"tools":[]})", dropping(), &dropped);
  EXPECT_EQ(dropped, (std::vector<std::string>{"store"}));
}

TEST(OpenAiDialect, ListsWhatItDroppedInsideOnce) {
  std::vector<std::string> dropped;
  edited(R"({"model":"m","messages":[{"reasoning_content":"a"},{"reasoning_content":"b"}]})", dropping_inside(), &dropped);
  EXPECT_EQ(dropped, (std::vector<std::string>{"messages[].reasoning_content"}));
}

TEST(OpenAiDialect, AnUneditedPartIsSentFromWhereItLies) {
  const auto body = std::make_shared<const client_body>(R"({"model":"m","stream":true,"messages":["a long text"]})");
  provider target = plain_provider();
  target.behaves.usage = usage_in_stream::never;
  const secret key("k");
  prepared_request prepared = openai_dialect().prepare({body, wire_format::openai_chat, target, "x", key, {}});
  const std::string_view last = prepared.body.pieces().back();
  EXPECT_EQ(last.data() + last.size(), body->json().data() + body->json().size());
}

struct reject_case {
  const char* name;
  std::string_view parameter;
  std::string_view value;
  bool is_unsupported;
};

class UnsupportedParams : public testing::TestWithParam<reject_case> {};

TEST_P(UnsupportedParams, CountOnlyWhereTheyMeanSomething) {
  provider target = plain_provider();
  target.behaves.reject_params = {"seed", std::string(GetParam().parameter)};
  const client_body body("{\"" + std::string(GetParam().parameter) + "\":" + std::string(GetParam().value) + "}");
  const auto found = openai_dialect().unsupported(body, wire_format::openai_chat, target);
  EXPECT_EQ(found.has_value(), GetParam().is_unsupported);
  EXPECT_EQ(found.value_or(GetParam().parameter), GetParam().parameter);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, UnsupportedParams,
    testing::Values(reject_case{"OneAnswer", "n", "1", false}, reject_case{"OneAnswerAsAFraction", "n", "1.0", false},
                    reject_case{"TwoAnswers", "n", "2", true}, reject_case{"NoTools", "tools", "[ ]", false},
                    reject_case{"Tools", "tools", "[{}]", true}, reject_case{"NullTools", "tools", "null", false},
                    reject_case{"NoLogprobs", "logprobs", "false", false}, reject_case{"Logprobs", "logprobs", "true", true},
                    reject_case{"NoTopLogprobs", "top_logprobs", "0", false}, reject_case{"Stop", "stop", "\"x\"", true},
                    reject_case{"NoStop", "stop", "\"\"", false}, reject_case{"NoBias", "logit_bias", "{}", false},
                    reject_case{"TextFormat", "response_format", R"({"type":"text"})", false},
                    reject_case{"JsonFormat", "response_format", R"({"type":"json_object"})", true},
                    reject_case{"ParallelCalls", "parallel_tool_calls", "true", false},
                    reject_case{"NoParallelCalls", "parallel_tool_calls", "false", true},
                    reject_case{"ToolChoiceAuto", "tool_choice", "\"auto\"", false},
                    reject_case{"ToolChoiceRequired", "tool_choice", "\"required\"", true},
                    reject_case{"Temperature", "temperature", "1", false}, reject_case{"Cold", "temperature", "0", true}),
    [](const auto& tested) { return tested.param.name; });

TEST(OpenAiDialect, CannotStreamFromAProviderThatRewritesItsText) {
  provider target = plain_provider();
  target.behaves.append_only = false;
  target.behaves.reject_params = {"n"};
  EXPECT_EQ(openai_dialect().unsupported(client_body(R"({"n":2})"), wire_format::openai_chat, target), "stream");
}

TEST(OpenAiDialect, CanServeWithoutAStreamWhatRewritesItsText) {
  provider target = plain_provider();
  target.behaves.append_only = false;
  target.behaves.stream = upstream_stream::never;
  EXPECT_EQ(openai_dialect().unsupported(client_body("{}"), wire_format::openai_chat, target), std::nullopt);
}

struct whole_case {
  std::string sent;
  std::string upstream;
};

TEST(OpenAiDialect, AsksForAWholeAnswerWhereOneIsWanted) {
  const secret key("k");
  provider target = plain_provider();
  target.behaves.accept_params = {"max_tokens"};
  for (const auto& [sent, upstream] :
       {whole_case{R"({"model":"m","stream":true,"stream_options":{"include_usage":true}})",
                   R"({"model":"big/model","stream":false})"},
        whole_case{R"({"model":"m","stream":null})", R"({"model":"big/model","stream":false})"},
        whole_case{R"({"model":"m","stream":false})", R"({"model":"big/model","stream":false})"},
        whole_case{R"({"model":"m"})", R"({"stream":false,"model":"big/model"})"}}) {
    const auto body = std::make_shared<const client_body>(sent);
    attempt_request wanted{body, wire_format::openai_chat, target, "big/model", key, {}, answer_shape::in_one_piece};
    prepared_request prepared = openai_dialect().prepare(wanted);
    std::string text;
    for (const std::string_view piece : prepared.body.pieces()) text += piece;
    EXPECT_EQ(text, upstream);
    EXPECT_TRUE(prepared.is_unstreamed);
    EXPECT_TRUE(prepared.dropped.empty());
    EXPECT_EQ(prepared.head.fields[1].second, "application/json");
    wanted.shape = answer_shape::streamed;
    EXPECT_FALSE(openai_dialect().prepare(wanted).is_unstreamed);
  }
}

TEST(OpenAiDialect, CannotSendABodyOfAnotherFormat) {
  const client_body body(R"({"messages":[]})");
  EXPECT_EQ(openai_dialect().unsupported(body, wire_format::openai_chat, plain_provider()), std::nullopt);
  EXPECT_EQ(openai_dialect().unsupported(body, wire_format::anthropic_messages, plain_provider()), "format");
}

TEST(OpenAiDialect, StoresWhatABodyAsksForWhereItIsSent) {
  provider target = plain_provider();
  const client_body kept(R"({"store":true})");
  EXPECT_TRUE(openai_dialect().stores(kept, wire_format::openai_chat, target));
  EXPECT_FALSE(openai_dialect().stores(client_body(R"({"store":false})"), wire_format::openai_chat, target));
  EXPECT_FALSE(openai_dialect().stores(client_body("{}"), wire_format::openai_chat, target));
  target.behaves.drop_params = {"store"};
  EXPECT_FALSE(openai_dialect().stores(kept, wire_format::openai_chat, target));
}

TEST(OpenAiDialect, AsksForAPlainEventStream) {
  const auto body = std::make_shared<const client_body>("{}");
  provider target = plain_provider();
  target.chat_path = "/chat/completions?api-version=1";
  const header_list forwarded{{"accept", "text/plain"}, {"x-trace", "7"}};
  const secret key("sk-1");
  const request_head head =
      openai_dialect().prepare({body, wire_format::openai_chat, target, "m", key, forwarded}).head;
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.path, "/v1/chat/completions?api-version=1");
  const header_list first_fields{{"content-type", "application/json"},
                                 {"accept", "text/event-stream"},
                                 {"accept-encoding", "identity"},
                                 {"authorization", "Bearer sk-1"},
                                 {"x-trace", "7"}};
  ASSERT_EQ(head.fields.size(), 6u);
  EXPECT_EQ(header_list(head.fields.begin(), head.fields.end() - 1), first_fields);
}

TEST(FindDialect, KnowsOpenAi) {
  EXPECT_NE(find_dialect("openai"), nullptr);
  EXPECT_EQ(find_dialect("smalltalk"), nullptr);
}

}  // namespace
}  // namespace photofinish::proxy
