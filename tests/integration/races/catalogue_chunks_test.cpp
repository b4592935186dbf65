// Tests the variants of chunks that providers are known to send. The gateway relays valid chunks unchanged, byte for byte, and repairs only
// those faults that would break a client.
#include "tests/support/streams/stream_bytes.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace photofinish::testing {
namespace {

using nlohmann::json;

constexpr std::string_view asks_usage = R"(,"stream_options":{"include_usage":true})";

std::string chunk(std::string_view delta, std::string_view behind = R"(,"finish_reason":null)") {
  return R"({"id":"c-1","object":"chat.completion.chunk","created":1763700000,"model":"m","choices":[{"index":0,"delta":)" +
         std::string(delta) + std::string(behind) + "}]}";
}

class chunks_test : public one_provider_test {
 protected:
  // Returns the JSON of each event that the client reads if the provider sends the given chunks, without [DONE].
  std::vector<std::string> relayed(const std::vector<std::string>& chunks, std::string_view more = "") {
    std::string body;
    for (const std::string& each : chunks) body += "data: " + each + "\n\n";
    serve(sends_stream(body + "data: [DONE]\n\n"));
    const http_response got = post(streamed("r", more));
    EXPECT_TRUE(got.is_complete) << got.body;
    std::vector<std::string> all = got.events();
    EXPECT_EQ(all.back(), "[DONE]");
    all.pop_back();
    return all;
  }
};

struct clean_case {
  const char* name;
  std::string chunk;
};

class clean_chunk_test : public chunks_test, public ::testing::WithParamInterface<clean_case> {};

TEST_P(clean_chunk_test, PassesByteForByte) {
  const std::vector<std::string> sent{role_chunk(), GetParam().chunk, finish_chunk()};
  EXPECT_EQ(relayed(sent), sent);
}

INSTANTIATE_TEST_SUITE_P(
    , clean_chunk_test,
    ::testing::Values(
        clean_case{"ReasoningContent", chunk(R"({"content":null,"reasoning_content":"hm"})")},
        clean_case{"Reasoning", chunk(R"({"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]})")},
        clean_case{"ThoughtSignature",
                   chunk(R"({"content":"a","extra_content":{"google":{"thought_signature":"EsQB\/+=="}}})")},
        clean_case{"Logprobs", chunk(R"({"content":"a"})", R"(,"logprobs":{"content":[{"token":"a","logprob":-0.10000000000000000555,"bytes":[97]}]})")},
        clean_case{"Refusal", chunk(R"({"refusal":"I will not"})")},
        clean_case{"Annotations", chunk(R"({"content":"a","annotations":[{"type":"url_citation","url_citation":{"start_index":0}}]})")},
        clean_case{"Audio", chunk(R"({"audio":{"id":"x","data":"AAAA","expires_at":1}})")},
        clean_case{"ContentParts", chunk(R"({"content":[{"type":"text","text":"a"}]})")},
        clean_case{"ServiceTierAndFingerprint",
                   R"({"id":"c-1","created":1763700000,"service_tier":"flex","system_fingerprint":"fp","obfuscation":"xY","choices":[{"index":0,"delta":{"content":"a"}}]})"},
        clean_case{"WhiteSpaceAndOrder", R"({ "choices" : [ { "delta" : { "content" : "a" } , "index" : 0 } ] , "created":1763700000 , "id" : "c-1" })"},
        clean_case{"EscapesAsWritten", chunk(R"({"content":"caf\u00e9 \ud83c\udfc1 \/ \t"})")},
        clean_case{"NumbersAsWritten",
                   R"({"id":"c-1","created":1763700000,"x":[1.0e2,-0.0,1E+2,18446744073709551615],"choices":[{"index":0,"delta":{"content":"a"}}]})"},
        clean_case{"AnIntegerBeyond64Bits",
                   R"({"id":"c-1","created":1763700000,"nonce":123456789012345678901234567890,"choices":[{"index":0,"delta":{"content":"a"}}]})"},
        clean_case{"ANumberBeyondADouble",
                   R"({"id":"c-1","created":1763700000,"logit":-1e999,"choices":[{"index":0,"delta":{"content":"a"}}]})"},
        clean_case{"HalfASurrogatePair", chunk(R"({"content":"\ud83d"})")},
        clean_case{"ErrorNull", R"({"id":"c-1","created":1763700000,"error":null,"choices":[{"index":0,"delta":{"content":"a"}}]})"},
        clean_case{"ErrorInWordsOfTheAnswer", chunk(R"({"content":"{\"error\":{\"message\":\"x\"}} [DONE] data: [DONE]"})")},
        clean_case{"EmptyDelta", chunk("{}")},
        clean_case{"FilterResults", R"({"id":"c-1","created":1763700000,"choices":[{"index":0,"delta":{"content":"a"},"content_filter_results":{"hate":{"filtered":false}}}]})"},
        clean_case{"NoChoicesButAList", R"({"id":"c-1","created":1763700000,"choices":[],"prompt_filter_results":[1]})"}),
    [](const auto& row) { return row.param.name; });

TEST_F(chunks_test, HalvesOfASurrogatePairMeetInAWholeAnswer) {
  serve(sends_stream(events({chunk(R"({"role":"assistant","content":"\ud83c"})"), chunk(R"({"content":"\udfc1"})"), finish_chunk(), "[DONE]"})));
  EXPECT_EQ(json::parse(post(whole("r")).body)["choices"][0]["message"]["content"], "\xF0\x9F\x8F\x81");
}

TEST_F(chunks_test, TwoAnswersOfOneRequestKeepTheirOwnRolesAndFinishes) {
  const auto both = [](std::string_view first, std::string_view second) {
    return R"({"id":"c-1","created":1763700000,"model":"m","choices":[{"index":0,)" + std::string(first) + R"(},{"index":1,)" + std::string(second) + "}]}";
  };
  const std::vector<std::string> sent{
      both(R"("delta":{"role":"assistant","content":"a"})", R"("delta":{"role":"assistant","content":"b"})"),
      both(R"("delta":{"content":"c"})", R"("delta":{"content":"d"},"finish_reason":"length")"),
      both(R"("delta":{},"finish_reason":"stop")", R"("delta":{})")};
  EXPECT_EQ(relayed(sent, R"(,"n":2)"), sent);
}

// The usage is sent once, at the end of the stream, and only to clients that requested it. The metrics count the last usage that the
// provider reported.
struct usage_case {
  const char* name;
  std::vector<std::string> chunks;
};

class usage_test : public chunks_test, public ::testing::WithParamInterface<usage_case> {};

TEST_P(usage_test, IsCountedOnceAndToldOnceAtTheEnd) {
  const auto all = relayed(GetParam().chunks, asks_usage);
  std::size_t reported = 0;
  for (const std::string& each : all) {
    const json event = json::parse(each);
    if (!event.contains("usage") || event["usage"].is_null()) continue;
    ++reported;
    EXPECT_EQ(event["choices"], json::array()) << each;
    EXPECT_EQ(event["usage"]["completion_tokens"], 20) << each;
    EXPECT_EQ(each, all.back());
  }
  EXPECT_EQ(reported, 1u);
  expect_metric(20, "photofinish_output_tokens_total", {R"(source="usage")"});
}

TEST_P(usage_test, IsKeptFromThoseWhoDidNotAsk) {
  for (const std::string& each : relayed(GetParam().chunks)) {
    const json event = json::parse(each);
    EXPECT_TRUE(!event.contains("usage") || event["usage"].is_null()) << each;
  }
  expect_metric(20, "photofinish_output_tokens_total", {R"(source="usage")"});
}

std::string usage(int output) {
  return R"({"prompt_tokens":7,"completion_tokens":)" + std::to_string(output) + R"(,"total_tokens":)" + std::to_string(7 + output) + "}";
}

std::string with_usage(std::string_view delta, const std::string& reported, std::string_view finish = "null") {
  return R"({"id":"c-1","created":1763700000,"model":"m","choices":[{"index":0,"delta":)" + std::string(delta) +
         R"(,"finish_reason":)" + std::string(finish) + R"(}],"usage":)" + reported + "}";
}

std::string of_groq(const std::string& reported) {
  return R"({"id":"c-1","created":1763700000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r","usage":)" + reported + "}}";
}

std::string of_moonshot(const std::string& reported) {
  return R"({"id":"c-1","created":1763700000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":)" + reported + "}]}";
}

INSTANTIATE_TEST_SUITE_P(
    , usage_test,
    ::testing::Values(
        usage_case{"InTheLastChunk", {role_chunk(), token_chunk("a"), finish_chunk(), usage_chunk(7, 20)}},
        usage_case{"NullBefore", {with_usage(R"({"role":"assistant","content":"a"})", "null"), with_usage("{}", "null", "\"stop\""), usage_chunk(7, 20)}},
        usage_case{"InTheFinishChunk", {role_chunk(), token_chunk("a"), with_usage("{}", usage(20), "\"stop\"")}},
        usage_case{"BeforeTheFinishChunk", {role_chunk(), token_chunk("a"), usage_chunk(7, 20), finish_chunk()}},
        usage_case{"InXGroq", {role_chunk(), token_chunk("a"), of_groq(usage(20))}},
        usage_case{"InXGroqAndInAChunkOfItsOwn", {role_chunk(), token_chunk("a"), of_groq(usage(20)), usage_chunk(7, 20)}},
        usage_case{"InTheChoice", {role_chunk(), token_chunk("a"), of_moonshot(usage(20))}},
        usage_case{"OnEveryChunk", {with_usage(R"({"role":"assistant","content":"a"})", usage(1)), with_usage(R"({"content":"b"})", usage(11)),
                                    with_usage("{}", usage(20), "\"stop\"")}},
        usage_case{"OnEveryChunkThenNull", {with_usage(R"({"role":"assistant","content":"a"})", usage(1)), with_usage(R"({"content":"b"})", usage(20)),
                                            with_usage("{}", "null", "\"stop\"")}},
        usage_case{"Twice", {role_chunk(), token_chunk("a"), finish_chunk(), usage_chunk(7, 19), usage_chunk(7, 20)}}),
    [](const auto& row) { return row.param.name; });

// The gateway replaces unknown and repeated finish reasons with a single finish reason of OpenAI's API.
struct finish_case {
  const char* name;
  std::vector<std::string> reasons;  // the finish reason of each chunk, as JSON
  const char* seen;
};

class finish_test : public chunks_test, public ::testing::WithParamInterface<finish_case> {};

TEST_P(finish_test, IsOneOfOpenAisWordsAndComesOnce) {
  std::vector<std::string> sent{role_chunk(), token_chunk("a")};
  for (const std::string& reason : GetParam().reasons) sent.push_back(chunk("{}", ",\"finish_reason\":" + reason));
  std::vector<std::string> finishes;
  for (const std::string& each : relayed(sent)) {
    const json choice = json::parse(each)["choices"][0];
    if (choice.contains("finish_reason") && choice["finish_reason"].is_string()) finishes.push_back(choice["finish_reason"]);
  }
  EXPECT_EQ(finishes, std::vector<std::string>{GetParam().seen});
}

INSTANTIATE_TEST_SUITE_P(
    , finish_test,
    ::testing::Values(finish_case{"Empty", {R"("")", R"("")", R"("stop")"}, "stop"}, finish_case{"EndOfSequence", {R"("eos")"}, "stop"},
                      finish_case{"EndOfSequenceToken", {R"("eos_token")"}, "stop"}, finish_case{"End", {R"("end")"}, "stop"},
                      finish_case{"EndTurn", {R"("end_turn")"}, "stop"}, finish_case{"Unknown", {R"("because")"}, "length"},
                      finish_case{"GooglesLength", {R"("MAX_TOKENS")"}, "length"}, finish_case{"ANumber", {"7"}, "stop"},
                      finish_case{"Twice", {R"("stop")", R"("stop")"}, "stop"}, finish_case{"TwoDifferent", {R"("length")", R"("stop")"}, "length"},
                      finish_case{"Missing", {"null"}, "stop"}, finish_case{"OnlyEmpty", {R"("")"}, "stop"},
                      finish_case{"Length", {R"("length")"}, "length"}, finish_case{"ContentFilter", {R"("content_filter")"}, "content_filter"}),
    [](const auto& row) { return row.param.name; });

// A client joins pieces of tool calls with the same index into one call, and joins their arguments.
struct calls_case {
  const char* name;
  std::vector<std::string> lists;  // the value of `tool_calls` in each delta
  std::vector<std::string> calls;  // the tool calls that the client gets, as "id name arguments"
};

class tool_calls_test : public chunks_test, public ::testing::WithParamInterface<calls_case> {
 protected:
  std::vector<std::string> sent() const {
    std::vector<std::string> chunks{role_chunk()};
    for (const std::string& list : GetParam().lists) chunks.push_back(chunk("{\"tool_calls\":" + list + "}"));
    chunks.push_back(finish_chunk("tool_calls"));
    return chunks;
  }
};

TEST_P(tool_calls_test, AreToldApartByTheirIndexAlone) {
  struct call { std::string id, name, arguments; };
  std::map<int, call> calls;
  for (const std::string& each : relayed(sent())) {
    const json delta = json::parse(each)["choices"][0]["delta"];
    std::set<int> here;
    for (const json& entry : delta.value("tool_calls", json::array())) {
      ASSERT_TRUE(entry["index"].is_number_integer()) << each;
      const int index = entry["index"];
      EXPECT_TRUE(here.insert(index).second) << "one index twice in " << each;
      call& known = calls[index];
      if (const std::string id = entry.value("id", ""); !id.empty()) {
        EXPECT_TRUE(known.id.empty()) << "a second id in " << each;
        known.id = id;
      }
      const json function = entry.value("function", json::object());
      if (known.name.empty()) known.name = function.value("name", "");
      known.arguments += function.value("arguments", "");
    }
  }
  std::vector<std::string> seen;
  for (const auto& [index, each] : calls) seen.push_back(each.id + " " + each.name + " " + each.arguments);
  EXPECT_EQ(seen, GetParam().calls);
}

TEST_P(tool_calls_test, AreTheSameInAWholeAnswer) {
  std::string body;
  for (const std::string& each : sent()) body += "data: " + each + "\n\n";
  serve(sends_stream(body + "data: [DONE]\n\n"));
  const json answer = json::parse(post(whole("r")).body);
  std::vector<std::string> seen;
  for (const json& each : answer["choices"][0]["message"]["tool_calls"])
    seen.push_back(each["id"].get<std::string>() + " " + each["function"]["name"].get<std::string>() + " " +
                   each["function"]["arguments"].get<std::string>());
  EXPECT_EQ(seen, GetParam().calls);
}

const std::string read_a = R"({"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}})";
const std::string read_b = R"({"id":"b","type":"function","function":{"name":"read","arguments":"{\"path\":\"b\"}"}})";
std::string at_index(int index, const std::string& call) { return "{\"index\":" + std::to_string(index) + "," + call.substr(1); }
const std::vector<std::string> both_reads{R"(a read {"path":"a"})", R"(b read {"path":"b"})"};

INSTANTIATE_TEST_SUITE_P(
    , tool_calls_test,
    ::testing::Values(
        calls_case{"Proper", {"[" + at_index(0, read_a) + "]", "[" + at_index(1, read_b) + "]"}, both_reads},
        calls_case{"WithoutAnIndex", {"[" + read_a + "]", "[" + read_b + "]"}, both_reads},
        calls_case{"WithoutAnIndexInOneList", {"[" + read_a + "," + read_b + "]"}, both_reads},
        calls_case{"BothAtIndexZero", {"[" + at_index(0, read_a) + "]", "[" + at_index(0, read_b) + "]"}, both_reads},
        calls_case{"BothAtIndexZeroInOneList", {"[" + at_index(0, read_a) + "," + at_index(0, read_b) + "]"}, both_reads},
        calls_case{"OneCallInTwoEntriesOfOneList",
                   {R"([{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\""}},{"index":0,"function":{"arguments":":\"a\"}"}}])"},
                   {both_reads[0]}},
        calls_case{"ANewIdForEachPiece",
                   {R"([{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\""}}])",
                    R"([{"index":0,"id":"x","function":{"name":"read","arguments":":\"a"}}])",
                    R"([{"index":0,"id":"y","function":{"arguments":"\"}"}}])"},
                   {both_reads[0]}},
        calls_case{"TheSameIdAndNameWithEachPiece",
                   {R"([{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\""}}])",
                    R"([{"index":0,"id":"a","function":{"name":"read","arguments":":\"a\"}"}}])"},
                   {both_reads[0]}}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace photofinish::testing
