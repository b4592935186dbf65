// Tests that long work does not run on the worker's thread. Neither other requests nor the next request on the same connection may wait for
// it.
#include "tests/support/gate.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>

namespace photofinish::testing {
namespace {

constexpr std::size_t megabyte = 1u << 20;

class long_work_test : public gateway_fixture {
 protected:
  long_work_test() {
    keeping.before_parsing = parsing.hook();
    keeping.before_counting = counting.hook();
    add("p", provider);
    add_route("r", {"p/m"});
  }
  ~long_work_test() override { parsing.open(), counting.open(); }

  static std::string long_body() {
    return R"({"model":"r","messages":[{"role":"user","content":")" + std::string(2 * megabyte, 'x') + R"("}]})";
  }
  // Returns 31 MiB of JSON members that are as short as possible.
  static std::string members() {
    std::string body = R"({"model":"r","messages":[{"role":"user","content":"x"}])";
    while (body.size() < 31 * megabyte) body += R"(,"a":0)";
    return body + "}";
  }

  gate parsing, counting;
  scripted_provider provider{[](provider_call& call) {
    const bool wants_word = call.request().body.find("word") != std::string::npos;
    streams({wants_word ? std::string(100'000, 'x') : std::string("hi")})(call);
  }};
};

TEST_F(long_work_test, AGiantBodyIsParsedWhileAnotherRequestOfItsWorkerIsServed) {
  start();
  test_client giant = connect();
  giant.post(long_body());
  ASSERT_TRUE(comes_true([&] { return parsing.arrived() == 1; }));
  EXPECT_EQ(post(streamed("r")).text(), "hi");
  parsing.open();
  EXPECT_EQ(giant.read().status, 200);
}

TEST_F(long_work_test, ABodyOfMillionsOfMembersIsA400AndHoldsUpNoOther) {
  start();
  test_client giant = connect();
  giant.post(members());
  ASSERT_TRUE(comes_true([&] { return parsing.arrived() == 1; }));
  EXPECT_EQ(post(streamed("r")).text(), "hi");
  parsing.open();
  const http_response got = giant.read();
  EXPECT_EQ(got.status, 400);
  EXPECT_NE(got.error("message").find("values"), std::string::npos);
  giant.post(whole("r"));
  EXPECT_EQ(giant.read().status, 200);  // reads the answer to the second request on the same connection
}

TEST_F(long_work_test, WhereProcessorsAreShortTheLoopsComeFirst) {
  std::atomic<int> priority = 0;
  keeping.before_parsing = [&priority] { priority = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); };
  start();
  EXPECT_EQ(post(long_body()).status, 200);
  EXPECT_EQ(priority, std::min(::getpriority(PRIO_PROCESS, 0) + 10, 19));  // the thread for long work has a lower priority
}

TEST_F(long_work_test, AClientMayLeaveWhileItsBodyIsParsed) {
  start();
  test_client giant = connect();
  giant.post(long_body());
  ASSERT_TRUE(comes_true([&] { return parsing.arrived() == 1; }));
  giant.reset();
  EXPECT_EQ(post(streamed("r")).text(), "hi");
  parsing.open();
  expect_metric(0, "photofinish_memory_used_bytes");
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  EXPECT_EQ(post(streamed("r")).text(), "hi");
}

TEST_F(long_work_test, TheGatewayMayEndWhileABodyIsParsed) {
  start();
  test_client giant = connect();
  giant.post(long_body());
  ASSERT_TRUE(comes_true([&] { return parsing.arrived() == 1; }));
  gateway->cut();
  parsing.open();
  EXPECT_TRUE(gateway->is_drained());
}

TEST_F(long_work_test, TheNextRequestDoesNotWaitForTheTokensOfALongWord) {
  start();
  test_client client = connect();
  client.post(streamed("r", R"(,"user":"word")"));
  ASSERT_EQ(client.read().status, 200);
  ASSERT_TRUE(comes_true([&] { return counting.arrived() == 1; }));
  client.post(streamed("r"));
  EXPECT_EQ(client.read().text(), "hi");
  // Only one request is counted, because the first request has not ended.
  expect_metric(1, "photofinish_requests_total", {R"(outcome="ok")"});
  counting.open();
  expect_metric(2, "photofinish_requests_total", {R"(outcome="ok")"});
  EXPECT_GT(metric("photofinish_output_tokens_total", {R"(source="tokenizer")"}), 1000);
}

}  // namespace
}  // namespace photofinish::testing
