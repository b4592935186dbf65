// Tests clients that do not read their answers, and clients that exceed the connection limit.
#include "tests/support/streams/stream_bytes.hpp"

#include <atomic>
#include <optional>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class undelivered_test : public one_provider_test {
 protected:
  // A provider whose answer is larger than the kernel's buffers.
  static scripted_provider::script says_much() {
    return [](provider_call& call) {
      call.stream_head();
      for (int part = 0; part < 16; ++part)
        if (!call.event(megabyte_chunk())) return;
      call.event(finish_chunk());
      call.end();
    };
  }
};

TEST_F(undelivered_test, AWholeAnswerWhoseClientLeavesInTheMiddleIsNotOk) {
  serve(says_much());
  test_client client(gateway->port(), 16 << 10);
  client.post(whole("r"));
  ASSERT_EQ(client.read_until("xxx").status, 200);
  client.reset();
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  expect_metric(0, "photofinish_requests_total", {R"(outcome="ok")"});
  expect_metric(1, "photofinish_attempts_total", {R"(outcome="cancelled")"});
}

TEST_F(undelivered_test, AWholeAnswerThatItsClientDoesNotTakeInTimeIsNotOk) {
  settings.routes["r"].race.client_stall_timeout = 150ms;
  serve(says_much());
  test_client client(gateway->port(), 16 << 10);
  client.post(whole("r"));
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  EXPECT_TRUE(client.is_closed());
}

TEST_F(undelivered_test, AWholeAnswerThatArrivesIsOk) {
  serve(says_much());
  const http_response got = post(whole("r"));
  EXPECT_TRUE(got.is_complete);
  EXPECT_GT(got.body.size(), 16u << 20);
  expect_metric(1, "photofinish_requests_total", {R"(outcome="ok")"});
}

class no_room_test : public one_provider_test {
 protected:
  no_room_test() { settings.limits.max_connections = 1; }

  // Connects a client, which uses the only connection that the limit permits.
  test_client first_guest() {
    test_client guest = connect();
    guest.get("/livez");
    EXPECT_EQ(guest.read().status, 200);
    return guest;
  }
};

TEST_F(no_room_test, AClientThatHasSentItsRequestReadsThe503AllTheSame) {
  serve(streams({"hi"}));
  const test_client guest = first_guest();
  const std::string body = streamed("r", ",\"user\":\"" + std::string(200'000, 'x') + "\"");
  for (int client = 0; client < 50; ++client) {
    const http_response got = post(body);
    ASSERT_EQ(got.status, 503) << "client " << client;
    ASSERT_TRUE(got.is_complete);
    ASSERT_EQ(got.error("code"), "gateway_overloaded");
    ASSERT_EQ(got.field_or("retry-after", ""), "1");
  }
  EXPECT_EQ(provider->requests().size(), 0u);
}

TEST_F(no_room_test, AClientThatStillSendsIsNotResetBeforeItHasRead) {
  serve(streams({"hi"}));
  const test_client guest = first_guest();
  test_client late = connect();
  const std::string request = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
  for (const std::string& part : {request, std::string(50'000, ' '), std::string(50'000, ' ')}) {
    ASSERT_TRUE(late.send(part));
    std::this_thread::sleep_for(30ms);  // gives the gateway time to notice that the connection was reset
  }
  EXPECT_EQ(late.read().status, 503);
  late.fin();
  EXPECT_TRUE(late.is_closed());
  EXPECT_FALSE(late.was_reset());
}

TEST_F(no_room_test, ThoseWhoStayAfterTheirRefusalHoldNothingUp) {
  serve(streams({"hi"}));
  std::optional<test_client> guest(first_guest());
  std::vector<test_client> stayers;
  for (int count = 0; count < 100; ++count) stayers.push_back(connect());
  for (test_client& each : stayers) EXPECT_EQ(each.read().status, 503);
  guest.reset();
  EXPECT_TRUE(comes_true([&] { return post(streamed("r")).status == 200; }));  // waits until the connection limit admits a client again
  gateway->drain();
  EXPECT_TRUE(gateway->is_drained());
}

TEST_F(no_room_test, ACutDoesNotWaitForThem) {
  serve(streams({"hi"}));
  const test_client guest = first_guest();
  test_client stayer = connect();
  ASSERT_EQ(stayer.read().status, 503);
  gateway->cut();
  EXPECT_TRUE(gateway->is_drained());
}

class long_head_test : public one_provider_test {};

TEST_F(long_head_test, OfTheLargestSizeThatMayBeSetArrivesAndALongerOneIsA431) {
  settings.limits.max_header = gateway::longest_header;
  serve(streams({"hi"}));
  const std::string almost(gateway::longest_header - 400, 'a');
  EXPECT_EQ(get("/v1/models", "X-A: " + almost + "\r\n").status, 200);
  EXPECT_EQ(get("/v1/models", "X-A: " + almost + std::string(1'000, 'a') + "\r\n").status, 431);
}

class lent_keys_test : public gateway_fixture {
 protected:
  lent_keys_test() {
    for (auto* each : {&add("a", a), &add("b", b)}) each->key.is_optional = false, each->key.value = proxy::secret("house-" + each->name);
    add_route("r", {"a/m", "b/m"});
  }
  void answer(provider_call& call, const char* word) {
    ++asked;
    if (call.wait_until([this] { return asked >= awaited; })) streams({word})(call);
  }

  std::atomic<int> asked = 0, awaited = 0;  // the number of requests that have arrived, and the number that must arrive before the provider
                                            // answers
  scripted_provider a{[this](provider_call& call) { answer(call, "a"); }}, b{[this](provider_call& call) { answer(call, "b"); }};
};

TEST_F(lent_keys_test, ACallersKeyIsJoinedByTheConfiguredOnesWhereTheyAreShared) {
  settings.access.share_keys = true;
  awaited = 2;
  start();
  ASSERT_EQ(post(streamed("r"), "x-provider-key-a: own-a\r\n").field_or("x-race-attempts", ""), "2");
  EXPECT_EQ(a.request().field("authorization"), "Bearer own-a");
  EXPECT_EQ(b.request().field("authorization"), "Bearer house-b");
}

TEST_F(lent_keys_test, AnAccessKeyMayLookLikeAnEntryOfAKeyring) {
  settings.access.keys = {{"team", proxy::secret("search=s3cret"), {}}};
  awaited = 2;
  start();
  EXPECT_EQ(post(streamed("r"), "Authorization: Bearer search=s3cret\r\n").status, 200);
  const http_response other = post(streamed("r"), "Authorization: Bearer search=other\r\n");
  EXPECT_EQ(other.status, 401);
  EXPECT_EQ(other.body.find("other"), std::string::npos);
  for (const scripted_provider* each : {&a, &b})
    EXPECT_EQ(each->request().head.find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::testing
