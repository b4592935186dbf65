// Tests that connections to providers are kept and reused. If a kept connection has died, the gateway repeats the request once, but never
// after it has received a byte of the response.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class reuse_test : public gateway_fixture {
 protected:
  void serve(scripted_provider::script play) {
    provider = std::make_unique<scripted_provider>(std::move(play));
    add("p", *provider);
    // The pool has no spare connections. Otherwise it would use a newer spare connection before the connection that the test has returned.
    settings.providers["p"].limits.max_spares = 0;
    add_route("r", {"p/m"});
    start();
  }
  std::unique_ptr<scripted_provider> provider;
};

TEST_F(reuse_test, TheNextRequestTravelsOnTheSameConnection) {
  serve(streams({"hi"}));
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(post(streamed("r")).status, 200);
  }
  EXPECT_EQ(provider->request(1).connection, provider->request(0).connection);
  EXPECT_EQ(provider->request(2).connection, provider->request(0).connection);
  expect_metric(1, "photofinish_upstream_connections_total", {R"(kind="new")"});
  expect_metric(2, "photofinish_upstream_connections_total", {R"(kind="reused")"});
}

TEST_F(reuse_test, ADoneWhoseBodyGoesOnDoesNotHoldUpTheClient) {
  std::atomic<bool> has_read = false;
  serve([&](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event("[DONE]");
    if (call.wait_until([&] { return has_read.load(); })) call.send("0\r\n\r\n");
  });
  EXPECT_TRUE(post(streamed("r")).is_complete);
  has_read = true;
}

// A provider that reads a second request on the same connection, and then closes it without an answer.
scripted_provider::script dies_when_used_again() {
  return in_turn({streams({"first"}), [](provider_call& call) { call.reset(); }, streams({"second"})});
}

TEST_F(reuse_test, AKeptConnectionThatDiesIsReplacedInSilence) {
  serve(dies_when_used_again());
  ASSERT_EQ(post(streamed("r")).text(), "first");
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.text(), "second");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "1");
  EXPECT_EQ(provider->requests().size(), 3u);
  expect_metric(0, "photofinish_attempts_total", {R"(outcome="failed")"});
}

TEST_F(reuse_test, ThereIsOneSilentRetryAndNoMore) {
  serve(in_turn({streams({"first"}), [](provider_call& call) { call.reset(); }}));
  ASSERT_EQ(post(streamed("r")).text(), "first");
  EXPECT_EQ(post(streamed("r")).status, 502);
  EXPECT_EQ(provider->requests().size(), 3u);
}

TEST_F(reuse_test, BehindAByteOfAResponseThereIsNoRetry) {
  serve(in_turn({streams({"first"}), [](provider_call& call) {
                   call.send("HTTP/1.1 200 O");
                   call.wait(30ms);
                   call.reset();
                 }, streams({"never"})}));
  ASSERT_EQ(post(streamed("r")).text(), "first");
  EXPECT_EQ(post(streamed("r")).status, 502);
  EXPECT_EQ(provider->requests().size(), 2u);
}

TEST_F(reuse_test, AConnectionThatItsProviderHasClosedIsNotUsedAgain) {
  serve([](provider_call& call) {
    streams({"hi"})(call);
    call.close();
  });
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(post(streamed("r")).text(), "hi");
  }
  EXPECT_EQ(provider->requests().size(), 3u);
}

}  // namespace
}  // namespace photofinish::testing
