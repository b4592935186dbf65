// Tests every framing fault that providers are known to make, over a real socket. No matter where the provider's bytes are split, the
// client must read the same canonical stream, or an error about an incomplete stream.
#include "tests/support/streams/golden_streams.hpp"
#include "tests/support/streams/stream_bytes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using nlohmann::json;

class framing_test : public one_provider_test {};

// Answers each request in two writes with a pause between them. The first write for request number n ends after byte n.
scripted_provider::script cut_one_byte_later_each_time(std::string response) {
  auto next = std::make_shared<std::atomic<std::size_t>>(0);
  return [response = std::move(response), next](provider_call& call) {
    const std::size_t cut = (*next)++;
    call.send(std::string_view(response).substr(0, cut));
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    call.send(std::string_view(response).substr(cut));
  };
}

class every_cut_test : public one_provider_test, public ::testing::WithParamInterface<test::golden_stream> {};

TEST_P(every_cut_test, GivesTheClientTheSameBytes) {
  const std::string response = chunked(GetParam().bytes, 200);
  serve(cut_one_byte_later_each_time(response));
  test_client client = connect();
  std::string expected;
  for (const std::string& each : GetParam().client) expected += "data: " + each + "\n\n";
  expected += "data: [DONE]\n\n";
  for (std::size_t cut = 0; cut <= response.size(); ++cut) {
    client.post(streamed("r"));
    const http_response got = client.read();
    ASSERT_TRUE(got.is_complete) << "cut at " << cut;
    ASSERT_EQ(got.body, expected) << "cut at " << cut;
  }
}

std::vector<test::golden_stream> streams_with_an_identity() {
  std::vector<test::golden_stream> all = test::golden_streams();
  std::erase_if(all, [](const test::golden_stream& each) { return each.client[0].find("chatcmpl-invented") != std::string::npos; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(, every_cut_test, ::testing::ValuesIn(streams_with_an_identity()),
                         [](const auto& row) { return row.param.name; });

TEST_F(framing_test, AzuresStreamIsTheSameForEveryCutButForTheIdentityItIsGiven) {
  const std::string response = chunked(test::golden_streams()[3].bytes, 100);
  serve(cut_one_byte_later_each_time(response));
  test_client client = connect();
  for (std::size_t cut = 0; cut <= response.size(); ++cut) {
    client.post(streamed("r"));
    const auto all = client.read().events();
    ASSERT_EQ(all.size(), 4u) << "cut at " << cut;
    for (std::size_t index = 1; index < 3; ++index)
      ASSERT_EQ(json::parse(all[index])["id"], json::parse(all[0])["id"]) << "cut at " << cut;
    ASSERT_EQ(json::parse(all[1])["choices"][0]["delta"]["content"], "A") << "cut at " << cut;
  }
}

TEST_F(framing_test, AWholeAnswerIsTheSameForEveryCut) {
  const std::string response = chunked(plain_answer, 300);
  serve(cut_one_byte_later_each_time(response));
  test_client client = connect();
  for (std::size_t cut = 0; cut <= response.size(); ++cut) {
    client.post(whole("r"));
    ASSERT_EQ(json::parse(client.read().body)["choices"][0]["message"]["content"], "one two") << "cut at " << cut;
  }
}

TEST_F(framing_test, CharactersOfTwoThreeAndFourBytesSurviveEachInnerCut) {
  const std::string text = "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8F\x81";
  std::atomic<std::size_t> cut = 0;
  serve([&](provider_call& call) {
    const std::string event = events({token_chunk(text)});
    const std::size_t at = event.find(text) + cut++;
    call.stream_head();
    call.chunk(event.substr(0, at));
    std::this_thread::sleep_for(1ms);
    call.chunk(event.substr(at));
    call.event(finish_chunk());
    call.end();
  });
  for (std::size_t inner = 0; inner <= text.size(); ++inner) ASSERT_EQ(post(streamed("r")).text(), text);
}

// A variant of a provider's stream format. The client must read the same stream as for the plain format.
struct dialect_case {
  const char* name;
  std::string response;
};

class same_answer_test : public one_provider_test, public ::testing::WithParamInterface<dialect_case> {};

TEST_P(same_answer_test, GivesTheClientThePlainAnswer) {
  serve([](provider_call& call) {
    call.send(GetParam().response);
    call.close();
  });
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_TRUE(got.is_complete);
  const auto all = got.events();
  ASSERT_EQ(all.size(), 5u) << got.body;
  EXPECT_EQ(std::count(all.begin(), all.end(), "[DONE]"), 1);
  EXPECT_EQ(all.back(), "[DONE]");
  EXPECT_EQ(json::parse(all[1]), json::parse(token_chunk("one")));
  EXPECT_EQ(got.text(), "one two");
  for (const char* hop : {"trailer", "content-encoding", "x-late", "link"}) EXPECT_EQ(got.field(hop), std::nullopt) << hop;
}

std::string without_done() { return plain_answer.substr(0, plain_answer.find("data: [DONE]")); }

std::vector<dialect_case> dialects() {
  const std::string body = plain_answer;
  return {
      {"CarriageReturnsOnly", chunked(replaced(body, "\n", "\r"), 64)},
      {"CarriageReturnLineFeed", chunked(replaced(body, "\n", "\r\n"), 64)},
      {"ByteOrderMark", chunked("\xEF\xBB\xBF" + body, 64)},
      {"NoSpaceBehindTheColon", chunked(replaced(body, "data: ", "data:"), 64)},
      {"CommentsBetween", chunked(": ping\n\n:\n\n" + replaced(body, "\n\n", "\n: OPENROUTER PROCESSING\n\n:\n\n: \n\n"), 64)},
      {"NamesIdsAndRetries", chunked("retry: 3000\n\n" + replaced(body, "data: ", "event: message\nid: 7\nretry: 10\ndata: "), 64)},
      {"MetaOnlyEvents", chunked("event: ping\n\nid: 1\n\n" + replaced(body, "\n\n", "\n\nevent: ping\nid: 2\nretry: 1\n\n"), 64)},
      {"PingsWithABody", chunked(replaced(body, "\n\n", "\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"), 64)},
      {"EmptyDataBetween", chunked(replaced(body, "\n\n", "\n\ndata:\n\ndata\n\ndata: \n\n"), 64)},
      {"UnknownFields", chunked(replaced(body, "data: ", "foo: bar\nDATA: {\ndata: "), 64)},
      {"JsonOnManyLines", chunked(replaced(body, ",\"", ",\ndata: \""), 64)},
      {"DoneTwice", chunked(body + "data: [DONE]\n\n", 64)},
      {"DataBehindDone", chunked(body + events({token_chunk("late"), "{", R"({"error":{"message":"late"}})"}), 64)},
      {"DoneWithSpaces", chunked(replaced(body, "[DONE]", " [DONE] "), 64)},
      {"DoneWithoutItsBlankLine", chunked(body.substr(0, body.size() - 1), 64)},
      {"DoneWithoutItsLineEnd", chunked(body.substr(0, body.size() - 2), 64)},
      {"FinishWithoutDone", chunked(without_done(), 64)},
      {"ByteByByte", chunked(body, 1)},
      {"OneInformationalHead", "HTTP/1.1 100 Continue\r\n\r\n" + chunked(body, 64)},
      {"TwoInformationalHeads", "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + chunked(body, 64)},
      {"Trailers", replaced(replaced(chunked(body, 64), "0\r\n\r\n", "0\r\nX-Late: 1\r\nContent-Encoding: gzip\r\n\r\n"),
                            "Transfer-Encoding", "Trailer: X-Late\r\nTransfer-Encoding")},
      {"ChunkExtensions", replaced(replaced(chunked(body, 64), "40\r\n", "40;a=\"b;c\";d\r\n"), "0\r\n\r\n", "0;last\r\n\r\n")},
      {"ChunkSizesInCapitalsAndZeros", replaced(replaced(chunked(body, 0x2a), "2a\r\n", "0002A\r\n"), "\r\n0\r\n", "\r\n000\r\n")},
      {"ConnectionClose", replaced(chunked(body, 64), "Transfer-Encoding", "Connection: close\r\nTransfer-Encoding")},
      {"ContentLength", stream_fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body},
      {"UntilTheConnectionCloses", stream_fields + "\r\n" + body},
      {"Http10", replaced(stream_fields, "HTTP/1.1", "HTTP/1.0") + "\r\n" + body},
      {"ContentTypeInCapitals", replaced(chunked(body, 64), "text/event-stream", "Text/Event-Stream ; charset=UTF-8")},
      {"IdentityEncoding", replaced(chunked(body, 64), "Transfer-Encoding", "Content-Encoding: Identity\r\nTransfer-Encoding")},
      {"NoReasonPhrase", replaced(chunked(body, 64), "200 OK", "200 ")},
  };
}

INSTANTIATE_TEST_SUITE_P(, same_answer_test, ::testing::ValuesIn(dialects()), [](const auto& row) { return row.param.name; });

TEST_F(framing_test, AConnectionThatItsProviderClosesIsNotUsedAgain) {
  serve([](provider_call& call) { call.send(replaced(chunked(plain_answer, 64), "Transfer-Encoding", "Connection: close\r\nTransfer-Encoding")); });
  std::set<int> used;  // spare connections may be used in any order
  for (std::size_t turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(post(streamed("r")).text(), "one two");
    EXPECT_TRUE(used.insert(provider->request(turn).connection).second);
  }
}

}  // namespace
}  // namespace photofinish::testing
