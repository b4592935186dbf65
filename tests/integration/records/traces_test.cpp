// Tests the traces that the gateway sends to a scripted OpenTelemetry collector. The tests check the span trees, the ids that providers
// receive, and every way in which a collector can fail.
#include "gateway/ingress/address_range.hpp"
#include "gateway/process/instance_name.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;
using std::chrono::operator""s;

// Returns the value of a span's attribute as one word, regardless of the value's type. Returns "-" if the span does not have the attribute.
std::string value_of(const json& span, const std::string& key) {
  for (const json& each : span.at("attributes"))
    if (each.at("key") == key) {
      const json value = each.at("value").begin().value();
      return value.is_string() ? value.get<std::string>() : value.dump();
    }
  return "-";
}

json spans_in(const std::string& body) {
  json all = json::array();
  const json message = json::parse(body);
  for (const json& resource : message.at("resourceSpans"))
    for (const json& scope : resource.at("scopeSpans"))
      for (const json& span : scope.at("spans")) all.push_back(span);
  return all;
}

// A collector of traces. It answers with the given statuses, one after another, and repeats the last status.
class collector {
 public:
  explicit collector(std::vector<int> statuses = {200}, std::string body = "{}", std::string fields = "")
      : server_(script(std::move(statuses), std::move(body), std::move(fields))) {}

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()) + "/v1/traces"; }
  std::vector<received_request> requests() const { return server_.requests(); }

  // Returns the spans of all received posts without duplicates. If a post was answered with an error, the gateway sends it again.
  std::map<std::string, json> spans() const {
    std::map<std::string, json> all;
    for (const received_request& each : server_.requests())
      for (const json& span : spans_in(each.body)) all[span.at("spanId")] = span;
    return all;
  }
  bool has(std::size_t count) const {
    return comes_true([&] { return spans().size() >= count; });
  }
  // Returns the spans of requests. Each of these spans is the root of a tree.
  std::vector<json> trees() const {
    std::vector<json> all;
    for (const auto& [id, span] : spans())
      if (span.at("kind") == 2) all.push_back(span);
    return all;
  }

 private:
  static scripted_provider::script script(std::vector<int> statuses, std::string body, std::string fields) {
    auto turn = std::make_shared<std::atomic<std::size_t>>(0);
    return [turn, statuses, body, fields](provider_call& call) {
      call.answer(statuses[std::min(turn->fetch_add(1), statuses.size() - 1)], body, fields);
    };
  }
  scripted_provider server_;
};

class traces_test : public gateway_fixture {
 protected:
  traces_test() { keeping.tick = 20ms; }

  void start_with(const std::string& url) {
    settings.tracing.endpoint = url;
    settings.tracing.resource = {{"service.name", "gate"}};
    start();
  }

  double spans(std::string_view result) {
    return metric("photofinish_spans_total", {"result=\"" + std::string(result) + "\""});
  }
};

TEST_F(traces_test, AHundredRacesAreAHundredTreesWithTheRightParents) {
  constexpr std::size_t races = 100;
  scripted_provider slow(stays_silent());
  std::atomic<std::size_t> asked{0};
  scripted_provider quick([&](provider_call& call) {
    const std::size_t number = ++asked;
    if (call.wait_until([&] { return slow.requests().size() >= number; })) streams({"a"})(call);
  });
  add("quick", quick).forwarding.trace_context = true;
  add("slow", slow).forwarding.trace_context = true;
  add_route("r", {"quick/m", "slow/n"});
  const collector hears;
  start_with(hears.url());
  for (std::size_t count = 0; count < races; ++count) EXPECT_EQ(post(streamed("r", R"(,"x":"planted")")).status, 200);
  ASSERT_TRUE(hears.has(3 * races));
  const auto all = hears.spans();
  std::set<std::string> traces;
  std::map<std::string, std::vector<json>> children;  // by parent
  for (const auto& [id, span] : all)
    if (span.at("kind") == 3) children[span.at("parentSpanId")].push_back(span);
  std::map<std::string, std::string> sent;  // maps the span ids that providers received to the trace ids that they received
  for (const scripted_provider* each : {&quick, &slow})
    for (const received_request& request : each->requests()) {
      const std::string parent = request.field("traceparent");
      ASSERT_EQ(parent.size(), 55u) << request.head;
      EXPECT_TRUE(parent.ends_with("-01"));
      sent[parent.substr(36, 16)] = parent.substr(3, 32);
    }
  for (const json& root : hears.trees()) {
    EXPECT_FALSE(root.contains("parentSpanId"));
    EXPECT_TRUE(traces.insert(root.at("traceId")).second) << "a trace of two races";
    const auto& attempts = children[root.at("spanId")];
    ASSERT_EQ(attempts.size(), 2u);
    for (const json& attempt : attempts) {
      EXPECT_EQ(attempt.at("traceId"), root.at("traceId"));
      EXPECT_GE(attempt.at("startTimeUnixNano").get<std::string>(), root.at("startTimeUnixNano").get<std::string>());
      // Checks only the winner, because a loser's connection may be closed in a later turn of the loop.
      if (value_of(attempt, "photofinish.attempt.outcome") == "won") {
        EXPECT_LE(attempt.at("endTimeUnixNano").get<std::string>(), root.at("endTimeUnixNano").get<std::string>());
      }
      EXPECT_EQ(sent[attempt.at("spanId")], root.at("traceId").get<std::string>()) << "its provider got another id";
    }
  }
  EXPECT_EQ(traces.size(), races);
  EXPECT_EQ(children.size(), races);
  for (const received_request& each : hears.requests()) EXPECT_EQ(each.body.find("planted"), std::string::npos);
  expect_metric(3 * races, "photofinish_spans_total", {R"(result="exported")"});
}

TEST_F(traces_test, ATraceNamesTheGatewayTheSchemeAndTheMoney) {
  scripted_provider quick([](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(10, 3));
    call.event("[DONE]");
  });
  add("quick", quick).prices = {{"m", *proxy::parse_prices("1/2")}};
  add_route("r", {"quick/m"});
  settings.server.ingress.trusted_proxies = {gateway::parse_address_range("127.0.0.0/8").range.value()};
  const collector hears;
  start_with(hears.url());
  EXPECT_EQ(post(streamed("r"), "X-Forwarded-Proto: https\r\n").status, 200);
  ASSERT_TRUE(hears.has(2));
  const json root = hears.trees().at(0);
  EXPECT_EQ(value_of(root, "url.scheme"), "https");
  EXPECT_NEAR(json::parse(value_of(root, "photofinish.cost_usd")).get<double>(), 16e-6, 1e-9)
      << "10 tokens at 1 and 3 at 2 USD a million";
  const json resource = json::parse(hears.requests().at(0).body).at("resourceSpans").at(0).at("resource");
  EXPECT_EQ(value_of(resource, "service.name"), "gate");
  EXPECT_EQ(value_of(resource, "service.instance.id"), gateway::default_instance_name());
  EXPECT_NE(value_of(resource, "service.version"), "-");
  EXPECT_EQ(post(streamed("r")).status, 200);
  ASSERT_TRUE(hears.has(4));
  const auto trees = hears.trees();
  const auto is_http = [](const json& each) { return value_of(each, "url.scheme") == "http"; };
  EXPECT_EQ(std::count_if(trees.begin(), trees.end(), is_http), 1);
}

TEST_F(traces_test, ASpanSaysWhoWonAndOfWhatService) {
  scripted_provider slow(stays_silent());
  scripted_provider quick([&slow](provider_call& call) {
    call.wait_until([&slow] { return !slow.requests().empty(); });
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(10, 3));
    call.end();
  });
  add("quick", quick), add("slow", slow);
  add_route("r", {"quick/m", "slow/n"});
  settings.tracing.headers = {{"x-key", proxy::secret("s3cret")}};
  const collector hears;
  start_with(hears.url());
  EXPECT_EQ(post(streamed("r")).status, 200);
  ASSERT_TRUE(hears.has(3));
  const received_request request = hears.requests().front();
  EXPECT_EQ(request.head.find("POST /v1/traces HTTP/1.1"), 0u) << request.head;
  EXPECT_EQ(request.field("content-type"), "application/json");
  EXPECT_EQ(request.field("x-key"), "s3cret");
  EXPECT_NE(request.body.find(R"({"key":"service.name","value":{"stringValue":"gate"}})"), std::string::npos);
  const json root = hears.trees().at(0);
  EXPECT_EQ(value_of(root, "photofinish.winner"), "quick/m");
  EXPECT_EQ(value_of(root, "photofinish.route"), "r");
  for (const auto& [id, span] : hears.spans()) {
    const std::string outcome = value_of(span, "photofinish.attempt.outcome");
    if (outcome == "won") {
      EXPECT_EQ(value_of(span, "gen_ai.usage.output_tokens"), "3");
      EXPECT_EQ(span.at("events").at(0).at("name"), "first_token");
    }
    if (outcome == "lost") {
      EXPECT_EQ(value_of(span, "gen_ai.usage.output_tokens"), "-");
      EXPECT_FALSE(span.contains("status"));
    }
  }
  EXPECT_EQ(slow.request().field("traceparent"), "");  // the provider gets no traceparent, because its setting trace_context is not set
}

const std::string caller_trace = "0af7651916cd43dd8448eb211c80319c", caller_span = "b7ad6b7169203331";

TEST_F(traces_test, ACallersTraceGoesOnAndItsFlagDecides) {
  scripted_provider provider(streams({"a"}));
  add("p", provider).forwarding.trace_context = true;
  add_route("r", {"p/m"});
  settings.tracing.sample = 0;
  const collector hears;
  start_with(hears.url());
  const std::string parent = "traceparent: 00-" + caller_trace + "-" + caller_span;
  EXPECT_EQ(post(streamed("r"), parent + "-00\r\ntracestate: rojo=1\r\n").status, 200);  // not recorded
  EXPECT_EQ(post(streamed("r")).status, 200);  // this request begins its own trace, which sampling does not select
  EXPECT_EQ(post(streamed("r"), parent + "-01\r\ntracestate: rojo=1\r\n").status, 200);
  ASSERT_TRUE(hears.has(2));
  ASSERT_EQ(hears.trees().size(), 1u);
  const json root = hears.trees().at(0);
  EXPECT_EQ(root.at("traceId"), caller_trace);
  EXPECT_EQ(root.at("parentSpanId"), caller_span);
  EXPECT_EQ(root.at("traceState"), "rojo=1");
  const std::string sent = provider.request(2).field("traceparent");
  EXPECT_EQ(sent.substr(0, 36), "00-" + caller_trace + "-");
  EXPECT_NE(sent.substr(36, 16), caller_span) << "the provider is a child of the attempt, not of the caller";
  EXPECT_TRUE(hears.spans().contains(sent.substr(36, 16)));
  EXPECT_EQ(provider.request(2).field("tracestate"), "rojo=1");
  EXPECT_TRUE(provider.request(0).field("traceparent").ends_with("-00"));
  EXPECT_TRUE(provider.request(1).field("traceparent").ends_with("-00"));
}

TEST_F(traces_test, WhatWentWrongIsKeptThoughTheDiceSaidNo) {
  scripted_provider broken(refuses(500, "{}")), fine(streams({"a"}));
  add("broken", broken), add("fine", fine);
  add_route("b", {"broken/m"}), add_route("f", {"fine/m"});
  settings.tracing.sample = 0;
  const collector hears;
  start_with(hears.url());
  EXPECT_EQ(post(streamed("f")).status, 200);
  EXPECT_GE(post(streamed("b")).status, 500);
  EXPECT_EQ(post(streamed("nowhere")).status, 404);  // the client has caused this request's error
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_error")"});
  expect_metric(2, "photofinish_spans_total", {R"(result="exported")"});
  const json root = hears.trees().at(0);
  EXPECT_EQ(root.at("status").at("code"), 2);
  EXPECT_EQ(value_of(root, "photofinish.outcome"), "upstream_error");
}

TEST_F(traces_test, WithoutAnEndpointNothingIsMadeAndACallersTracePassesAsBefore) {
  scripted_provider provider(streams({"a"}));
  add("p", provider).forwarding.trace_context = true;
  add_route("r", {"p/m"});
  start();
  const std::string parent = "00-" + caller_trace + "-" + caller_span + "-01";
  EXPECT_EQ(post(streamed("r"), "traceparent: " + parent + "\r\n").status, 200);
  EXPECT_EQ(provider.request().field("traceparent"), parent);
  EXPECT_EQ(post(streamed("r")).status, 200);
  EXPECT_EQ(provider.request(1).field("traceparent"), "");
  EXPECT_EQ(spans("exported") + spans("dropped") + spans("failed"), 0);
}

TEST_F(traces_test, ACollectorThatIsBusyGetsTheSameSpansAgain) {
  scripted_provider provider(streams({"a"}));
  add("p", provider);
  add_route("r", {"p/m"});
  const collector hears({503, 429, 502, 504, 200}, "{}", "retry-after: 0\r\n");
  start_with(hears.url());
  EXPECT_EQ(post(streamed("r")).status, 200);
  expect_metric(2, "photofinish_spans_total", {R"(result="exported")"});
  EXPECT_EQ(hears.requests().size(), 5u);
  for (const received_request& each : hears.requests()) EXPECT_EQ(each.body, hears.requests().front().body);
  EXPECT_EQ(spans("failed"), 0);
}

TEST_F(traces_test, ACollectorThatRefusesIsNotAskedAgain) {
  scripted_provider provider(streams({"a"}));
  add("p", provider);
  add_route("r", {"p/m"});
  const collector hears({400, 401, 500, 200});
  start_with(hears.url());
  for (int count = 1; count <= 3; ++count) {
    EXPECT_EQ(post(streamed("r")).status, 200);
    expect_metric(2 * count, "photofinish_spans_total", {R"(result="failed")"});
  }
  EXPECT_EQ(hears.requests().size(), 3u);
  EXPECT_EQ(post(streamed("r")).status, 200);
  expect_metric(2, "photofinish_spans_total", {R"(result="exported")"});
}

TEST_F(traces_test, WhatACollectorHasNotTakenIsCounted) {
  scripted_provider provider(streams({"a"}));
  add("p", provider);
  add_route("r", {"p/m"});
  const collector hears({200}, R"({"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}})");
  start_with(hears.url());
  EXPECT_EQ(post(streamed("r")).status, 200);
  expect_metric(1, "photofinish_spans_total", {R"(result="exported")"});
  EXPECT_EQ(spans("failed"), 1);
}

TEST_F(traces_test, ACollectorThatHangsHoldsNothingUpAndTheEndIsBounded) {
  scripted_provider provider(streams({"a"})), silent(stays_silent());
  add("p", provider);
  add_route("r", {"p/m"});
  start_with("http://127.0.0.1:" + std::to_string(silent.port()) + "/v1/traces");
  for (int count = 0; count < 50; ++count) EXPECT_EQ(post(streamed("r")).status, 200);
  ASSERT_TRUE(comes_true([&] { return silent.open_connections() == 1; }));
  EXPECT_EQ(get("/metrics").status, 200);
  EXPECT_EQ(silent.requests().size(), 1u);  // the gateway sends only one batch of spans at a time
  const auto before = test_clock::now();
  gateway.reset();
  EXPECT_LT(milliseconds_between(before, test_clock::now()), 20'000);
}

TEST_F(traces_test, ACollectorThatComesBackGetsWhatWaited) {
  scripted_provider provider(streams({"a"}));
  add("p", provider);
  add_route("r", {"p/m"});
  auto gone = std::make_unique<collector>();
  const std::string url = gone->url();
  gone.reset();  // no program listens on the collector's address any longer
  start_with(url);
  for (int count = 0; count < 5; ++count) EXPECT_EQ(post(streamed("r")).status, 200);
  const collector back;
  settings.tracing.endpoint = back.url();
  gateway->reload(settings);  // the reload takes effect immediately, so the gateway sends the waiting spans to the new address
  EXPECT_TRUE(back.has(10));
  expect_metric(10, "photofinish_spans_total", {R"(result="exported")"});
  EXPECT_EQ(spans("failed") + spans("dropped"), 0);
}

TEST_F(traces_test, WhatWaitsAtTheEndIsSent) {
  scripted_provider provider(streams({"a"}));
  add("p", provider);
  add_route("r", {"p/m"});
  const collector hears;
  keeping.tick = 3600s;  // this tick is so long that the timer sends no spans during the test
  start_with(hears.url());
  for (int count = 0; count < 5; ++count) EXPECT_EQ(post(streamed("r")).status, 200);
  EXPECT_TRUE(hears.requests().empty());
  gateway.reset();
  EXPECT_EQ(hears.spans().size(), 10u);
}

TEST_F(traces_test, TurnedOffByAReloadNothingMoreIsSent) {
  scripted_provider provider(streams({"a"}));
  add("p", provider);
  add_route("r", {"p/m"});
  const collector hears;
  start_with(hears.url());
  EXPECT_EQ(post(streamed("r")).status, 200);
  ASSERT_TRUE(hears.has(2));
  settings.tracing.endpoint.clear();
  gateway->reload(settings);
  for (int count = 0; count < 3; ++count) EXPECT_EQ(post(streamed("r")).status, 200);
  expect_metric(4, "photofinish_requests_total", {R"(route="r")", R"(outcome="ok")"});
  EXPECT_LE(hears.spans().size(), 4u);  // the remaining spans come from a worker that had not noticed the new configuration yet
  EXPECT_EQ(spans("failed"), 0);
}

TEST_F(traces_test, PostsMayBeCompressed) {
  scripted_provider provider(streams({"a"}));
  add("p", provider);
  add_route("r", {"p/m"});
  scripted_provider hears([](provider_call& call) { call.answer(200, "{}"); });
  settings.tracing.is_compressed = true;
  start_with("http://127.0.0.1:" + std::to_string(hears.port()) + "/v1/traces");
  EXPECT_EQ(post(streamed("r")).status, 200);
  const received_request request = hears.request();
  EXPECT_EQ(request.field("content-encoding"), "gzip");
  std::string plain(1u << 20, '\0');
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(request.body.data()));
  stream.avail_in = static_cast<uInt>(request.body.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  plain.resize(stream.total_out);
  inflateEnd(&stream);
  EXPECT_EQ(spans_in(plain).size(), 2u);
}

}  // namespace
}  // namespace photofinish::testing
