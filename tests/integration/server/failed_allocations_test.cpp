// Repeats a request, and lets a different memory allocation fail each time. The request must end and release all that it used, and the next
// request must get its complete answer.
#include "proxy/loop/spawn.hpp"
#include "tests/support/failing_allocations.hpp"
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using std::chrono::operator""min;

const std::string key = "Authorization: Bearer key-a\r\n";

class failed_allocations_test;

struct request_kind {
  std::string name;
  std::string sign;  // a text that the answer contains if no allocation fails
  std::function<void(failed_allocations_test&)> ask;
};

void PrintTo(const request_kind& each, std::ostream* out) { *out << each.name; }

// The gateway has small limits, so the test soon notices a request that does not release its part of a limit.
class failed_allocations_test : public gateway_fixture, public ::testing::WithParamInterface<request_kind> {
 protected:
  failed_allocations_test() {
    keeping.tick = 1min;
    settings.limits.max_inflight = 6;
    settings.limits.max_connections = 24;
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}, {"bob", proxy::secret("key-b"), {}}};
    settings.access.keys[0].limits.parallel_requests = 6;
    settings.access.keys[1].limits.requests_per_minute = 1;
    for (auto& [name, at] : std::vector<std::pair<std::string, scripted_provider*>>{
             {"a", &provider}, {"b", &second}, {"s", &scribe}})
      add(name, *at).limits.max_running = 6;
    settings.providers["b"].behaves.prefill = proxy::prefill_form::last_message;
    settings.providers["s"].apis = {proxy::served_api::audio};
    add_route("plain", {"a/m"});
    add_route("before", {"a/m"});
    add_route("parallel", {"a/m"});
    gateway::cache_settings& cache = add_route("cached", {"a/m"}).cache.emplace();
    cache.coalesce = true;
    cache.ttl = 10min;
    cache.max_entries = 1;
    add_route("continued", {"a/m", "b/m"}, racing::race_policy::fallback).race.crawl.breaking =
        racing::on_break::continue_text;
    add_route("form", {"s/m"});
    guard("first", gateway::guardrail_mode::before);
    guard("beside", gateway::guardrail_mode::parallel);
    settings.guardrails[0].routes = {"before"};
    settings.guardrails[1].routes = {"parallel"};
  }

  void guard(const std::string& name, gateway::guardrail_mode mode) {
    gateway::guardrail_settings& made = settings.guardrails.emplace_back();
    made.name = name;
    made.service = local_provider(name, service.port());
    made.mode = mode;
  }

  // Sends a request whose head has an unusual length. The gateway's only worker allocates this number of bytes, so the test can recognize
  // the thread of the worker.
  void watch_worker() {
    constexpr std::size_t unusual = 23'457;
    std::string head = "GET /livez HTTP/1.1\r\nHost: localhost\r\nx-padding: ";
    head += std::string(unusual - head.size() - 4, 'p') + "\r\n\r\n";
    test_client client = connect();
    tests::watch_thread_that_allocates(unusual);
    client.send(head);
    EXPECT_EQ(client.read().status, 200);
    ASSERT_TRUE(tests::has_watched_thread());
  }

  // Returns a client from which the gateway already reads. Asio sets up sockets in code where exceptions cannot be caught, so allocations
  // must not fail there.
  test_client ready_client() {
    test_client client = connect();
    client.get("/livez");
    EXPECT_EQ(client.read().status, 200);
    return client;
  }

  void expect_ordinary_answer() {
    const http_response got = post(streamed("plain"), key);
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(got.text(), "onetwo") << got.body;
  }
  double memory_used() { return metric("photofinish_memory_used_bytes"); }
  void expect_nothing_left(double memory) {
    expect_metric(0, "photofinish_inflight_requests");
    expect_metric(0, "photofinish_inflight_attempts");
    EXPECT_TRUE(comes_true([&] { return memory_used() <= memory; })) << memory_used() << " bytes, not " << memory;
  }

 public:
  // Returns a new question in each call.
  std::string next_question() {
    ++questions;
    return last_question();
  }
  std::string last_question() const { return R"(,"temperature":0,"seed":)" + std::to_string(questions); }
  void ask_for(std::string_view body, std::string_view fields = key, std::string_view path = "/v1/chat/completions") {
    test_client client = ready_client();
    fail_next();
    client.post(body, fields, path);
    read_from(client);
  }
  void ask_twice(const std::string& body) {
    test_client first = ready_client(), other = ready_client();
    fail_next();
    first.post(body, key);
    other.post(body, key);
    read_from(first);
    read_from(other);
  }
  void send(const std::string& bytes) {
    test_client client = ready_client();
    fail_next();
    client.send(bytes);
    read_from(client);
  }
  void read_from(test_client& client) {
    last = client.read();
    EXPECT_TRUE(last.is_complete || client.is_closed()) << "the request does not end";
  }
  void fail_next() const { tests::fail_allocation(number); }
  std::uint16_t port() const { return gateway->port(); }

  std::size_t number = 0;  // the number of the allocation that should fail
  int questions = 0;
  http_response last;

 protected:
  scripted_provider provider{[](provider_call& call) {
    const bool breaks = call.request().body.find("break off") != std::string::npos;
    call.stream_head();
    call.event(role_chunk());
    call.event(token_chunk(breaks ? "one answer that is long enough " : "one"));
    // Waits before it answers, so that other requests may join the race of this request.
    if (call.request().body.find("\"seed\"") != std::string::npos) call.wait(20ms);
    if (breaks) {
      call.wait(10ms);  // waits before the reset, because a reset may discard earlier bytes that were not read yet
      return call.reset();
    }
    call.event(token_chunk("two"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.end();
  }};
  scripted_provider second{streams({"and ", "on"})};
  scripted_provider scribe{refuses(200, R"({"text":"hello"})")};
  scripted_provider service{refuses(200, R"({"action":{"reason":"fine"}})")};
};

std::string form_request() {
  const std::string form =
      "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nform\r\n"
      "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\nContent-Type: audio/wav\r\n\r\nRIFF\r\n--b--\r\n";
  return "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\n" + key +
         "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: " + std::to_string(form.size()) + "\r\n\r\n" + form;
}

const std::vector<request_kind>& kinds() {
  using test = failed_allocations_test;
  static const std::vector<request_kind> all{
      {"Streamed", "data: [DONE]", [](test& with) { with.ask_for(streamed("plain")); }},
      {"Whole", "onetwo", [](test& with) { with.ask_for(whole("plain")); }},
      {"OfMegabytes", "data: [DONE]",
       [](test& with) { with.ask_for(streamed("plain", R"(,"metadata":{"a":")" + std::string(2u << 20, 'x') + "\"}")); }},
      {"JudgedBefore", "data: [DONE]", [](test& with) { with.ask_for(streamed("before")); }},
      {"JudgedInParallel", "data: [DONE]", [](test& with) { with.ask_for(streamed("parallel")); }},
      {"NotCachedYet", "x-cache: miss", [](test& with) { with.ask_for(streamed("cached", with.next_question())); }},
      {"Cached", "x-cache: hit", [](test& with) { with.ask_for(whole("cached", with.last_question())); }},
      {"Shared", "x-cache: ", [](test& with) { with.ask_twice(streamed("cached", with.next_question())); }},
      {"Continued", "continued-by=b/m", [](test& with) { with.ask_for(streamed("continued", R"(,"metadata":{"a":"break off"})")); }},
      {"AForm", "hello", [](test& with) { with.send(form_request()); }},
      {"WithoutAKey", "HTTP/1.1 401", [](test& with) { with.ask_for(streamed("plain"), ""); }},
      {"Unknown", "HTTP/1.1 404", [](test& with) { with.ask_for(streamed("plain"), key, "/v1/nothing"); }},
      {"Malformed", "HTTP/1.1 400", [](test& with) { with.ask_for(R"({"model":"plain","messages":7})"); }},
      {"Limited", "HTTP/1.1 429", [](test& with) { with.ask_for(streamed("plain"), "Authorization: Bearer key-b\r\n"); }},
      {"BeforeTheConnection", "data: [DONE]", [](test& with) {
         with.fail_next();
         test_client client(with.port());
         client.post(streamed("plain"), key);
         with.read_from(client);
       }},
  };
  return all;
}

TEST_P(failed_allocations_test, LeavesNothingOfTheRequestAndTheNextIsAnswered) {
  const captured_log quiet;
  proxy::report_bugs_to([](std::string_view, std::string_view, proxy::bug_end) noexcept {});
  start();
  watch_worker();
  for (int each = 0; each < 3; ++each) {  // the first requests create connections and other long-lived objects
    GetParam().ask(*this);
    expect_ordinary_answer();
  }
  GetParam().ask(*this);
  const std::size_t all = tests::allocations_of_thread();
  EXPECT_NE((last.head + last.body).find(GetParam().sign), std::string::npos) << last.head << "\n" << last.body;
  ASSERT_GT(all, 20u) << "the worker is not watched";
  expect_ordinary_answer();
  const double memory = memory_used();

  for (std::size_t each = 1; each <= all; ++each) {
    number = each;
    GetParam().ask(*this);
    number = 0;
    tests::fail_allocation(0);
    expect_ordinary_answer();
    if (each % 50 == 0) expect_nothing_left(memory);
    ASSERT_FALSE(HasFailure()) << "allocation " << each << " of " << all;
  }
  expect_nothing_left(memory);
}

INSTANTIATE_TEST_SUITE_P(Requests, failed_allocations_test, ::testing::ValuesIn(kinds()),
                         [](const ::testing::TestParamInfo<request_kind>& each) { return each.param.name; });

}  // namespace
}  // namespace photofinish::testing
