// Tests the bytes that a client receives in a stream. Also tests streams that break off or stall, and clients that do not read.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/streams/golden_streams.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <utility>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using std::string_view_literals::operator""sv;
using nlohmann::json;

constexpr std::string_view asks_usage = R"(,"stream_options":{"include_usage":true})";

std::string framed(const std::vector<std::string>& events) {
  std::string bytes;
  for (const std::string& event : events) bytes += "data: " + event + "\n\n";
  return bytes + "data: [DONE]\n\n";
}

class golden_test : public gateway_fixture, public ::testing::WithParamInterface<test::golden_stream> {};

std::vector<std::string> with_usage(const test::golden_stream& golden) {
  std::vector<std::string> events = golden.client;
  if (!golden.usage_chunk.empty()) events.push_back(golden.usage_chunk);
  return events;
}

// Streams for which the gateway itself writes the id and the time. They have a separate test, because these values are different in each
// request.
std::vector<test::golden_stream> streams_with_an_identity() {
  std::vector<test::golden_stream> all = test::golden_streams();
  std::erase_if(all, [](const test::golden_stream& each) { return each.client[0].find("chatcmpl-invented") != std::string::npos; });
  return all;
}

TEST_P(golden_test, ReachesTheClientByteForByteWhereItIsClean) {
  scripted_provider provider(sends_stream(GetParam().bytes));
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  EXPECT_EQ(post(streamed("r")).body, framed(GetParam().client));
  EXPECT_EQ(post(streamed("r", asks_usage)).body, framed(with_usage(GetParam())));
}

TEST_P(golden_test, ReachesTheClientTheSameHoweverItsBytesAreCut) {
  scripted_provider provider([](provider_call& call) {
    call.stream_head();
    const std::string& bytes = GetParam().bytes;
    for (std::size_t at = 0; at < bytes.size(); at += 37)
      if (!call.chunk(bytes.substr(at, 37)) || !call.wait(1ms)) return;
    call.send("0\r\n\r\n");
  });
  add("p", provider);
  add_route("r", {"p/m"});
  start();
  EXPECT_EQ(post(streamed("r")).body, framed(GetParam().client));
}

INSTANTIATE_TEST_SUITE_P(, golden_test, ::testing::ValuesIn(streams_with_an_identity()),
                         [](const auto& row) { return row.param.name; });

class stream_test : public gateway_fixture {
 protected:
  void serve(const scripted_provider& provider) {
    add("p", provider);
    add_route("r", {"p/m"});
  }
};

TEST_F(stream_test, AzuresPromptFilterChunkGetsTheIdentityOfTheRest) {
  scripted_provider provider(sends_stream(test::golden_streams()[3].bytes));
  serve(provider);
  start();
  const auto events = post(streamed("r")).events();
  ASSERT_EQ(events.size(), 4u);
  for (std::size_t index = 0; index < 3; ++index) {
    const json event = json::parse(events[index]);
    EXPECT_EQ(event["id"], json::parse(events[0])["id"]);
    EXPECT_FALSE(event["id"].get<std::string>().empty());
    EXPECT_GT(event["created"].get<std::int64_t>(), 1'700'000'000);
  }
  EXPECT_TRUE(json::parse(events[0]).contains("prompt_filter_results"));
}

TEST_F(stream_test, TheHeadSaysThatItIsAStream) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  start();
  const http_response got = post(streamed("r"), "x-request-id: my-id-1\r\n");
  EXPECT_EQ(got.field_or("content-type", ""), "text/event-stream");
  EXPECT_EQ(got.field_or("cache-control", ""), "no-cache");
  EXPECT_EQ(got.field_or("x-accel-buffering", ""), "no");
  EXPECT_EQ(got.field_or("transfer-encoding", ""), "chunked");
  EXPECT_EQ(got.field_or("x-request-id", ""), "my-id-1");
  EXPECT_TRUE(got.field("server-timing").has_value());
  EXPECT_TRUE(got.is_complete);
}

TEST_F(stream_test, UsageThatWasNotAskedForIsKept) {
  scripted_provider provider(sends_stream(
      framed({role_chunk(), token_chunk("hi"), finish_chunk(), usage_chunk(3, 1)})));
  serve(provider);
  start();
  EXPECT_EQ(post(streamed("r")).body.find("prompt_tokens"), std::string::npos);
  const auto events = post(streamed("r", asks_usage)).events();
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(json::parse(events[3])["usage"]["prompt_tokens"], 3);
  EXPECT_EQ(json::parse(events[3])["choices"], json::array());
}

TEST_F(stream_test, TheGatewayAsksTheProviderForUsageItself) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  start();
  post(streamed("r"));
  EXPECT_EQ(json::parse(provider.request().body)["stream_options"], json({{"include_usage", true}}));
}

TEST_F(stream_test, OnlyTheModelChangesInABodyThatAsksForEverythingElseItself) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  start();
  const std::string body =
      R"({ "temperature":1.0e0,"model" : "r", "stream":true,"unknown":{"a":[1,2 , 3.50]},)"
      R"("stream_options":{"include_usage":true},"messages":[{"role":"user","content":"caf\u00e9 \"x\""}] })";
  post(body);
  std::string expected = body;
  expected.replace(body.find("\"r\""), 3, "\"m\"");
  EXPECT_EQ(provider.request().body, expected);
  EXPECT_EQ(provider.request().head.substr(0, provider.request().head.find("\r\n")), "POST /v1/chat/completions HTTP/1.1");
}

TEST_F(stream_test, AnHttp10ClientGetsAStreamThatEndsWithItsConnection) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  start();
  test_client client = connect();
  const std::string body = streamed("r");
  client.send("POST /v1/chat/completions HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
  const http_response got = client.read();
  EXPECT_EQ(got.field("transfer-encoding"), std::nullopt);
  EXPECT_EQ(got.field_or("connection", ""), "close");
  EXPECT_EQ(got.text(), "hi");
  EXPECT_EQ(got.events().back(), "[DONE]");
}

// A winner whose answer ends incorrectly. The client must not mistake the received part of the answer for the whole answer.
struct bad_end {
  const char* name;
  scripted_provider::script play;
  const char* code;
};

std::atomic<bool> has_begun = false;  // true if the client has begun to read

class bad_end_test : public gateway_fixture, public ::testing::WithParamInterface<bad_end> {
 protected:
  void SetUp() override { has_begun = false; }
};

TEST_P(bad_end_test, EndsTheStreamWithAnErrorAndWithoutItsLastChunk) {
  scripted_provider provider(GetParam().play);
  add("p", provider);
  add_route("r", {"p/m"}).race.stall_timeout = GetParam().code == "upstream_stalled"sv ? 400ms : 600'000ms;
  start();
  test_client client = connect();
  client.post(streamed("r"));
  EXPECT_EQ(client.read_until("begun").status, 200);
  has_begun = true;
  const http_response got = client.read();
  EXPECT_FALSE(got.is_complete);
  EXPECT_EQ(got.body.find("[DONE]"), std::string::npos);
  EXPECT_EQ(got.body.find("\"finish_reason\":\"stop\""), std::string::npos);
  const auto events = got.events();
  ASSERT_GE(events.size(), 2u);
  EXPECT_NE(events.front().find("begun"), std::string::npos) << events.front();
  EXPECT_EQ(json::parse(events.back())["error"]["code"], GetParam().code) << events.back();
  EXPECT_TRUE(client.is_closed());
  expect_metric(1, "photofinish_requests_total", {R"(outcome="truncated")"});
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="broken")"});
  expect_metric(0, "photofinish_inflight_attempts");
}

void begin(provider_call& call) {
  call.stream_head();
  call.event(token_chunk("begun"));
  call.wait_until([] { return has_begun.load(); });
}

INSTANTIATE_TEST_SUITE_P(
    , bad_end_test,
    ::testing::Values(
        bad_end{"Reset", [](provider_call& call) { begin(call), call.reset(); }, "upstream_broken"},
        bad_end{"Fin", [](provider_call& call) { begin(call), call.close(); }, "upstream_broken"},
        bad_end{"LastChunkWithoutDone", [](provider_call& call) { begin(call), call.send("0\r\n\r\n"); }, "upstream_broken"},
        bad_end{"CutInsideAnEvent", [](provider_call& call) { begin(call), call.chunk("data: {\"id\":"), call.close(); }, "upstream_broken"},
        bad_end{"BrokenJson", [](provider_call& call) { begin(call), call.event("{\"choices\":[{]"), call.hang(); }, "upstream_broken"},
        bad_end{"BrokenChunk", [](provider_call& call) { begin(call), call.send("zz\r\n"), call.hang(); }, "upstream_broken"},
        bad_end{"ErrorEvent", [](provider_call& call) { begin(call), call.event(R"({"error":{"message":"gpu lost","code":"gpu"}})"), call.hang(); }, "gpu"},
        bad_end{"Stall", [](provider_call& call) { begin(call), call.hang(); }, "upstream_stalled"},
        bad_end{"CommentsOnly", [](provider_call& call) { begin(call); while (call.chunk(": ping\n\n") && call.wait(20ms)) continue; }, "upstream_stalled"}),
    [](const auto& row) { return row.param.name; });

TEST_F(stream_test, AStalledWinnerIsLetGo) {
  scripted_provider provider(stalls_after("begun"));
  serve(provider);
  settings.routes["r"].race.stall_timeout = 100ms;
  start();
  post(streamed("r"));
  EXPECT_NO_THROW(provider.closed_at(provider.request()));  // the provider waits until the gateway closes its connection
}

// If a client does not read, the provider must also wait, because every buffer between client and provider has a limited size.
TEST_F(stream_test, AClientThatDoesNotReadSlowsItsProvider) {
  const std::string event = token_chunk(std::string(16'000, 'x'));
  scripted_provider provider([&](provider_call& call) {
    call.stream_head();
    while (call.event(event)) continue;
  });
  serve(provider);
  start();
  test_client client(gateway->port(), 16 << 10);
  client.post(streamed("r"));
  ASSERT_EQ(client.read_until("xxx").status, 200);
  std::size_t before = 0;
  ASSERT_TRUE(comes_true([&] {  // waits until the gateway has accepted no bytes for a while
    std::this_thread::sleep_for(300ms);
    return std::exchange(before, provider.bytes_sent()) == provider.bytes_sent();
  }));
  std::printf("taken from a provider for a client that does not read: %zu KiB\n", provider.bytes_sent() >> 10);
  EXPECT_LT(provider.bytes_sent(), 24u << 20);  // the number of bytes that four kernel buffers may hold
  EXPECT_EQ(get("/livez").status, 200);
}

TEST_F(stream_test, AClientThatTakesNothingForTooLongIsCut) {
  std::string words;  // the text has many words, because the tokens of one long word would take a long time to count
  while (words.size() < 16'000) words += "xxx ";
  const std::string event = token_chunk(words);
  scripted_provider provider([&](provider_call& call) {
    call.stream_head();
    while (call.event(event)) continue;
  });
  serve(provider);
  settings.routes["r"].race.client_stall_timeout = 150ms;
  start();
  test_client client(gateway->port(), 16 << 10);
  client.post(streamed("r"));
  provider.closed_at(provider.request());  // fails if the provider's connection stays open
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  EXPECT_TRUE(client.is_closed());
  EXPECT_TRUE(client.was_reset());
}

// A request is counted after the tokens of its answer have been counted. One long word would take a long time to count, so the answer has
// many words.
TEST_F(stream_test, AnAnswerEndsAtItsTotalTimeoutWhileItsClientDoesNotRead) {
  std::string words;
  while (words.size() < 16'000) words += "xxx ";
  const std::string event = token_chunk(words);
  scripted_provider provider([&](provider_call& call) {
    call.stream_head();
    while (call.event(event)) continue;
  });
  serve(provider);
  settings.routes["r"].race.total_timeout = 500ms;
  settings.routes["r"].race.client_stall_timeout = std::chrono::minutes(10);
  start();
  test_client client(gateway->port(), 16 << 10);
  client.post(streamed("r"));
  // On a busy machine, total_timeout may pass before the client's buffers are full. In that case the answer ends with an error.
  EXPECT_TRUE(comes_true([this] {
    return metric("photofinish_requests_total", {R"(outcome="client_cancelled")"}) +
               metric("photofinish_requests_total", {R"(outcome="truncated")"}) == 1;
  }));
  expect_metric(0, "photofinish_inflight_requests");
  EXPECT_TRUE(client.is_closed());
}

// All sessions of a worker read into the same scratch buffer. While one session waits for its client, other sessions read. In each chunk,
// the gateway replaces the id with a longer id, so that one read causes more than one write.
TEST_F(stream_test, AStreamHeldUpByItsClientIsNotMixedWithOthers) {
  constexpr std::size_t count = 20'000;
  const std::string id(300, 'i');
  const auto chunk = [](std::string_view with_id, std::string_view text) {
    return "data:{\"id\":\"" + std::string(with_id) + R"(","created":1,"model":"m","choices":[{"index":0,"delta":{"content":")" +
           std::string(text) + "\"}}]}\n\n";
  };
  scripted_provider bulk([&](provider_call& call) {
    call.stream_head();
    std::string burst = chunk(id, "b0");
    for (std::size_t index = 1; index < count; ++index) {
      burst += chunk("x", "b" + std::to_string(index));
      if (burst.size() < (200u << 10)) continue;
      if (!call.chunk(burst)) return;
      burst.clear();
    }
    call.chunk(burst + "data:" + finish_chunk() + "\n\n");
    call.end();
  });
  std::string chatter_answer;
  for (int word = 0; word < 100; ++word) chatter_answer += "data: " + token_chunk(std::string(3'000, 'z')) + "\n\n";
  scripted_provider chatter(sends_stream(chatter_answer + "data: " + finish_chunk() + "\n\ndata: [DONE]\n\n"));
  add("bulk", bulk), add("chatter", chatter);
  add_route("bulk-route", {"bulk/m"}), add_route("chat-route", {"chatter/m"});
  start();
  test_client slow(gateway->port(), 4 << 10);
  slow.post(streamed("bulk-route"));
  std::atomic<bool> has_read = false;
  std::thread others([&] {
    while (!has_read) post(streamed("chat-route"));
  });
  std::this_thread::sleep_for(200ms);
  const http_response got = slow.read();
  has_read = true;
  others.join();
  EXPECT_TRUE(got.is_complete);
  EXPECT_EQ(got.body.find("zzz"), std::string::npos) << "another client's answer";
  const auto events = got.events();
  ASSERT_EQ(events.size(), count + 2);
  for (std::size_t index = 0; index < count; ++index)
    ASSERT_NE(events[index].find("\"b" + std::to_string(index) + "\""), std::string::npos) << events[index];
}

}  // namespace
}  // namespace photofinish::testing
