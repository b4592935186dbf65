// Tests invalid requests of clients. The gateway answers with a clear 4xx error in OpenAI's format, and keeps the connection open if HTTP
// allows this.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <string>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class bad_input_test : public gateway_fixture {
 protected:
  bad_input_test() {
    add("p", provider);
    add_route("fast", {"p/m"});
    start();
  }

  std::string request(std::string_view fields, std::string_view body = "") {
    return "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) + "\r\n" + std::string(body);
  }

  scripted_provider provider{streams({"hi"})};
};

struct bad_body {
  const char* name;
  const char* body;
  int status;
  const char* param;
  const char* code;
};

class bad_body_test : public bad_input_test, public ::testing::WithParamInterface<bad_body> {};

TEST_P(bad_body_test, IsAClear4xxAndTheNextRequestIsServed) {
  test_client client = connect();
  client.post(GetParam().body);
  const http_response got = client.read();
  EXPECT_EQ(got.status, GetParam().status) << got.body;
  EXPECT_EQ(got.error("param"), GetParam().param);
  EXPECT_EQ(got.error("code"), GetParam().code);
  EXPECT_EQ(got.error("type"), "invalid_request_error");
  client.post(whole("fast"));
  EXPECT_EQ(client.read().status, 200);
  EXPECT_EQ(provider.requests().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    , bad_body_test,
    ::testing::Values(
        bad_body{"BrokenJson", R"({"model":"fast","messages":[)", 400, "", ""},
        bad_body{"EmptyBody", "", 400, "", ""},
        bad_body{"AnArray", "[]", 400, "", ""},
        bad_body{"NotUtf8", "{\"model\":\"fast\",\"messages\":[\"\xff\"]}", 400, "", ""},
        bad_body{"TrailingGarbage", R"({"model":"fast","messages":[{"role":"user","content":"x"}]} x)", 400, "", ""},
        bad_body{"NoModel", R"({"messages":[{"role":"user","content":"x"}]})", 400, "model", ""},
        bad_body{"ModelIsANumber", R"({"model":5,"messages":[{"role":"user","content":"x"}]})", 400, "model", ""},
        bad_body{"UnknownModel", R"({"model":"fst","messages":[{"role":"user","content":"x"}]})", 404, "model", "model_not_found"},
        bad_body{"NoMessages", R"({"model":"fast"})", 400, "messages", ""},
        bad_body{"EmptyMessages", R"({"model":"fast","messages":[]})", 400, "messages", ""},
        bad_body{"ModelTwice", R"({"model":"fast","model":"fast","messages":[{"role":"user","content":"x"}]})", 400, "model", ""},
        bad_body{"ModelTwiceInDisguise", R"({"model":"fast","mod\u0065l":"p/other","messages":[{"role":"user","content":"x"}]})", 400, "model", ""},
        bad_body{"StoreTwice", R"({"model":"fast","store":false,"store":true,"messages":[{"role":"user","content":"x"}]})", 400, "store", ""},
        bad_body{"StreamIsAWord", R"({"model":"fast","messages":[{"role":"user","content":"x"}],"stream":"yes"})", 400, "stream", ""}),
    [](const auto& row) { return row.param.name; });

TEST_F(bad_input_test, AnUnknownModelIsToldTheNearestName) {
  EXPECT_NE(post(whole("fst")).error("message").find("'fast'"), std::string::npos);
}

// If the gateway answers before the announced body has arrived, it closes the connection. Otherwise HAProxy 2.6 would use the connection
// for other requests, although it has not sent the rest of the body.
TEST_F(bad_input_test, AnAnswerBeforeTheBodyClosesTheConnection) {
  test_client client = connect();
  client.send("POST /v1/nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70\r\n\r\n");
  const http_response got = client.read();
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(got.field_or("connection", ""), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(bad_input_test, AnAnswerThatDoesNotNeedTheBodyKeepsTheConnectionOnceTheBodyHasArrived) {
  test_client client = connect();
  client.send("POST /v1/nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70\r\n\r\n" + std::string(70, 'x'));
  const http_response got = client.read();
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(got.field_or("connection", ""), "");
  client.post(whole("fast"));
  EXPECT_EQ(client.read().status, 200);
}

TEST_F(bad_input_test, ABodyAboveTheLimitIsA413WithoutBeingRead) {
  test_client client = connect();
  client.send(request("Content-Length: 52428800\r\n"));
  const http_response got = client.read();
  EXPECT_EQ(got.status, 413);
  EXPECT_FALSE(got.error("message").empty());
  EXPECT_EQ(got.field_or("connection", ""), "close");
}

TEST_F(bad_input_test, AClientThatSendsFiftyMegabytesAllTheSameReadsThe413) {
  test_client client = connect();
  client.send(request("Content-Length: 52428800\r\n"));
  const std::string piece(1 << 20, ' ');
  for (int sent = 0; sent < 50 && client.send(piece);) ++sent;
  EXPECT_EQ(client.read().status, 413);
}

TEST_F(bad_input_test, AChunkedBodyAboveTheLimitIsA413) {
  test_client client = connect();
  client.send(request("Transfer-Encoding: chunked\r\n"));
  const std::string piece = "100000\r\n" + std::string(1 << 20, ' ') + "\r\n";
  for (int sent = 0; sent < 40 && client.send(piece);) ++sent;
  EXPECT_EQ(client.read().status, 413);
}

TEST_F(bad_input_test, AChunkedBodyIsServed) {
  test_client client = connect();
  const std::string body = whole("fast");
  client.send(request("Transfer-Encoding: chunked\r\n", "5\r\n" + body.substr(0, 5) + "\r\n"));
  client.send("2;x=y\r\n" + body.substr(5, 2) + "\r\n");
  std::string size;
  for (std::size_t left = body.size() - 7; left > 0; left /= 16) size.insert(size.begin(), "0123456789abcdef"[left % 16]);
  client.send(size + "\r\n" + body.substr(7) + "\r\n0\r\n\r\n");
  EXPECT_EQ(client.read().status, 200);
  client.get("/v1/models");
  EXPECT_EQ(client.read().status, 200);
}

struct bad_head {
  const char* name;
  std::string bytes;
  int status;
};

class bad_head_test : public bad_input_test, public ::testing::WithParamInterface<bad_head> {};

// Two HTTP parsers may read the request heads of this test differently. The gateway closes the connection after such a head, because the
// bytes after the head could be a smuggled request.
TEST_P(bad_head_test, IsRefusedAndNothingBehindItIsServed) {
  test_client client = connect();
  client.send(GetParam().bytes + "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const http_response got = client.read();
  EXPECT_EQ(got.status, GetParam().status) << got.body;
  EXPECT_FALSE(got.error("message").empty());
  EXPECT_EQ(got.field_or("connection", ""), "close");
  EXPECT_EQ(client.read().status, 0);
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(provider.requests().size(), 0u);
  // Requests that are answered with the status 501 or 505 also count as client errors.
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_error")"});
}

constexpr const char* post_line = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n";

INSTANTIATE_TEST_SUITE_P(
    , bad_head_test,
    ::testing::Values(
        bad_head{"TwoLengths", std::string(post_line) + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400},
        bad_head{"LengthAndChunked", std::string(post_line) + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        bad_head{"UnknownCoding", std::string(post_line) + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400},
        bad_head{"CodingBeforeChunked", std::string(post_line) + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
        bad_head{"NegativeLength", std::string(post_line) + "Content-Length: -1\r\n\r\n", 400},
        bad_head{"FoldedLine", std::string(post_line) + "X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n", 400},
        bad_head{"SpaceBeforeTheColon", std::string(post_line) + "Content-Length : 0\r\n\r\n", 400},
        bad_head{"NoHost", "POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 400},
        bad_head{"TwoHosts", std::string(post_line) + "Host: localhost\r\nContent-Length: 0\r\n\r\n", 400},
        bad_head{"AbsoluteTarget", "GET http://localhost/v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
        bad_head{"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        bad_head{"Garbage", "\x16\x03\x01\x02\x01\r\n\r\n", 400},
        bad_head{"HugeHeader", std::string(post_line) + "X-A: " + std::string(80'000, 'a') + "\r\n\r\n", 431}),
    [](const auto& row) { return row.param.name; });

TEST_F(bad_input_test, AnUnknownExpectationIsA417) {
  test_client client = connect();
  client.send(request("Expect: 200-maybe\r\nContent-Length: 2\r\n", "{}"));
  EXPECT_EQ(client.read().status, 417);
}

TEST_F(bad_input_test, AClientThatWaitsForContinueGetsIt) {
  test_client client = connect();
  const std::string body = whole("fast");
  client.send(request("Expect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n"));
  EXPECT_EQ(client.read_head().status, 100);
  client.send(body);
  EXPECT_EQ(client.read().status, 200);
}

TEST_F(bad_input_test, PipelinedRequestsAreAnsweredInOrder) {
  test_client client = connect();
  const std::string body = streamed("fast");
  const std::string asked = request("Content-Length: " + std::to_string(body.size()) + "\r\n", body);
  client.send(asked + "GET /v1/models/fast HTTP/1.1\r\nHost: localhost\r\n\r\n" + asked);
  EXPECT_EQ(client.read().text(), "hi");
  EXPECT_NE(client.read().body.find("\"fast\""), std::string::npos);
  EXPECT_EQ(client.read().text(), "hi");
}

TEST_F(bad_input_test, AHeadRequestGetsTheHeadAlone) {
  test_client client = connect();
  client.get("/v1/models", "", "HEAD");
  const http_response head = client.read_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.field_or("content-length", "0"), "0");
  client.get("/v1/models");
  EXPECT_EQ(client.read().status, 200);
}

TEST_F(bad_input_test, AnHttp10ClientIsServedAndItsConnectionClosed) {
  test_client client = connect();
  client.send("GET /v1/models HTTP/1.0\r\n\r\n");
  const http_response got = client.read();
  EXPECT_EQ(got.status, 200);
  EXPECT_TRUE(client.is_closed());
}

TEST_F(bad_input_test, AnotherMethodIsA405ThatNamesTheRightOne) {
  const http_response got = get("/v1/chat/completions");
  EXPECT_EQ(got.status, 405);
  EXPECT_EQ(got.field_or("allow", ""), "POST");
}

TEST_F(bad_input_test, AnEndpointThatIsNotServedNamesThoseThatAre) {
  const http_response got = get("/v1/nothing");
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(got.error("code"), "unsupported_endpoint");
  EXPECT_NE(got.error("message").find("/v1/chat/completions"), std::string::npos);
}

TEST_F(bad_input_test, PathsWorkWithoutTheirPrefix) {
  test_client client = connect();
  client.post(whole("fast"), "", "/chat/completions");
  EXPECT_EQ(client.read().status, 200);
  client.get("/models");
  EXPECT_EQ(client.read().status, 200);
}

}  // namespace
}  // namespace photofinish::testing
