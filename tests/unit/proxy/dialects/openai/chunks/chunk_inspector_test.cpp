#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"

#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <map>
#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

// Inspects a chunk, and owns the bytes to which the resulting facts refer.
struct inspected {
  explicit inspected(std::string_view json) : bytes(json), outcome(inspector.inspect(bytes.view())) {}
  const chunk_facts& facts() const { return inspector.facts(); }

  chunk_inspector inspector;
  test::padded_bytes bytes;
  result<void> outcome;
};

std::string with_delta(std::string_view delta) {
  return R"({"id":"a","choices":[{"index":0,"delta":)" + std::string(delta) + "}]}";
}

struct kind_case {
  const char* name;
  std::string json;
  event_kind kind;
  std::uint64_t text_bytes = 0;
  std::uint64_t reasoning_bytes = 0;
};

class FirstTokenRule : public testing::TestWithParam<kind_case> {};

TEST_P(FirstTokenRule, SaysWhatAChunkIs) {
  const inspected chunk(GetParam().json);
  ASSERT_TRUE(chunk.outcome.has_value());
  EXPECT_EQ(chunk.facts().kind, GetParam().kind);
  EXPECT_EQ(chunk.facts().text_bytes, GetParam().text_bytes);
  EXPECT_EQ(chunk.facts().reasoning_bytes, GetParam().reasoning_bytes);
  EXPECT_FALSE(chunk.facts().is_error);
}

constexpr auto progress = event_kind::progress;
constexpr auto token = event_kind::token;
constexpr auto reasoning = event_kind::reasoning_token;

INSTANTIATE_TEST_SUITE_P(
    Cases, FirstTokenRule,
    testing::Values(
        kind_case{"Content", with_delta(R"({"content":"h\u00e9"})"), token, 3},
        kind_case{"WhiteSpaceContent", with_delta(R"({"content":"\n"})"), token, 1},
        kind_case{"EmptyContent", with_delta(R"({"role":"assistant","content":""})"), progress},
        kind_case{"NullContent", with_delta(R"({"role":"assistant","content":null})"), progress},
        kind_case{"RoleOnly", with_delta(R"({"role":"assistant"})"), progress},
        kind_case{"EmptyDelta", with_delta("{}"), progress},
        kind_case{"NullDelta", with_delta("null"), progress},
        kind_case{"ContentParts", with_delta(R"({"content":[{"type":"text","text":"ab"}]})"), token, 2},
        kind_case{"EmptyContentParts", with_delta(R"({"content":[{"type":"text","text":""}]})"), progress},
        kind_case{"NoContentParts", with_delta(R"({"content":[]})"), progress},
        kind_case{"ImagePart", with_delta(R"({"content":[{"type":"image_url","image_url":{}}]})"), token},
        kind_case{"ThinkingPart",
                  with_delta(R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"abc"}]}]})"),
                  reasoning, 3, 3},
        kind_case{"Reasoning", with_delta(R"({"content":"","reasoning":"abc"})"), reasoning, 3, 3},
        kind_case{"ReasoningContent", with_delta(R"({"content":null,"reasoning_content":"ab"})"), reasoning, 2, 2},
        kind_case{"BothReasoningNamesCountOnce", with_delta(R"({"reasoning":"ab","reasoning_content":"ab"})"),
                  reasoning, 2, 2},
        kind_case{"EmptyReasoning", with_delta(R"({"reasoning":""})"), progress},
        kind_case{"ReasoningAndContent", with_delta(R"({"reasoning":"ab","content":"c"})"), token, 3, 2},
        kind_case{"Refusal", with_delta(R"({"refusal":"no"})"), token, 2},
        kind_case{"NullRefusal", with_delta(R"({"refusal":null})"), progress},
        kind_case{"FunctionCallName", with_delta(R"({"function_call":{"name":"f","arguments":""}})"), token},
        kind_case{"FunctionCallArguments", with_delta(R"({"function_call":{"arguments":"{}"}})"), token, 2},
        kind_case{"ToolCallName",
                  with_delta(R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]})"), token},
        kind_case{"ToolCallArguments", with_delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"{"}}]})"),
                  token, 1},
        kind_case{"ToolCallIdOnly", with_delta(R"({"tool_calls":[{"index":0,"id":"c"}]})"), progress},
        kind_case{"AudioData", with_delta(R"({"audio":{"id":"x","data":"AAAA"}})"), token},
        kind_case{"AudioTranscript", with_delta(R"({"audio":{"transcript":"hey"}})"), token, 3},
        kind_case{"AudioIdOnly", with_delta(R"({"audio":{"id":"x"}})"), progress},
        kind_case{"SecondChoice", R"({"choices":[{"index":0,"delta":{}},{"index":1,"delta":{"content":"x"}}]})", token, 1},
        kind_case{"NoChoices", R"({"choices":[],"prompt_filter_results":[]})", progress},
        kind_case{"ChoicesNull", R"({"choices":null,"usage":{"prompt_tokens":1}})", progress},
        kind_case{"UsageOnly", R"({"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}})", progress},
        kind_case{"Finish", R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})", progress},
        kind_case{"MessageIsNoDelta", R"({"choices":[{"index":0,"delta":{},"message":{"content":"all"}}]})", progress},
        kind_case{"ErrorNull", R"({"error":null,"choices":[{"delta":{"content":"x"}}]})", token, 1},
        kind_case{"ErrorEmpty", R"({"error":"","choices":[{"delta":{"content":"x"}}]})", token, 1},
        kind_case{"Ping", R"({"type":"ping"})", progress}),
    [](const auto& tested) { return tested.param.name; });

struct error_case {
  const char* name;
  std::string_view json;
};

class ErrorChunk : public testing::TestWithParam<error_case> {};

TEST_P(ErrorChunk, IsSeenInEveryShape) {
  const inspected chunk(GetParam().json);
  ASSERT_TRUE(chunk.outcome.has_value());
  EXPECT_TRUE(chunk.facts().is_error);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ErrorChunk,
    testing::Values(error_case{"Object", R"({"error":{"message":"no","code":429}})"},
                    error_case{"Text", R"({"error":"no"})"}, error_case{"EmptyObject", R"({"error":{}})"},
                    error_case{"WithEmptyChoices", R"({"choices":[],"error":{"message":"no"}})"},
                    error_case{"FinishError", R"({"choices":[{"delta":{},"finish_reason":"error"}]})"},
                    error_case{"FinishNetworkError", R"({"choices":[{"delta":{"content":"a"},"finish_reason":"network_error"}]})"},
                    error_case{"InTheChoice", R"({"choices":[{"delta":{},"error":{"message":"no"}}]})"},
                    error_case{"VllmObject", R"({"object":"error","message":"no","code":400})"},
                    error_case{"Anthropic", R"({"type":"error","error":{"type":"overloaded_error","message":"no"}})"},
                    error_case{"BareMessage", R"({"code":"InvalidParameter","message":"no"})"},
                    error_case{"BareDetail", R"({"detail":[{"msg":"no"}]})"}),
    [](const auto& tested) { return tested.param.name; });

class BadChunk : public testing::TestWithParam<error_case> {};

TEST_P(BadChunk, IsABadStream) {
  const inspected chunk(GetParam().json);
  ASSERT_FALSE(chunk.outcome.has_value());
  EXPECT_EQ(chunk.outcome.error().kind, failure_kind::bad_stream);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadChunk,
    testing::Values(error_case{"Html", "<html>502</html>"}, error_case{"Cut", R"({"choices":[{"delta":{"content":"a)"},
                    error_case{"TrailingText", R"({"choices":[]} x)"}, error_case{"BadLiteral", R"({"usage":nul})"},
                    error_case{"BadUtf8", "{\"choices\":[],\"x\":\"\xC3\"}"},
                    error_case{"BareControlCharacter", "{\"x\":\"a\x01\"}"}, error_case{"Number", "1"},
                    error_case{"List", "[]"}, error_case{"Text", "\"hi\""}, error_case{"Null", "null"},
                    error_case{"ChoicesNoList", R"({"choices":{}})"}, error_case{"ChoiceNoObject", R"({"choices":[1]})"},
                    error_case{"DeltaNoObject", R"({"choices":[{"delta":"x"}]})"},
                    error_case{"TwoDeltas", R"({"choices":[{"delta":{"content":"a"},"delta":null}]})"},
                    error_case{"NoDeltaAndADelta", R"({"choices":[{"delta":null,"\u0064elta":{"content":"a"}}]})"}),
    [](const auto& tested) { return tested.param.name; });

// Decoded strings do not count toward the memory limit. Therefore the inspector limits their number, and refuses an event with too many
// values.
TEST(ChunkInspector, RefusesAnEventThatSaysTooMuch) {
  const auto repeated = [](std::string_view one) {
    std::string all(one);
    for (std::size_t count = 0; count < most_said; ++count) all.append(",").append(one);
    return all;
  };
  const std::string choices = R"({"id":"a","choices":[)" + repeated("{}") + "]}";
  for (const std::string& json : {choices, with_delta(R"({"tool_calls":[)" + repeated("{}") + "]}"),
                                  with_delta(R"({"content":[)" + repeated(R"({"type":"text","text":"a"})") + "]}"),
                                  with_delta("{" + repeated(R"("content":"a")") + "}"),
                                  with_delta(R"({"content":[{"type":"thinking","thinking":[)" + repeated(R"({"text":"a"})") + "]}]}")}) {
    const inspected chunk(json);
    ASSERT_FALSE(chunk.outcome.has_value()) << json.substr(0, 60);
    EXPECT_NE(chunk.outcome.error().detail.find("contains more than"), std::string::npos) << chunk.outcome.error().detail;
    EXPECT_LE(chunk.facts().deltas.size() + chunk.facts().calls.size() + chunk.facts().choices.size(), most_said + 3);
  }
}

TEST(ChunkInspector, RefusesDeepNestingWithoutFalling) {
  const inspected chunk(R"({"x":)" + std::string(100000, '[') + std::string(100000, ']') + "}");
  EXPECT_FALSE(chunk.outcome.has_value());
}

TEST(ChunkInspector, ReadsUsageWhereverItIsTold) {
  const inspected plain(
      R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":20,"completion_tokens_details":{"reasoning_tokens":5}}})");
  ASSERT_TRUE(plain.facts().usage.has_value());
  EXPECT_EQ(plain.facts().usage->input_tokens, 7u);
  EXPECT_EQ(plain.facts().usage->output_tokens, 20u);
  EXPECT_EQ(plain.facts().usage->reasoning_tokens, 5u);
  EXPECT_TRUE(plain.facts().has_usage);

  const inspected writing(
      R"({"choices":[],"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":3}}})");
  ASSERT_TRUE(writing.facts().usage.has_value());
  EXPECT_EQ(writing.facts().usage->cached_input_tokens, 4u);
  EXPECT_EQ(writing.facts().usage->written_input_tokens, 3u);

  const inspected groq(R"({"choices":[],"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2.0}}})");
  ASSERT_TRUE(groq.facts().usage.has_value());
  EXPECT_EQ(groq.facts().usage->output_tokens, 2u);
  EXPECT_FALSE(groq.facts().has_usage);

  const inspected moonshot(R"({"choices":[{"delta":{},"usage":{"prompt_tokens":1,"completion_tokens":3}}]})");
  ASSERT_TRUE(moonshot.facts().usage.has_value());
  EXPECT_EQ(moonshot.facts().usage->output_tokens, 3u);
  EXPECT_FALSE(moonshot.facts().has_usage);
}

// xAI counts reasoning tokens in addition to the output tokens. OpenAI counts them as output tokens. The total number of tokens shows which
// rule a provider uses.
TEST(ChunkInspector, CountsReasoningAsOutputOnce) {
  const auto output_of = [](const std::string& output, const std::string& hidden, const std::string& total) {
    const inspected chunk(R"({"choices":[],"usage":{"prompt_tokens":32,"completion_tokens":)" + output + total +
                          R"(,"completion_tokens_details":{"reasoning_tokens":)" + hidden + "}}}");
    EXPECT_EQ(chunk.facts().usage.value().reasoning_tokens, std::stoull(hidden));
    return chunk.facts().usage.value().output_tokens;
  };
  EXPECT_EQ(output_of("9", "94", R"(,"total_tokens":135)"), 103u);
  EXPECT_EQ(output_of("0", "94", R"(,"total_tokens":126)"), 94u);
  EXPECT_EQ(output_of("103", "94", R"(,"total_tokens":135)"), 103u);
  EXPECT_EQ(output_of("103", "0", R"(,"total_tokens":135)"), 103u);
  EXPECT_EQ(output_of("103", "94", R"(,"total_tokens":1135)"), 103u) << "a total of something else";
  EXPECT_EQ(output_of("9", "94", ""), 103u) << "reasoning is never more than an output that contains it";
  EXPECT_EQ(output_of("103", "94", ""), 103u);
}

TEST(ChunkInspector, FindsWhatAProviderSaysOfItsTime) {
  const auto times_in = [](const std::string& members) {
    const inspected chunk(R"({"choices":[],)" + members + "}");
    return chunk.facts().usage.value().times;
  };
  const std::string usage = R"("usage":{"prompt_tokens":1,"completion_tokens":2})";
  const auto seconds = [](double count) { return std::optional(std::chrono::duration<double>(count)); };
  const auto groq = times_in(R"("usage":{"queue_time":0.17,"prompt_tokens":17,"prompt_time":0.0008})");
  EXPECT_EQ(groq.queue, seconds(0.17));
  EXPECT_EQ(groq.prompt, seconds(0.0008));
  EXPECT_EQ(times_in(R"("x_groq":{"usage":{"queue_time":2,"prompt_tokens":17}})").queue, seconds(2));
  for (const bool is_before : {true, false}) {  // a provider may send its processing times before or after the token counts
    const std::string times = R"("time_info":{"queue_time":0.043,"prompt_time":0.003,"created":1764196886.04})";
    const auto cerebras = times_in(is_before ? times + "," + usage : usage + "," + times);
    EXPECT_EQ(cerebras.queue, seconds(0.043));
    EXPECT_EQ(cerebras.prompt, seconds(0.003));
  }
  const auto llama = times_in(usage + R"(,"timings":{"prompt_n":9,"prompt_ms":25,"predicted_ms":4})");
  EXPECT_FALSE(llama.queue);
  EXPECT_EQ(llama.prompt, seconds(0.025));
  const auto fireworks = times_in(
      usage + R"(,"perf_metrics":{"prefill-queue-duration":"0.25","generation-queue-duration":0.5,"prefill-duration":"0.125"})");
  EXPECT_EQ(fireworks.queue, seconds(0.75));
  EXPECT_EQ(fireworks.prompt, seconds(0.125));
}

TEST(ChunkInspector, ATimeThatCannotBeIsLeftOut) {
  for (const char* time : {"-0.1", "86401", "1e300", R"("soon")", R"("nan")", R"("1x")", R"("")", "null", "true", "[]", "{}"}) {
    const inspected chunk(std::string(R"({"choices":[],"usage":{"prompt_tokens":1,"queue_time":)") + time + "}}");
    ASSERT_TRUE(chunk.facts().usage.has_value()) << time;
    EXPECT_FALSE(chunk.facts().usage->times.queue) << time;
  }
  const inspected odd(R"({"choices":[],"usage":{"prompt_tokens":1},"time_info":"no object","timings":[1]})");
  EXPECT_FALSE(odd.facts().usage->times.queue || odd.facts().usage->times.prompt);
}

TEST(ChunkInspector, UsageWithoutCountsTellsNothing) {
  for (const std::string_view usage : {"null", "{}", "[]", "1", R"({"completion_tokens":-1})", R"({"prompt_tokens":"x"})"}) {
    const inspected chunk(R"({"choices":[],"usage":)" + std::string(usage) + "}");
    ASSERT_TRUE(chunk.outcome.has_value());
    EXPECT_FALSE(chunk.facts().usage.has_value()) << usage;
    EXPECT_EQ(chunk.facts().has_usage, usage != "null") << usage;
  }
}

TEST(ChunkInspector, TellsWhatAnEditMayBeNeededFor) {
  const inspected chunk(
      R"({"id":"x","created":12,"model":"m","choices":[{"index":1,"finish_reason":"eos","delta":{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}},{"index":3}]}}]})");
  const chunk_facts& facts = chunk.facts();
  EXPECT_EQ(facts.id, "x");
  EXPECT_EQ(facts.created, 12);
  EXPECT_EQ(facts.model, "m");
  ASSERT_EQ(facts.choices.size(), 1u);
  EXPECT_EQ(facts.choices[0].index, 1);
  EXPECT_EQ(facts.choices[0].finish_text, "eos");
  EXPECT_EQ(facts.choices[0].role_text, "assistant");
  ASSERT_EQ(facts.choices[0].calls, 2u);
  EXPECT_FALSE(facts.calls[0].index.has_value());
  EXPECT_EQ(facts.calls[0].id, "c1");
  EXPECT_EQ(facts.calls[1].index, 3);
}

// Returns all deltas of a chunk as one string, with the kind, the choice, the call and the text of each delta.
std::string texts_of(const chunk_facts& facts) {
  const std::map<delta_kind, std::string> kinds{
      {delta_kind::text, "content"},     {delta_kind::reasoning, "reasoning"},           {delta_kind::refusal, "refusal"},
      {delta_kind::call, "name"},        {delta_kind::call_arguments, "arguments"},      {delta_kind::transcript, "transcript"}};
  std::string all;
  for (const delta& each : facts.deltas)
    all += kinds.at(each.kind) + " " + std::to_string(each.choice) + " " +
           std::to_string(each.part) + " " + std::string(each.text) + "|";
  return all;
}

TEST(ChunkInspector, LendsAllTextDecodedAndToldApart) {
  const inspected chunk(
      R"({"choices":[{"delta":{"content":"caf\u00e9","reasoning":"so","reasoning_content":"so","refusal":"no"},"index":2},)"
      R"({"delta":{"tool_calls":[{"index":4,"function":{"name":"look","arguments":"{\"a\":"}},{"function":{"arguments":"1}"}}],)"
      R"("content":[{"type":"text","text":"part"},{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}],)"
      R"("audio":{"transcript":"la","data":"AAAA"}}}]})");
  ASSERT_TRUE(chunk.outcome.has_value());
  EXPECT_EQ(texts_of(chunk.facts()),
            "content 2 0 caf\xC3\xA9|refusal 2 0 no|reasoning 2 0 so|"
            "name 1 4 look|arguments 1 4 {\"a\":|arguments 1 1 1}|"
            "content 1 0 part|reasoning 1 0 hm|transcript 1 0 la|");
}

TEST(ChunkInspector, ForgetsTheLastChunk) {
  chunk_inspector inspector;
  const test::padded_bytes full(R"({"id":"x","created":1,"model":"m","error":{},"usage":{"prompt_tokens":1},"choices":[{"delta":{"content":"a"}}]})");
  const test::padded_bytes bare("{}");
  ASSERT_TRUE(inspector.inspect(full.view()).has_value());
  ASSERT_TRUE(inspector.inspect(bare.view()).has_value());
  const chunk_facts& facts = inspector.facts();
  EXPECT_EQ(facts.kind, event_kind::progress);
  EXPECT_EQ(facts.id, "");
  EXPECT_EQ(facts.model, "");
  EXPECT_FALSE(facts.created || facts.usage || facts.has_usage || facts.has_choices || facts.is_error);
  EXPECT_TRUE(facts.choices.empty() && facts.calls.empty() && facts.deltas.empty());
  EXPECT_EQ(facts.text_bytes, 0u);
}

}  // namespace
}  // namespace photofinish::proxy
