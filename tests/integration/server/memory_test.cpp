// Tests the memory limit for all requests: which requests the gateway refuses when it reaches the limit, and which requests it still
// serves. When a client leaves, all of its memory must be released, in every state of the request.
#include "tests/support/gate.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <malloc.h>

#include <cstdint>
#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

constexpr std::size_t megabyte = 1u << 20;
constexpr std::string_view used = "photofinish_memory_used_bytes";
constexpr std::string_view refusals = "photofinish_memory_refusals_total";

class memory_test : public gateway_fixture {
 protected:
  memory_test() { settings.limits.max_memory = 32 * megabyte; }

  void serve(scripted_provider::script play) {
    provider = std::make_unique<scripted_provider>(std::move(play));
    add("p", *provider);
    add_route("r", {"p/m"});
    start();
  }
  void add_keys(std::initializer_list<const char*> names) {
    for (const char* name : names) settings.access.keys.push_back({name, proxy::secret(std::string("key-of-") + name), {}});
  }
  static std::string key_of(const std::string& name) { return "authorization: Bearer key-of-" + name + "\r\n"; }

  // Sends a request body of the given size, except for its last byte.
  test_client paused_upload(std::size_t bytes, const std::string& fields = "") {
    test_client client = connect();
    client.send("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n" + fields +
                "content-length: " + std::to_string(bytes) + "\r\n\r\n" + std::string(bytes - 1, ' '));
    return client;
  }
  // Starts another upload of two megabytes, which then pauses. Waits until the gateway has either stored or refused the upload.
  void pause_upload(const std::string& key) {
    paused.push_back(paused_upload(2 * megabyte, key_of(key)));
    const auto is_settled = [&] { return metric(refusals) + metric(used) / held_upload == static_cast<double>(paused.size()); };
    ASSERT_TRUE(comes_true(is_settled)) << metric(used) << " " << metric(refusals);
  }
  // The memory that one paused upload uses, including the memory of the request itself.
  static constexpr double held_upload = 2 * megabyte + (32u << 10);
  static std::string long_body(std::size_t bytes) {
    return R"({"model":"r","messages":[{"role":"user","content":")" + std::string(bytes, 'x') + R"("}]})";
  }
  static void expect_overloaded(const http_response& got) {
    EXPECT_EQ(got.status, 503);
    EXPECT_EQ(got.error("code"), "gateway_overloaded");
    EXPECT_EQ(got.field_or("retry-after", ""), "1");
  }

  std::unique_ptr<scripted_provider> provider;
  std::vector<test_client> paused;
};

TEST_F(memory_test, PausedUploadsOverTheLimitGetA503WhileAnotherCallerIsServed) {
  add_keys({"a", "b"});
  serve(streams({"hi"}));
  for (int count = 0; count < 20; ++count) ASSERT_NO_FATAL_FAILURE(pause_upload("a"));
  EXPECT_EQ(metric(used), 9 * held_upload);  // a single caller may use five eighths of the memory limit (20 MiB)
  EXPECT_EQ(post(long_body(2 * megabyte), key_of("b")).status, 200);
  expect_overloaded(paused_upload(2 * megabyte, key_of("a")).read());
  paused.clear();
  expect_metric(0, used);
}

TEST_F(memory_test, UploadsThatPauseMakeWayForACallerThatWaits) {
  add_keys({"a", "b", "c"});
  serve(streams({"hi"}));
  for (int count = 0; count < 9; ++count) ASSERT_NO_FATAL_FAILURE(pause_upload("a"));
  ASSERT_NO_FATAL_FAILURE(pause_upload("b"));
  expect_overloaded(post(long_body(5 * megabyte), key_of("c")));
  EXPECT_TRUE(comes_true([&] { return post(long_body(5 * megabyte), key_of("c")).status == 200; }));
  // The gateway keeps all uploads of caller b, but only as many uploads of caller a as fit into a quarter of the memory limit.
  expect_metric(4 * held_upload, used);
}

TEST_F(memory_test, ABodyThatMayNeverComeInIsA413) {
  serve(streams({"hi"}));
  const http_response announced = post(long_body(21 * megabyte));
  EXPECT_EQ(announced.status, 413);
  EXPECT_NE(announced.error("message").find("max_memory"), std::string::npos);
  expect_metric(0, used);
}

TEST_F(memory_test, AChunkedBodyIsRefusedWhenItCannotGrow) {
  add_keys({"a", "b"});
  serve(streams({"hi"}));
  test_client other = paused_upload(6 * megabyte, key_of("b"));
  ASSERT_TRUE(comes_true([&] { return metric(used) >= 6 * megabyte; }));
  test_client client = connect();
  client.send("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n" + key_of("a") +
              "transfer-encoding: chunked\r\n\r\n1000000\r\n" + std::string(16 * megabyte, ' '));
  expect_overloaded(client.read());
  expect_metric(6.0 * megabyte + (32u << 10), used);
}

TEST_F(memory_test, CallersThatAreRefusedHoldNothingOfWhatTheySend) {
  add_keys({"a"});
  serve(streams({"hi"}));
  const std::size_t before = ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
  std::vector<test_client> clients;
  for (int count = 0; count < 32; ++count) {
    clients.push_back(paused_upload(megabyte));
    ASSERT_EQ(clients.back().read().status, 401);
  }
  // The gateway reads and drops the bytes of a refused body while it closes the connection, so that the kernel does not hold these bytes
  // for long.
  const std::size_t after = ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
  EXPECT_LT(after - std::min(before, after), 8 * megabyte);
  EXPECT_EQ(post(whole("r"), key_of("a")).status, 200);
}

TEST_F(memory_test, AWholeAnswerThatThereIsNoRoomForIsA503) {
  gate all_merged;
  serve([&](provider_call& call) {
    call.stream_head();
    for (int count = 0; count < 8; ++count) call.event(megabyte_chunk());
    all_merged.pass();
    call.event(finish_chunk());
    call.end();
  });
  std::vector<test_client> clients;
  for (int count = 0; count < 5; ++count) {
    clients.push_back(connect());
    clients.back().post(whole("r"));
  }
  // Each request counts as 8 MiB, and a single caller may use 24 MiB. Each request allocates several buffers, and the gateway may refuse
  // the request at any of them. Therefore the test counts the answers.
  EXPECT_TRUE(comes_true([&] { return metric("photofinish_requests_total", {R"(outcome="gateway_error")"}) >= 2; }));
  all_merged.open();
  int answered = 0, refused = 0;
  for (test_client& client : clients) {
    const http_response got = client.read();
    answered += got.status == 200;
    refused += got.status == 503;
    if (got.status == 503) expect_overloaded(got);
    if (got.status == 200) {
      EXPECT_GT(got.body.size(), 8 * megabyte);
    }
  }
  EXPECT_GE(answered, 1);
  EXPECT_GE(refused, 2);
  EXPECT_EQ(answered + refused, 5);
  expect_metric(0, used);
  expect_metric(0, "photofinish_inflight_requests");
}

TEST_F(memory_test, ClientsThatNeverReadLeaveRoomForOthers) {
  add_keys({"a", "b"});
  serve([](provider_call& call) {
    call.stream_head();
    const bool is_long = call.request().body.find("long") != std::string::npos;
    const std::string chunk = token_chunk("hi");
    const std::string padding = R"(,"x":")" + std::string(8 * megabyte, 'x') + "\"}";
    call.event(is_long ? chunk.substr(0, chunk.size() - 1) + padding : chunk);
    if (is_long) return call.hang();
    call.event(finish_chunk());
    call.end();
  });
  std::vector<test_client> clients;
  for (int count = 0; count < 8; ++count) {
    clients.emplace_back(gateway->port(), 4096);
    clients.back().post(streamed("r", R"(,"user":"long")"), key_of("a"));
  }
  ASSERT_TRUE(comes_true([&] { return metric(refusals) >= 1; }));
  EXPECT_LE(metric(used), 24.0 * megabyte);
  EXPECT_EQ(post(streamed("r"), key_of("b")).text(), "hi");
  for (test_client& client : clients) client.reset();
  expect_metric(0, used);
  expect_metric(0, "photofinish_inflight_attempts");
}

// The states in which a client may leave while the gateway holds memory for its request.
struct leaving_state {
  const char* name;
  scripted_provider::script play;
  void (*send)(test_client&);
};

class leaving_memory_test : public memory_test, public ::testing::WithParamInterface<leaving_state> {};

TEST_P(leaving_memory_test, GivesAllOfItBack) {
  serve(GetParam().play);
  test_client client(gateway->port(), 4096);
  GetParam().send(client);
  ASSERT_TRUE(comes_true([&] { return metric(used) > 0; }));
  client.reset();
  expect_metric(0, used);
  expect_metric(0, "photofinish_inflight_requests");
  expect_metric(0, "photofinish_inflight_attempts");
}

void send_long_head(test_client& client) { client.send("GET / HTTP/1.1\r\nx: " + std::string(60'000, 'x')); }
void send_half_a_body(test_client& client) {
  client.send("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4000000\r\n\r\n" +
              std::string(2'000'000, ' '));
}
void ask_for_a_stream(test_client& client) { client.post(streamed("r", R"(,"user":")" + std::string(100'000, 'x') + '"')); }
void ask_for_a_whole(test_client& client) { client.post(whole("r")); }

scripted_provider::script half_of_a_long_event() {
  return [](provider_call& call) {
    call.stream_head();
    call.chunk("data: " + token_chunk(std::string(megabyte, 'x')).substr(0, megabyte));
    call.hang();
  };
}

scripted_provider::script long_events() {
  return [](provider_call& call) {
    call.stream_head();
    for (int count = 0; count < 4 && !call.is_over(); ++count) call.event(megabyte_chunk());
    call.hang();
  };
}

INSTANTIATE_TEST_SUITE_P(, leaving_memory_test,
                         ::testing::Values(leaving_state{"DuringItsHead", stays_silent(), send_long_head},
                                           leaving_state{"DuringItsBody", stays_silent(), send_half_a_body},
                                           leaving_state{"DuringTheRace", stays_silent(), ask_for_a_stream},
                                           leaving_state{"DuringAnEvent", half_of_a_long_event(), ask_for_a_stream},
                                           leaving_state{"DuringTheStream", long_events(), ask_for_a_stream},
                                           leaving_state{"DuringAWholeAnswer", long_events(), ask_for_a_whole}),
                         [](const auto& row) { return row.param.name; });

TEST_F(memory_test, AReloadMovesTheLimit) {
  serve(streams({"hi"}));
  expect_metric(32.0 * megabyte, "photofinish_memory_limit_bytes");
  settings.limits.max_memory = 64 * megabyte;
  gateway->reload(settings);
  expect_metric(64.0 * megabyte, "photofinish_memory_limit_bytes");
}

}  // namespace
}  // namespace photofinish::testing
