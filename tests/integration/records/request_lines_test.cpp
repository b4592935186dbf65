// Tests that every request is counted and has a log line, even if it fails. The line shows the caller, the gateway's action and its reason.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <string>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class request_lines_test : public gateway_fixture {
 protected:
  request_lines_test() {
    add("p", provider);
    add_route("r", {"p/m"});
  }

  void lock() { settings.access.keys = {{"team", proxy::secret("door"), {"r"}}}; }

  // Sends one request with exactly the given text, and returns the status of the answer.
  int ask(const std::string& line, const std::string& fields, const std::string& body = "") {
    test_client client = connect();
    client.send(line + " HTTP/1.1\r\n" + fields + (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") +
                "\r\n" + body);
    return client.read().status;
  }

  void expect_one_line(std::initializer_list<std::string_view> texts) {
    const bool is_there = comes_true([&] { return !log.lines_with(texts).empty(); });
    EXPECT_TRUE(is_there && log.lines_with(texts).size() == 1);
    if (is_there) EXPECT_NE(log.lines_with(texts).front().find(" peer=127.0.0.1:"), std::string::npos);
    else for (const std::string& line : log.lines()) ADD_FAILURE() << line;
  }

  captured_log log;
  scripted_provider provider{streams({"hi"}, 5ms)};
};

constexpr const char* host = "Host: localhost\r\n";

TEST_F(request_lines_test, AMissingKey) {
  lock();
  start();
  ASSERT_EQ(ask("POST /v1/chat/completions?api_key=sk-in-query", host, whole("r")), 401);
  expect_one_line({"request id=req_", "endpoint=chat_completions method=POST path=/v1/chat/completions client=_none "
                   "outcome=client_error status=401 code=invalid_api_key"});
  ASSERT_EQ(ask("GET /v1/models", host), 401);
  expect_one_line({"endpoint=models method=GET path=/v1/models ", "status=401 code=invalid_api_key"});
  EXPECT_TRUE(log.lines_with({"sk-in-query"}).empty());
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="chat_completions")", R"(outcome="client_error")"});
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="models")", R"(outcome="client_error")"});
}

TEST_F(request_lines_test, APathOrMethodThatIsNotServed) {
  start();
  ASSERT_EQ(ask("GET /v1/sk-proj-aB3dE5fG7hI9kL1mN3oP5qR7/chat", host), 404);
  expect_one_line({"endpoint=_other method=GET path=/v1/***/chat ", "status=404 code=unsupported_endpoint"});
  ASSERT_EQ(ask("DELETE /v1/chat/completions", host), 405);
  expect_one_line({"endpoint=chat_completions method=DELETE ", "status=405 code=method_not_allowed"});
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="chat_completions")", R"(outcome="client_error")"});
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="_other")", R"(outcome="client_error")"});
}

TEST_F(request_lines_test, AForeignHostOrOrigin) {
  start();
  ASSERT_EQ(ask("GET /v1/models", "Host: llm.example.com\r\n"), 403);
  expect_one_line({"endpoint=models ", "status=403 code=host_not_allowed"});
  ASSERT_EQ(ask("POST /v1/chat/completions", std::string(host) + "Origin: https://evil.example\r\n"), 403);
  expect_one_line({"endpoint=chat_completions ", "status=403 code=origin_not_allowed"});
}

TEST_F(request_lines_test, AHeadThatCannotBeRead) {
  start();
  ASSERT_EQ(ask("GET /v1/models", std::string(host) + "Content-Length: x\r\n"), 400);
  expect_one_line({"endpoint=_other client=_none outcome=client_error status=400"});
}

TEST_F(request_lines_test, AChunkedBodyThatIsTooLarge) {
  settings.limits.max_body = 100;
  start();
  test_client client = connect();
  client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n" +
              std::string(255, ' ') + "\r\n0\r\n\r\n");
  EXPECT_EQ(client.read().status, 413);
  expect_one_line({"endpoint=chat_completions method=POST ", "outcome=client_error status=413"});
}

TEST_F(request_lines_test, AModelThatIsNotThere) {
  lock();
  start();
  const std::string key = std::string(host) + "authorization: Bearer door\r\n";
  ASSERT_EQ(ask("POST /v1/chat/completions", key, whole("nothing")), 404);
  expect_one_line({"endpoint=chat_completions model=nothing route=_none client=team outcome=client_error status=404 "
                   "code=model_not_found form=whole"});
  ASSERT_EQ(ask("GET /v1/models/nothing", key), 404);
  expect_one_line({"endpoint=models method=GET path=/v1/models/nothing client=team ", "status=404 code=model_not_found"});
}

TEST_F(request_lines_test, WhatIsServed) {
  start();
  ASSERT_EQ(ask("GET /v1/models", host), 200);
  expect_one_line({"endpoint=models method=GET path=/v1/models client=_none outcome=ok status=200"});
  ASSERT_EQ(ask("GET /v1/providers/stats", host), 200);
  expect_one_line({"endpoint=_other method=GET path=/v1/providers/stats client=_none outcome=ok status=200"});
  ASSERT_EQ(ask("POST /v1/chat/completions", host, whole("r")), 200);
  expect_one_line({"endpoint=chat_completions model=r route=r client=_none outcome=ok status=200 form=whole"});
  ASSERT_EQ(ask("GET /metrics", host), 200);
  ASSERT_EQ(ask("GET /livez", host), 200);
  EXPECT_TRUE(log.lines_with({"/metrics"}).empty());
  EXPECT_TRUE(log.lines_with({"/livez"}).empty());
}

TEST_F(request_lines_test, WhoConnectedToTheProxyInFront) {
  start();
  const std::string forwarded = std::string(host) + "X-Forwarded-For: 198.51.100.1, 192.0.2.9\r\n";
  ASSERT_EQ(ask("GET /nothing", forwarded), 404);
  expect_one_line({"forwarded_for=192.0.2.9 ", "path=/nothing"});
  ASSERT_EQ(ask("POST /v1/chat/completions", forwarded, whole("r")), 200);
  expect_one_line({"forwarded_for=192.0.2.9 ", "model=r"});
}

TEST_F(request_lines_test, ARefusalIsToldAsOneWhereItsClientDoesNotWaitForIt) {
  lock();
  start();
  for (int times = 0; times < 5; ++times) {
    test_client client = connect();
    client.send("GET /v1/models/" + std::to_string(times) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.fin();
    const std::string path = "path=/v1/models/" + std::to_string(times) + " ";
    expect_one_line({path, "outcome=client_error status=401 code=invalid_api_key"});
  }
}

TEST_F(request_lines_test, AConnectionThereIsNoRoomFor) {
  settings.limits.max_connections = 1;
  start();
  test_client first = connect();
  first.get("/livez");
  ASSERT_EQ(first.read().status, 200);
  test_client second = connect();
  EXPECT_EQ(second.read().status, 503);
  expect_one_line({"request peer=", "endpoint=_other client=_none outcome=gateway_error status=503 code=gateway_overloaded"});
}

TEST_F(request_lines_test, AFloodOfRefusalsIsCountedInFullWhereItsLinesAreNot) {
  start();
  test_client client = connect();
  constexpr int flood = 200;
  for (int i = 0; i < flood; ++i) {
    client.get("/nothing/" + std::to_string(i));
    ASSERT_EQ(client.read().status, 404);
  }
  const auto left_out = [this] {
    std::size_t sum = 0;
    for (const std::string& line : log.lines_with({"left_out lines="})) sum += std::stoul(line.substr(line.rfind('=') + 1));
    return sum;
  };
  EXPECT_TRUE(comes_true([&] { return log.lines_with({"path=/nothing/"}).size() + left_out() == flood; }));
  expect_metric(flood, "photofinish_requests_total", {R"(endpoint="_other")", R"(outcome="client_error")"});
}

}  // namespace
}  // namespace photofinish::testing
