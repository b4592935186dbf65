// The end of a server: what runs goes on, what has knocked is served, and a cut is a cut.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>
#include <functional>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class drain_test : public gateway_fixture {
 protected:
  void serve(scripted_provider& provider) {
    add("p", provider);
    add_route("r", {"p/m"});
    start();
  }
  bool listens() const {
    try {
      const test_client late(gateway->port());
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  // One word at once, the second once the drain has begun.
  scripted_provider::script streams_through_the_drain() {
    return [this](provider_call& call) {
      call.stream_head();
      call.event(token_chunk("one"));
      if (!call.wait_until(has_begun)) return;
      call.event(token_chunk(" two"));
      call.event(finish_chunk());
      call.end();
    };
  }
  void drain() {
    gateway->drain();
    EXPECT_TRUE(comes_true([this] { return !listens(); }));
    is_draining = true;
  }

  std::atomic<bool> is_draining = false;
  const std::function<bool()> has_begun = [this] { return is_draining.load(); };
};

TEST_F(drain_test, LetsARunningStreamFinish) {
  scripted_provider provider(streams_through_the_drain());
  serve(provider);
  test_client client = connect();
  client.post(streamed("r"));
  client.read_until("one");
  drain();
  const http_response got = client.read();
  EXPECT_TRUE(got.is_complete);
  EXPECT_EQ(got.events().back(), "[DONE]");
  EXPECT_TRUE(client.is_closed());
  client.fin();
  EXPECT_TRUE(gateway->is_drained());
}

TEST_F(drain_test, LetsARequestWithoutAFirstTokenFinish) {
  scripted_provider provider(streams_when(has_begun, {"late"}));
  serve(provider);
  test_client client = connect();
  client.post(whole("r"));
  provider.request();
  drain();
  EXPECT_EQ(client.read().status, 200);
  EXPECT_TRUE(gateway->is_drained());
}

TEST_F(drain_test, ClosesIdleConnections) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  test_client used = connect(), fresh = connect();
  used.post(whole("r"));
  ASSERT_EQ(used.read().status, 200);
  gateway->drain();
  EXPECT_TRUE(used.is_closed());
  EXPECT_TRUE(fresh.is_closed());
  EXPECT_FALSE(used.was_reset());
  EXPECT_FALSE(fresh.was_reset());
  EXPECT_TRUE(gateway->is_drained());
}

TEST_F(drain_test, RefusesNothingThatHasKnocked) {
  scripted_provider provider(streams({"hi"}, 5ms));
  add("p", provider);
  add_route("r", {"p/m"});
  settings.workers = 2;
  start();
  std::vector<test_client> clients;
  for (int count = 0; count < 50; ++count) {
    clients.push_back(connect());
    clients.back().post(whole("r"));
  }
  gateway->drain();
  int served = 0;
  for (test_client& client : clients) served += client.read().status == 200;
  EXPECT_EQ(served, 50);
  clients.clear();
  EXPECT_TRUE(gateway->is_drained());
}

TEST_F(drain_test, DoesNotWaitForAConnectionThatSaysNothing) {
  scripted_provider provider(streams({"hi"}, 5ms));
  serve(provider);
  std::vector<test_client> silent;
  for (int count = 0; count < 20; ++count) silent.push_back(connect());
  gateway->drain();
  EXPECT_TRUE(gateway->is_drained());
}

TEST_F(drain_test, TakesNoNewConnection) {
  scripted_provider provider(streams_through_the_drain());
  serve(provider);
  test_client client = connect();
  client.post(streamed("r"));
  client.read_until("one");
  drain();  // until no connection is taken
  EXPECT_TRUE(client.read().is_complete);
}

TEST_F(drain_test, LeavingGoesOnServingAndClosesEachConnectionBehindItsAnswer) {
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  gateway->leave();
  EXPECT_TRUE(comes_true([&] { return get("/readyz").status == 503; }));
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.field_or("connection", ""), "close");
}

TEST_F(drain_test, ACutEndsEverythingAtOnce) {
  scripted_provider endless(never_ends()), silent(stays_silent());
  add("endless", endless), add("silent", silent);
  add_route("r", {"endless/m"}), add_route("s", {"silent/m"});
  start();
  test_client streaming = connect(), waiting = connect(), idle = connect();
  streaming.post(streamed("r"));
  streaming.read_until("on");
  waiting.post(whole("s"));
  silent.request();
  gateway->cut();
  EXPECT_TRUE(gateway->is_drained());
  const http_response got = streaming.read();
  EXPECT_FALSE(got.is_complete);
  EXPECT_TRUE(waiting.is_closed());
  EXPECT_TRUE(idle.is_closed());
  endless.closed_at(endless.request());
  silent.closed_at(silent.request());
}

TEST_F(drain_test, ARequestKeepsTheConfigurationItBeganWith) {
  std::atomic<bool> is_reloaded = false;
  scripted_provider before(streams_when([&] { return is_reloaded.load(); }, {"before"})), after(streams({"after"}));
  serve(before);
  test_client client = connect();
  client.post(streamed("r"));
  before.request();
  add("q", after);
  settings.providers.erase("p");
  settings.routes["r"].targets = {{"q", "m"}};
  gateway->reload(settings);
  is_reloaded = true;
  EXPECT_EQ(client.read().text(), "before");
  client.post(streamed("r"));
  EXPECT_EQ(client.read().text(), "after");
}

}  // namespace
}  // namespace photofinish::testing
