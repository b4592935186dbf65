// Tests streams that are not valid event streams, or become invalid. The client must never mistake such a stream for an answer, or a part
// of an answer for the whole answer.
#include "tests/support/streams/stream_bytes.hpp"

#include <nlohmann/json.hpp>

#include <atomic>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using nlohmann::json;

class broken_framing_test : public one_provider_test {};

// A stream that is not a valid event stream, or becomes invalid. If the fault comes before the first token, the attempt fails and another
// target wins. If it comes later, the client gets an error, but no [DONE], no last chunk and no finish reason.
struct broken_case {
  const char* name;
  std::string bytes;  // invalid bytes in a chunked body
};

class broken_stream_test : public one_provider_test, public ::testing::WithParamInterface<broken_case> {
 protected:
  static scripted_provider::script breaks_behind(std::string chunk) {
    return [chunk = std::move(chunk)](provider_call& call) {
      call.stream_head();
      call.event(chunk);
      if (!call.wait(5ms)) return;
      call.chunk(GetParam().bytes);
      if (call.wait(30ms)) call.close();
    };
  }
};

TEST_P(broken_stream_test, LosesToARivalBeforeItsFirstToken) {
  scripted_provider rival(streams({"from the rival"}, 100ms));
  provider = std::make_unique<scripted_provider>(breaks_behind(role_chunk()));
  add("p", *provider), add("rival", rival);
  add_route("r", {"p/m", "rival/m"});
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.field_or("x-race-winner", ""), "rival/m");
  EXPECT_EQ(got.text(), "from the rival");
}

TEST_P(broken_stream_test, IsATrueStatusBeforeItsFirstTokenWhereNoRivalIs) {
  serve(breaks_behind(role_chunk()));
  for (const std::string& body : {streamed("r"), whole("r")}) {
    const http_response got = post(body);
    EXPECT_GE(got.status, 429) << got.body;
    EXPECT_TRUE(got.is_complete);
    EXPECT_NE(got.error("message").find("p/m: "), std::string::npos);
  }
}

TEST_P(broken_stream_test, EndsWithAnErrorEventBehindItsFirstToken) {
  serve(breaks_behind(token_chunk("begun")));
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.status, 200);
  EXPECT_FALSE(got.is_complete);
  EXPECT_EQ(got.body.find("[DONE]"), std::string::npos);
  EXPECT_EQ(got.body.find("\"finish_reason\":\"stop\""), std::string::npos);
  const auto all = got.events();
  ASSERT_EQ(all.size(), 2u) << got.body;
  const json error = json::parse(all[1]).at("error");
  for (const char* member : {"message", "type", "param", "code"}) EXPECT_TRUE(error.contains(member)) << all[1];
  EXPECT_EQ(post(streamed("r")).status, 200);  // checks that the gateway can still serve requests
}

TEST_P(broken_stream_test, IsA502BehindItsFirstTokenWhereTheAnswerIsWhole) {
  serve(breaks_behind(token_chunk("begun")));
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 502) << got.body;
  EXPECT_TRUE(got.is_complete);
  EXPECT_EQ(got.field_or("content-type", ""), "application/json");
}

INSTANTIATE_TEST_SUITE_P(
    , broken_stream_test,
    ::testing::Values(
        broken_case{"InvalidUtf8", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xC3\x28\"}}]}\n\n"},
        broken_case{"Utf8CutByItsEvent", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xF0\x9F\"}}]}\n\n"},
        broken_case{"InvalidJson", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}\n\n"},
        broken_case{"TwoObjectsInOneEvent", "data: {\"choices\":[]}{\"choices\":[]}\n\n"},
        broken_case{"BareWord", "data: done\n\n"},
        broken_case{"Html", "data: <html><body>502 Bad Gateway</body></html>\n\n"},
        broken_case{"DeepNesting", "data: {\"choices\":[],\"x\":" + std::string(50'000, '[') + std::string(50'000, ']') + "}\n\n"},
        broken_case{"ChoicesThatAreNone", "data: {\"choices\":\"x\"}\n\n"},
        broken_case{"LlamaCppErrorField", "error: {\"code\":500,\"message\":\"slot failed\",\"type\":\"server_error\"}\n\n"},
        broken_case{"NestedErrorEvent", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"no\"}}\n\n"},
        broken_case{"TopLevelErrorEvent", "event: error\ndata: {\"message\":\"no\",\"type\":\"server_error\"}\n\n"},
        broken_case{"ErrorEventInProse", "event: error\ndata: upstream connect error\n\n"},
        broken_case{"ErrorWithEmptyChoices", "data: {\"id\":\"1\",\"choices\":[],\"error\":{\"message\":\"cut\",\"code\":502}}\n\n"},
        broken_case{"ErrorFinish", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\",\"error\":{\"message\":\"cut\"}}]}\n\n"},
        broken_case{"NetworkErrorFinish", "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"network_error\"}]}\n\n"},
        broken_case{"CutInsideAnEvent", "data: {\"choices\":[{\"index\":0,\"delta\":{\"con"},
        broken_case{"CutBehindALine", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lost\"}}]}\n"},
        broken_case{"HalfADone", "data: [DON"}),
    [](const auto& row) { return row.param.name; });

// The chunked body ends properly, but the answer that it contains is incomplete.
TEST_F(broken_framing_test, AProperEndOfTheBodyDoesNotMakeAnAnswerWhole) {
  for (const std::string& body : {events({role_chunk(), token_chunk("half")}), events({token_chunk("half")}) + "data: [DON",
                                  events({token_chunk("half")}) + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}"}) {
    scripted_provider ends(sends_stream(body));
    add("p", ends);
    add_route("r", {"p/m"}).targets = {{"p", "m"}};
    start();
    const http_response got = post(streamed("r"));
    EXPECT_FALSE(got.is_complete) << body;
    EXPECT_EQ(got.body.find("[DONE]"), std::string::npos);
    expect_metric(1, "photofinish_requests_total", {R"(outcome="truncated")"});
    expect_metric(1, "photofinish_attempts_total", {R"(outcome="broken")", R"(reason="bad_stream")"});
  }
}

struct framing_fault {
  const char* name;
  std::string behind_a_token;  // the bytes that the provider sends after a token
};

class http_fault_test : public one_provider_test, public ::testing::WithParamInterface<framing_fault> {};

TEST_P(http_fault_test, IsABadStreamThatNeverLooksWhole) {
  std::atomic<bool> has_begun{false};
  serve([&](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("begun"));
    // Waits until the client has received the token. If one read returned both the token and the invalid bytes, the attempt would fail
    // before it could win.
    call.wait_until([&] { return has_begun.load(); });
    call.send(GetParam().behind_a_token);
    if (call.wait(30ms)) call.close();
  });
  test_client client = connect();
  client.post(streamed("r"));
  client.read_until("begun");
  has_begun = true;
  const http_response got = client.read();
  EXPECT_FALSE(got.is_complete);
  EXPECT_EQ(got.body.find("[DONE]"), std::string::npos);
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="broken")", R"(reason="bad_stream")"});
}

const std::string hidden_ending = "data: " + finish_chunk() + "\n\ndata: [DONE]\n\n";

INSTANTIATE_TEST_SUITE_P(
    , http_fault_test,
    ::testing::Values(framing_fault{"NoSize", "\r\n" + hidden_ending + "\r\n0\r\n\r\n"},
                      framing_fault{"NegativeSize", "-5\r\n" + hidden_ending + "\r\n0\r\n\r\n"},
                      framing_fault{"SizeBeyond64Bits", "1FFFFFFFFFFFFFFFF\r\n" + hidden_ending + "\r\n0\r\n\r\n"},
                      framing_fault{"PrefixedSize", "0x" + hex(hidden_ending.size()) + "\r\n" + hidden_ending + "\r\n0\r\n\r\n"},
                      framing_fault{"BareLineFeedBehindTheSize", hex(hidden_ending.size()) + "\n" + hidden_ending + "\r\n0\r\n\r\n"},
                      framing_fault{"NoLineEndBehindTheData", hex(hidden_ending.size()) + "\r\n" + hidden_ending + "0\r\n\r\n"},
                      framing_fault{"AnEndlessExtension", hex(hidden_ending.size()) + ";" + std::string(40'000, 'x')},
                      framing_fault{"AChunkCutShort", "400\r\n" + std::string(10, ' ')},
                      framing_fault{"ALastChunkWithoutItsEnd", "0\r\n"}),
    [](const auto& row) { return row.param.name; });

TEST_F(broken_framing_test, AResetBehindTheFirstTokenIsABadStreamThatSaysSo) {
  std::atomic<bool> has_begun{false};
  serve([&](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("begun"));
    call.wait_until([&] { return has_begun.load(); });
    call.reset();
  });
  test_client client = connect();
  client.post(streamed("r"));
  client.read_until("begun");
  has_begun = true;
  const http_response got = client.read();
  const auto all = got.events();
  ASSERT_EQ(all.size(), 2u);
  const std::string message = json::parse(all[1])["error"]["message"];
  EXPECT_NE(message.find("bad_stream"), std::string::npos) << message;
  EXPECT_NE(message.find("reset by the provider in the middle of the answer"), std::string::npos) << message;
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="broken")", R"(reason="bad_stream")"});
}

TEST_F(broken_framing_test, AResetInsideTheHeadIsABadStreamToo) {
  serve([](provider_call& call) {
    call.send("HTTP/1.1 200 OK\r\nContent-Ty");
    call.wait(20ms);
    call.reset();
  });
  EXPECT_EQ(post(streamed("r")).status, 502);
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="failed")", R"(reason="bad_stream")"});
}

class encoded_test : public one_provider_test, public ::testing::WithParamInterface<const char*> {};

TEST_P(encoded_test, StreamFailsItsAttemptAndNeverReachesAClient) {
  const std::string answer = replaced(chunked(plain_answer, 64), "Transfer-Encoding",
                                      "Content-Encoding: " + std::string(GetParam()) + "\r\nTransfer-Encoding");
  scripted_provider encoded([&](provider_call& call) { call.send(answer); }), rival(streams({"plain"}, 80ms));
  add("encoded", encoded), add("rival", rival);
  add_route("r", {"encoded/m", "rival/m"}), add_route("alone", {"encoded/m"});
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.text(), "plain");
  EXPECT_EQ(got.field("content-encoding"), std::nullopt);
  EXPECT_EQ(encoded.request().field("accept-encoding"), "identity");
  const http_response alone = post(streamed("alone"), "Accept-Encoding: gzip, br\r\n");
  EXPECT_EQ(alone.status, 502);
  EXPECT_NE(alone.error("message").find("compressed"), std::string::npos);
  EXPECT_EQ(alone.field("content-encoding"), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(, encoded_test, ::testing::Values("gzip", "br", "zstd", "GZIP", "deflate", "gzip, br"),
                         [](const auto& row) { return "Number" + std::to_string(row.index); });

class large_event_test : public one_provider_test {};

TEST_F(large_event_test, OfEightMegabytesIsRelayedWhole) {
  std::string text;  // the text has many words, because the tokens of one long word would take a long time to count
  while (text.size() < 8u << 20) text += "xxx ";
  const std::string call_chunk =
      R"({"id":"c-1","object":"chat.completion.chunk","created":1763700000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"f","arguments":")" +
      text + R"("}}]},"finish_reason":null}]})";
  serve([&](provider_call& call) {
    call.stream_head();
    call.event(call_chunk);
    call.event(finish_chunk("tool_calls"));
    call.end();
  });
  const http_response got = post(streamed("r"));
  EXPECT_TRUE(got.is_complete);
  const auto all = got.events();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[0] == call_chunk) << all[0].size() << " bytes, not " << call_chunk.size();
}

TEST_F(large_event_test, AboveTheCapIsAnErrorAndNeverShorter) {
  const std::string large = "data: " + token_chunk(std::string(5'000, 'x'));  // the beginning of a large event that never ends
  scripted_provider early([&](provider_call& call) { call.stream_head(), call.chunk(large), call.hang(); });
  scripted_provider late([&](provider_call& call) { call.stream_head(), call.event(token_chunk("begun")), call.chunk(large), call.hang(); });
  add("early", early).limits.max_event_bytes = 4'000, add("late", late).limits.max_event_bytes = 4'000;
  add_route("early-route", {"early/m"}), add_route("late-route", {"late/m"});
  start();
  EXPECT_EQ(post(streamed("early-route")).status, 502);
  const http_response got = post(streamed("late-route"));
  EXPECT_FALSE(got.is_complete);
  EXPECT_EQ(got.body.find("xxx"), std::string::npos);
  EXPECT_NE(got.events().back().find("larger than 4000 bytes"), std::string::npos) << got.body;
}

TEST_F(large_event_test, BeforeTheFirstTokenAProvidersOwnLimitCounts) {
  const auto chatters = [](provider_call& call) {
    call.stream_head();
    const std::string filler = R"({"id":"c-1","created":1,"choices":[],"filler":")" + std::string(1'000, 'x') + "\"}";
    for (int count = 0; count < 20; ++count) call.event(filler), call.wait(1ms);
    call.event(token_chunk("at last"));
    call.event(finish_chunk());
    call.end();
  };
  scripted_provider narrow(chatters), wide(chatters);
  add("narrow", narrow).limits.max_buffered_bytes = 5'000, add("wide", wide);
  add_route("narrow-route", {"narrow/m"}), add_route("wide-route", {"wide/m"});
  start();
  EXPECT_EQ(post(streamed("narrow-route")).status, 502);
  EXPECT_EQ(post(streamed("wide-route")).status, 200);
}

}  // namespace
}  // namespace photofinish::testing
