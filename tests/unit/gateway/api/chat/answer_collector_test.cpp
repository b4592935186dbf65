#include "gateway/api/chat/answer_collector.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>

namespace photofinish::gateway {
namespace {

std::string finished(answer_collector collector) {
  std::string batch;
  outgoing out(batch);
  out.begin_batch();
  std::move(collector).finish(out);
  return out.take().text();
}

std::string collect(std::initializer_list<std::string_view> chunks) {
  answer_collector collector;
  for (const std::string_view chunk : chunks) {
    const auto added = collector.add(chunk);
    EXPECT_TRUE(added) << chunk;
  }
  return finished(std::move(collector));
}

// Joins the deltas of one choice into one message.
nlohmann::json message_of(std::initializer_list<std::string_view> deltas) {
  answer_collector collector;
  for (const std::string_view delta : deltas) {
    const auto added = collector.add(R"({"choices":[{"index":0,"delta":)" + std::string(delta) + "}]}");
    EXPECT_TRUE(added) << delta;
  }
  return nlohmann::json::parse(finished(std::move(collector)))["choices"][0]["message"];
}

TEST(AnswerCollector, MakesOneCompletionOfAStream) {
  EXPECT_EQ(
      collect(
          {R"({"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]})",
           R"({"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]})",
           R"({"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]})",
           R"({"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
           R"({"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[],"usage":{"prompt_tokens":1}})"}),
      R"({"id":"c1","object":"chat.completion","created":7,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}})");
}

TEST(AnswerCollector, KeepsNumbersAndEscapesAsTheyCame) {
  const std::string answer = collect(
      {R"({"created":1.70E9,"big":123456789012345678901234567890,"choices":[{"index":0,"delta":{"content":"a\u00e9\/"}}]})",
       R"({"choices":[{"index":0,"delta":{"content":"\n\"\\"}}]})"});
  EXPECT_NE(answer.find(R"("created":1.70E9)"), std::string::npos);
  EXPECT_NE(answer.find(R"("big":123456789012345678901234567890)"), std::string::npos);
  EXPECT_NE(answer.find(R"("content":"a\u00e9\/\n\"\\")"), std::string::npos);
}

TEST(AnswerCollector, LetsSurrogateHalvesMeetAgain) {
  EXPECT_EQ(message_of({R"({"content":"\ud83d"})", R"({"content":"\ude00"})"})["content"],
            "\xf0\x9f\x98\x80");
}

TEST(AnswerCollector, JoinsReasoningAndRefusalToo) {
  const auto message =
      message_of({R"({"reasoning":"a","reasoning_content":"1","refusal":null})",
                  R"({"reasoning":"b","reasoning_content":"2","refusal":"no"})", R"({"refusal":"pe"})"});
  EXPECT_EQ(message["reasoning"], "ab");
  EXPECT_EQ(message["reasoning_content"], "12");
  EXPECT_EQ(message["refusal"], "nope");
}

TEST(AnswerCollector, GivesARoleAndContentWhereNoneCame) {
  EXPECT_EQ(message_of({"{}"}).dump(), R"({"content":null,"role":"assistant"})");
  EXPECT_EQ(message_of({R"({"role":"","content":null})"}).dump(), R"({"content":null,"role":"assistant"})");
  EXPECT_EQ(message_of({R"({"role":"assistant","content":""})"})["content"], "");
  EXPECT_EQ(
      collect({R"({"id":"x","choices":[{"index":0,"finish_reason":"stop"}]})"}),
      R"({"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null},"finish_reason":"stop"}]})");
}

TEST(AnswerCollector, JoinsToolCallsByIndexAndDropsTheIndex) {
  const auto message = message_of(
      {R"({"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]})",
       R"({"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]})",
       R"({"tool_calls":[{"index":0,"id":"","function":{"name":null,"arguments":"{\"x\":"}}]})",
       R"({"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]})"});
  EXPECT_EQ(
      message["tool_calls"],
      nlohmann::json::parse(
          R"([{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}])"));
  EXPECT_TRUE(message["content"].is_null());
}

TEST(AnswerCollector, PutsToolCallsInTheOrderOfTheirIndexes) {
  const auto message =
      message_of({R"({"tool_calls":[{"index":10,"id":"c"},{"index":9,"id":"b"},{"index":2,"id":"a"}]})"});
  EXPECT_EQ(message["tool_calls"][0]["id"], "a");
  EXPECT_EQ(message["tool_calls"][1]["id"], "b");
  EXPECT_EQ(message["tool_calls"][2]["id"], "c");
}

TEST(AnswerCollector, KeepsWhatAProviderAddsToAToolCall) {
  const auto message = message_of(
      {R"({"tool_calls":[{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"f","arguments":"{}"}}]})"});
  EXPECT_EQ(message["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "s");
  EXPECT_EQ(message["tool_calls"][0]["type"], "function");
}

TEST(AnswerCollector, JoinsCustomToolCallsAndFunctionCalls) {
  const auto message = message_of(
      {R"({"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"sql","input":"SEL"}}],"function_call":{"name":"f","arguments":"{"}})",
       R"({"tool_calls":[{"index":0,"custom":{"input":"ECT"}}],"function_call":{"arguments":"}"}})"});
  EXPECT_EQ(message["tool_calls"][0]["custom"]["input"], "SELECT");
  EXPECT_EQ(message["function_call"], nlohmann::json::parse(R"({"name":"f","arguments":"{}"})"));
}

TEST(AnswerCollector, SaysNullWhereOnlyToolsWereCalled) {
  EXPECT_TRUE(message_of({R"({"content":"","tool_calls":[{"index":0,"id":"a"}]})"})["content"].is_null());
  EXPECT_TRUE(message_of({R"({"content":""})", R"({"function_call":{"name":"f"}})"})["content"].is_null());
  EXPECT_EQ(message_of({R"({"content":"so: ","tool_calls":[{"index":0,"id":"a"}]})"})["content"], "so: ");
}

TEST(AnswerCollector, TakesAnEmptyListOfToolCallsForNone) {
  const auto message = message_of({R"({"content":"","tool_calls":[]})"});
  EXPECT_EQ(message["content"], "");
  EXPECT_FALSE(message.contains("tool_calls"));
}

TEST(AnswerCollector, JoinsLogprobs) {
  const auto answer = nlohmann::json::parse(collect(
      {R"({"choices":[{"index":0,"delta":{},"logprobs":null}]})",
       R"({"choices":[{"index":0,"delta":{},"logprobs":{"content":[{"token":"a","logprob":-0.10}],"refusal":null}}]})",
       R"({"choices":[{"index":0,"delta":{},"logprobs":{"content":[ ],"refusal":[{"token":"n"}]}}]})",
       R"({"choices":[{"index":0,"delta":{},"logprobs":{"content":[{"token":"b"},{"token":"c"}]}}]})"}));
  const auto& logprobs = answer["choices"][0]["logprobs"];
  ASSERT_EQ(logprobs["content"].size(), 3u);
  EXPECT_EQ(logprobs["content"][2]["token"], "c");
  EXPECT_EQ(logprobs["refusal"].size(), 1u);
}

TEST(AnswerCollector, KeepsANullThatWasNeverMoreThanThat) {
  const std::string answer =
      collect({R"({"system_fingerprint":null,"choices":[{"index":0,"delta":{},"logprobs":null}]})"});
  EXPECT_NE(answer.find(R"("logprobs":null)"), std::string::npos);
  EXPECT_NE(answer.find(R"("system_fingerprint":null)"), std::string::npos);
}

TEST(AnswerCollector, JoinsAudio) {
  const auto message = message_of({R"({"audio":{"id":"au","transcript":"he"}})",
                                   R"({"audio":{"data":"QUJD","transcript":"y"}})",
                                   R"({"audio":{"data":"REVG","expires_at":9}})"});
  EXPECT_EQ(message["audio"],
            nlohmann::json::parse(R"({"id":"au","data":"QUJDREVG","transcript":"hey","expires_at":9})"));
}

TEST(AnswerCollector, JoinsAnnotationsAndUnknownArrays) {
  const auto message = message_of({R"({"annotations":[{"n":1}],"reasoning_details":[{"t":"a"}]})",
                                   R"({"annotations":[{"n":2},{"n":3}],"reasoning_details":[{"t":"b"}]})"});
  EXPECT_EQ(message["annotations"].size(), 3u);
  EXPECT_EQ(message["reasoning_details"][1]["t"], "b");
}

TEST(AnswerCollector, KeepsTheLastOfUnknownValues) {
  const auto message = message_of({R"({"mood":"a","score":1,"x":{"a":1}})",
                                   R"({"mood":"b","score":2.50,"x":{"b":1}})", R"({"mood":null})"});
  EXPECT_EQ(message["mood"], "b");
  EXPECT_EQ(message["score"], 2.5);
  EXPECT_EQ(message["x"].dump(), R"({"b":1})");
}

TEST(AnswerCollector, JoinsContentParts) {
  const auto message = message_of({R"({"content":[{"type":"thinking","thinking":"hm"}]})",
                                   R"({"content":[]})", R"({"content":"Hel"})", R"({"content":"lo"})"});
  EXPECT_EQ(message["content"],
            nlohmann::json::parse(R"([{"type":"thinking","thinking":"hm"},{"type":"text","text":"Hello"}])"));
  EXPECT_EQ(
      message_of({R"({"content":"a"})", R"({"content":[{"type":"text","text":"b"}]})"})["content"].size(),
      2u);
}

TEST(AnswerCollector, KeepsChoicesApart) {
  const auto answer = nlohmann::json::parse(
      collect({R"({"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]})",
               R"({"choices":[{"index":0,"delta":{"content":"A"},"finish_reason":"length"}]})",
               R"({"choices":[{"index":1,"delta":{"content":"B"},"finish_reason":"stop"}]})"}));
  ASSERT_EQ(answer["choices"].size(), 2u);
  EXPECT_EQ(answer["choices"][0]["message"]["content"], "aA");
  EXPECT_EQ(answer["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(answer["choices"][1]["message"]["content"], "bB");
  EXPECT_EQ(answer["choices"][1]["index"], 1);
}

TEST(AnswerCollector, IgnoresAMessageThatRepeatsTheDeltas) {
  const std::string answer = collect(
      {R"({"choices":[{"index":0,"message":{"content":"a"},"delta":{"content":"a"}}]})",
       R"({"choices":[{"index":0,"message":{"content":"ab"},"delta":{"content":"b"}},{"index":1,"message":null}]})"});
  EXPECT_EQ(nlohmann::json::parse(answer)["choices"][0]["message"]["content"], "ab");
  EXPECT_EQ(answer.find(R"("message")"), answer.rfind(R"("message")", answer.find(R"({"index":1)")));
}

TEST(AnswerCollector, KeepsUnknownMembersOfTheTopAndOfChoices) {
  const auto answer = nlohmann::json::parse(collect(
      {R"({"prompt_filter_results":[{"a":1}],"choices":[],"usage":{"n":1}})",
       R"({"service_tier":"default","x_groq":{"id":"r"},"choices":[{"index":0,"delta":{},"token_ids":[1,2],"stop_reason":null}],"usage":null})",
       R"({"citations":["u"],"choices":[{"index":0,"delta":{},"token_ids":[3],"stop_reason":"x"}],"usage":{"n":2}})"}));
  EXPECT_EQ(answer["prompt_filter_results"][0]["a"], 1);
  EXPECT_EQ(answer["service_tier"], "default");
  EXPECT_EQ(answer["x_groq"]["id"], "r");
  EXPECT_EQ(answer["citations"][0], "u");
  EXPECT_EQ(answer["choices"][0]["token_ids"].size(), 3u);
  EXPECT_EQ(answer["choices"][0]["stop_reason"], "x");
  EXPECT_EQ(answer["usage"]["n"], 2);
}

TEST(AnswerCollector, PutsUsageLast) {
  const std::string answer = collect({R"({"usage":{"n":1},"id":"a","zz":1,"choices":[]})"});
  EXPECT_EQ(answer, R"({"id":"a","object":"chat.completion","choices":[],"zz":1,"usage":{"n":1}})");
}

TEST(AnswerCollector, ComparesKeysUnescaped) {
  const auto message =
      message_of({R"({"cont\u0065nt":"a"})", R"({"content":"b"})", R"({"od\u0064":[1]})", R"({"odd":[2]})"});
  EXPECT_EQ(message["content"], "ab");
  EXPECT_EQ(message["odd"].size(), 2u);
}

TEST(AnswerCollector, TakesWhiteSpaceBetweenTokens) {
  const auto message =
      message_of({" {\n\"content\" : \"a\" , \"annotations\" : [ 1 , [ 2 ] ] } ", R"({"annotations":[ ]})"});
  EXPECT_EQ(message["content"], "a");
  EXPECT_EQ(message["annotations"].dump(), "[1,[2]]");
}

TEST(AnswerCollector, SurvivesWrongTypes) {
  for (
      const char* chunk :
      {R"({"choices":null})", R"({"choices":{}})", R"({"choices":[null,1,"x",[]]})",
       R"({"choices":[{"delta":"x"}]})",
       R"({"choices":[{"index":"x","delta":{"content":5,"tool_calls":{"a":1},"function_call":[],"audio":7}}]})",
       R"({"choices":[{"index":-1,"delta":{"content":{"a":1},"tool_calls":[null,{"function":3}]}}]})",
       R"({"choices":[{"index":0,"delta":null,"logprobs":[],"finish_reason":[]}]})", "{}"}) {
    const std::string answer = collect({chunk, R"({"choices":[{"index":0,"delta":{"content":"ok"}}]})"});
    EXPECT_TRUE(nlohmann::json::accept(answer)) << chunk << " -> " << answer;
  }
}

TEST(AnswerCollector, RefusesWhatIsNoObject) {
  answer_collector collector;
  const auto added = collector.add("[1]");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().kind, proxy::failure_kind::bad_stream);
}

TEST(AnswerCollector, FailsWhenTheAnswerOutgrowsItsLimit) {
  answer_collector collector(10'000);
  const std::string chunk =
      R"({"choices":[{"index":0,"delta":{"content":")" + std::string(1000, 'x') + "\"}}]}";
  int taken = 0;
  while (collector.add(chunk)) ++taken;
  EXPECT_GT(taken, 4);
  EXPECT_LT(taken, 10);
  const auto again = collector.add("{}");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().origin, proxy::failure_origin::gateway);
}

TEST(AnswerCollector, DoesNotChargeForWhatIsReplaced) {
  answer_collector collector(100'000);
  for (int count = 0; count < 100'000; ++count)
    ASSERT_TRUE(
        collector.add(R"({"id":"always-the-same","choices":[{"index":0,"delta":{},"finish_reason":null}]})"));
}

TEST(AnswerCollector, ChargesForManyEmptyEntries) {
  answer_collector collector(1u << 20);
  std::string chunk = R"({"choices":[)";
  for (int index = 0; index < 100'000; ++index) chunk += "{\"index\":" + std::to_string(index) + "},";
  chunk.back() = ']';
  EXPECT_FALSE(collector.add(chunk + "}"));
}

TEST(AnswerCollector, RefusesAnObjectWithEndlessMembers) {
  answer_collector collector;
  std::string chunk = "{";
  for (int count = 0; count < 5000; ++count) chunk += "\"k" + std::to_string(count) + "\":1,";
  chunk.back() = '}';
  EXPECT_FALSE(collector.add(chunk));
}

}  // namespace
}  // namespace photofinish::gateway
