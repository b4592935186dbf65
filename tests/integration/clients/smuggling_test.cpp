// Tests request and response bytes that two parsers could read differently. Such bytes must never hide a second request or a second answer,
// and clients and providers must not be able to inject headers.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/smuggling_payloads.hpp"

#include <string>
#include <thread>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class smuggling_test : public gateway_fixture {
 protected:
  void serve(scripted_provider& provider) {
    add("p", provider);
    add_route("r", {"p/m"});
    start();
  }
};

class smuggled_request_test : public smuggling_test, public ::testing::WithParamInterface<payload> {};

// The refusal closes the connection. The gateway serves the smuggled request neither as a part of the refused request nor after it.
TEST_P(smuggled_request_test, IsRefusedAndNothingBehindItRuns) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  test_client client = connect();
  const std::string hidden = whole("r");
  client.send(GetParam().bytes + "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
              std::to_string(hidden.size()) + "\r\n\r\n" + hidden);
  const http_response got = client.read();
  EXPECT_EQ(got.status, 400) << got.body;
  EXPECT_EQ(got.field_or("connection", ""), "close");
  EXPECT_EQ(client.read().status, 0);
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(provider.requests().size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(, smuggled_request_test, ::testing::ValuesIn(smuggling_requests()),
                         [](const auto& tested) { return tested.param.name; });

class smuggled_answer_test : public smuggling_test, public ::testing::WithParamInterface<payload> {};

// The gateway rejects a provider's answer that two parsers could read differently, and does not reuse the connection.
TEST_P(smuggled_answer_test, IsABadStreamAndItsConnectionIsNotUsedAgain) {
  scripted_provider provider(in_turn({[](provider_call& call) {
                                        call.send(GetParam().bytes);
                                        call.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen");
                                        call.hang();
                                      },
                                      streams({"hi"})}));
  serve(provider);
  const http_response first = post(whole("r"));
  EXPECT_EQ(first.status, 502) << first.body;
  EXPECT_EQ(first.body.find("stolen"), std::string::npos);
  EXPECT_EQ(post(streamed("r")).text(), "hi");
  EXPECT_NE(provider.request(0).connection, provider.request(1).connection);
}

const std::string answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";

INSTANTIATE_TEST_SUITE_P(, smuggled_answer_test, ::testing::ValuesIn(smuggling_answers()),
                         [](const auto& tested) { return tested.param.name; });

TEST_F(smuggling_test, BytesBehindAWholeAnswerReachNobody) {
  scripted_provider provider(in_turn({[](provider_call& call) {
                                        const std::string events = "data: " + token_chunk("one") + "\n\ndata: " +
                                                                   finish_chunk() + "\n\ndata: [DONE]\n\n";
                                        call.send(answer + "Content-Length: " + std::to_string(events.size()) + "\r\n\r\n" +
                                                  events + answer + "Content-Length: 6\r\n\r\nstolen");
                                      },
                                      streams({"two"})}));
  serve(provider);
  EXPECT_EQ(post(streamed("r")).text(), "one");
  EXPECT_EQ(post(streamed("r")).text(), "two");
}

struct id_case {
  const char* name;
  std::string id;
};

class request_id_test : public smuggling_test, public ::testing::WithParamInterface<id_case> {};

TEST_P(request_id_test, ThatIsNoPlainWordIsReplaced) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  const http_response got = post(whole("r"), "x-request-id: " + GetParam().id + "\r\n");
  EXPECT_EQ(got.status, 200);
  EXPECT_TRUE(got.field_or("x-request-id", "").starts_with("req_"));
}

INSTANTIATE_TEST_SUITE_P(, request_id_test,
                         ::testing::Values(id_case{"Spaces", "a b"}, id_case{"Quotes", "a\"b"}, id_case{"ATab", "a\tb"},
                                           id_case{"BytesAboveAscii", "a\xff"}, id_case{"Long", std::string(129, 'a')},
                                           id_case{"Encoded", "a%0d%0aX:b"}, id_case{"Empty", ""}),
                         [](const auto& tested) { return tested.param.name; });

TEST_F(smuggling_test, HopByHopFieldsStayOnTheirHop) {
  scripted_provider provider([](provider_call& call) {
    call.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: x-secret, close\r\nX-Secret: leaked\r\n"
              "Keep-Alive: leaked\r\nProxy-Authenticate: leaked\r\nUpgrade: leaked\r\nSet-Cookie: leaked\r\n"
              "Content-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n");
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.end();
  });
  serve(provider);
  const http_response got = post(streamed("r"), "Connection: x-hop, keep-alive\r\nX-Hop: leaked\r\nTE: trailers\r\n"
                                                "Proxy-Authorization: leaked\r\nUpgrade: leaked\r\n");
  EXPECT_EQ(got.text(), "hi");
  EXPECT_EQ(got.head.find("leaked"), std::string::npos) << got.head;
  EXPECT_EQ(got.field("content-encoding"), std::nullopt);
  EXPECT_EQ(provider.request().head.find("leaked"), std::string::npos) << provider.request().head;
}

TEST_F(smuggling_test, FiveMegabytesThatWaitForContinueGetItAtOnceAndTheProviderSeesNoExpectation) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  const std::string body = whole("r", ",\"user\":\"" + std::string(5 << 20, 'x') + "\"");
  test_client client = connect();
  client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(client.read_head().status, 100);
  client.send(body);
  EXPECT_EQ(client.read().status, 200);
  EXPECT_EQ(provider.request().field("expect"), "");
}

TEST_F(smuggling_test, ManyFieldsAreA431) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  std::string fields;
  for (int count = 0; count < 10'000; ++count) fields += "a:b\r\n";
  EXPECT_EQ(get("/v1/models", fields).status, 431);
}

class slow_client_test : public smuggling_test {
 protected:
  slow_client_test() {
    settings.limits.header_timeout = 200ms;
    settings.limits.body_timeout = 200ms;
    serve(provider);
  }
  scripted_provider provider{streams({"hi"})};
};

TEST_F(slow_client_test, AHeadThatDoesNotEndIsA408AndOthersAreServedMeanwhile) {
  test_client slow = connect();
  slow.send("POST /v1/chat/comp");
  EXPECT_EQ(post(whole("r")).status, 200);
  EXPECT_EQ(slow.read().status, 408);
  EXPECT_TRUE(slow.is_closed());
}

TEST_F(slow_client_test, ABodyThatDoesNotEndIsA408) {
  test_client slow = connect();
  slow.send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
  EXPECT_EQ(slow.read().status, 408);
  EXPECT_EQ(provider.requests().size(), 0u);
}

TEST_F(slow_client_test, ATricklingBodyIsCutAlthoughItNeverPausesLong) {
  test_client slow = connect();
  slow.send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
  http_response got;
  std::jthread sender([&](std::stop_token stop) {
    while (!stop.stop_requested() && slow.send("x")) std::this_thread::sleep_for(30ms);
  });
  got = slow.read();
  sender.request_stop();
  EXPECT_EQ(got.status, 408);
}

TEST_F(smuggling_test, ASilentConnectionIsClosedWithoutAnAnswerAndWithoutAReset) {
  scripted_provider provider(streams({"hi"}));
  settings.limits.idle_timeout = 200ms;
  serve(provider);
  test_client idle = connect();
  EXPECT_TRUE(idle.is_closed());
  EXPECT_FALSE(idle.was_reset());
}

}  // namespace
}  // namespace photofinish::testing
