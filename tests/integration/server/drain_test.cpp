// Tests how a server shuts down: running requests continue, waiting connections are served, and at drain_timeout the gateway ends all
// requests.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>
#include <functional>
#include <string>
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

  // Sends the first word immediately, and the second word after the drain has begun.
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
  settings.server.workers = 2;
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
  drain();  // waits until the gateway accepts no connections
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
  EXPECT_EQ(waiting.read().status, 503);
  EXPECT_TRUE(waiting.is_closed());
  EXPECT_TRUE(idle.is_closed());
  endless.closed_at(endless.request());
  silent.closed_at(silent.request());
}

struct cut_client {
  const char* name;
  const char* path;
  const char* body;   // without `stream`
  const char* event;  // the error that a client gets if its request streams
  const char* whole;  // the error that a client gets if its request does not stream
};

class cut_requests_test : public drain_test, public ::testing::WithParamInterface<cut_client> {
 protected:
  // Sends a request, waits until the request is running, and then drains the gateway. Returns the answer with which the gateway ends the
  // request.
  http_response cut(scripted_provider& provider, bool is_stream) {
    serve(provider);
    test_client client = connect();
    client.post(std::string(GetParam().body) + (is_stream ? R"(,"stream":true})" : "}"), "", GetParam().path);
    provider.request();
    if (is_stream) client.read_until("on ");
    gateway->cut();
    http_response got = client.read();
    EXPECT_TRUE(client.is_closed());
    client.fin();
    EXPECT_TRUE(gateway->is_drained());
    return got;
  }

  const captured_log log;
};

INSTANTIATE_TEST_SUITE_P(
    Apis, cut_requests_test,
    ::testing::Values(
        cut_client{"Chat", "/v1/chat/completions", R"({"model":"r","messages":[{"role":"user","content":"q"}])",
                   R"("code":"gateway_draining")", R"("code":"gateway_draining")"},
        cut_client{"Responses", "/v1/responses", R"({"model":"r","input":"q")", R"("type":"response.failed")",
                   R"("code":"gateway_draining")"},
        cut_client{"Messages", "/v1/messages",
                   R"({"model":"r","max_tokens":9,"messages":[{"role":"user","content":"q"}])", "event: error",
                   R"("type":"overloaded_error")"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_P(cut_requests_test, AStreamEndsWithAnErrorOfItsApi) {
  scripted_provider provider(never_ends());
  const http_response got = cut(provider, true);
  EXPECT_EQ(got.status, 200);
  EXPECT_FALSE(got.is_complete) << "a client must not take what it has for a whole answer";
  EXPECT_NE(got.body.find(GetParam().event), std::string::npos) << got.body;
  EXPECT_NE(got.body.find("shutting down"), std::string::npos) << got.body;
  EXPECT_TRUE(log.logs_once({"outcome=drained", "status=200", "code=gateway_draining", " cancelled "}));
}

TEST_P(cut_requests_test, AnAnswerThatHasNotBegunIsA503) {
  scripted_provider provider(never_ends());
  const http_response got = cut(provider, false);
  EXPECT_EQ(got.status, 503);
  EXPECT_TRUE(got.is_complete);
  EXPECT_EQ(got.field_or("retry-after", ""), "1");
  EXPECT_EQ(got.field_or("connection", ""), "close");
  EXPECT_NE(got.body.find(GetParam().whole), std::string::npos) << got.body;
  EXPECT_TRUE(log.logs_once({"outcome=drained", "status=503", "code=gateway_draining"}));
}

TEST_P(cut_requests_test, AStreamWithoutAFirstTokenIsA503) {
  scripted_provider silent(stays_silent());
  serve(silent);
  test_client client = connect();
  client.post(std::string(GetParam().body) + R"(,"stream":true})", "", GetParam().path);
  silent.request();
  gateway->cut();
  const http_response got = client.read();
  EXPECT_EQ(got.status, 503);
  EXPECT_NE(got.body.find(GetParam().whole), std::string::npos) << got.body;
  EXPECT_TRUE(log.logs_once({"outcome=drained", "status=503", "code=gateway_draining"}));
}

TEST_F(drain_test, ARequestWhoseBodyIsNotThereIsA503WhenItIsCut) {
  const captured_log log;
  scripted_provider provider(streams({"hi"}));
  serve(provider);
  test_client client = connect();
  client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n"
              "Expect: 100-continue\r\n\r\n");
  ASSERT_TRUE(comes_true([&] { return client.has_bytes(); })) << "the gateway waits for the body";
  gateway->cut();
  const http_response got = client.read();
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.error("code"), "gateway_draining");
  EXPECT_TRUE(log.logs_once({"outcome=drained", "status=503"}));
}

// If drain_timeout ends a request, the request does not count as cancelled by the client, even if the client does not read the error.
TEST_F(drain_test, AClientThatReadsNothingIsCutTooAndCountsAsDrained) {
  const captured_log log;
  scripted_provider endless(never_ends());
  serve(endless);
  test_client wedged(gateway->port(), 4096);
  wedged.post(streamed("r"));
  endless.request();
  gateway->cut();
  EXPECT_TRUE(gateway->is_drained());
  EXPECT_TRUE(log.logs_once({"outcome=drained"}));
}

TEST_F(drain_test, AClientThatLeftBeforeTheCutIsItsOwnDoing) {
  const captured_log log;
  scripted_provider silent(stays_silent());
  serve(silent);
  test_client client = connect();
  client.post(whole("r"));
  silent.request();
  client.reset();
  ASSERT_TRUE(comes_true([&] { return log.lines_with({"outcome=client_cancelled", "status=499"}).size() == 1; }));
  gateway->cut();
  EXPECT_TRUE(gateway->is_drained());
  EXPECT_TRUE(log.lines_with({"outcome=drained"}).empty());
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
