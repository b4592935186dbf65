// Tests the JSON for a collector character by character. The expected text was written by hand according to OTLP's specification.
#include "gateway/traces/otlp_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

race_trace two_spans() {
  race_trace trace{.id = {0x0af7651916cd43dd, 0x8448eb211c80319c}, .state = "rojo=1", .is_sampled = true, .spans = {}};
  trace_span request{.id = 0xb7ad6b7169203331, .parent = 1, .has_remote_parent = true,
                     .name = "POST /v1/chat/completions"};
  request.begin = 1'700'000'000'000'000'001, request.end = 1'700'000'000'500'000'000;
  request.attributes = {{"photofinish.route", std::string("fast")}, {"http.response.status_code", std::int64_t{200}}};
  trace_span attempt{.id = 2, .parent = 0xb7ad6b7169203331, .kind = span_kind::client, .name = "chat m"};
  attempt.begin = 1'700'000'000'000'000'002, attempt.end = 1'700'000'000'500'000'000;
  attempt.attributes = {{"gen_ai.request.stream", true}, {"gen_ai.response.time_to_first_chunk", 0.25}};
  attempt.events = {{"first_token", 1'700'000'000'250'000'002}};
  attempt.is_error = true, attempt.error = "server_error";
  trace.spans = {request, attempt};
  return trace;
}

TEST(OtlpJson, TheResourceNamesVersionAndInstanceUnlessTheSettingsDo) {
  using resource = std::map<std::string, std::string>;
  EXPECT_EQ(resource_of_gateway({{"service.name", "gate"}}, "0.2.0", "pod-7"),
            (resource{{"service.name", "gate"}, {"service.version", "0.2.0"}, {"service.instance.id", "pod-7"}}));
  const resource own{{"service.version", "mine"}, {"service.instance.id", "i"}};
  EXPECT_EQ(resource_of_gateway(own, "0.2.0", "pod-7"), own);
}

TEST(OtlpJson, IsWhatTheSpecificationHas) {
  const std::vector<std::string> traces{otlp_spans(two_spans())};
  EXPECT_EQ(otlp_request({{"service.name", "gate"}}, "0.2.0", traces),
            R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"gate"}}]},)"
            R"("scopeSpans":[{"scope":{"name":"photofinish","version":"0.2.0"},"spans":[)"
            R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","traceState":"rojo=1",)"
            R"("parentSpanId":"0000000000000001","flags":769,"name":"POST /v1/chat/completions","kind":2,)"
            R"("startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000500000000",)"
            R"("attributes":[{"key":"photofinish.route","value":{"stringValue":"fast"}},)"
            R"({"key":"http.response.status_code","value":{"intValue":"200"}}]},)"
            R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"0000000000000002","traceState":"rojo=1",)"
            R"("parentSpanId":"b7ad6b7169203331","flags":257,"name":"chat m","kind":3,)"
            R"("startTimeUnixNano":"1700000000000000002","endTimeUnixNano":"1700000000500000000",)"
            R"("attributes":[{"key":"gen_ai.request.stream","value":{"boolValue":true}},)"
            R"({"key":"gen_ai.response.time_to_first_chunk","value":{"doubleValue":0.25}}],)"
            R"("events":[{"timeUnixNano":"1700000000250000002","name":"first_token"}],)"
            R"("status":{"message":"server_error","code":2}}],)"
            R"("schemaUrl":"https://opentelemetry.io/schemas/1.41.1"}]}]})");
}

TEST(OtlpJson, TracesShareOneRequest) {
  const std::vector<std::string> traces{otlp_spans(two_spans()), otlp_spans(two_spans())};
  const auto body = nlohmann::json::parse(otlp_request({}, "0", traces));
  EXPECT_EQ(body.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").size(), 4u);
}

TEST(OtlpJson, AnyBytesInANameAreValidJson) {
  race_trace odd = two_spans();
  odd.spans[1].name = "chat \xff\"\n";
  odd.spans[0].attributes[0].value = std::string("\xc3");
  const std::vector<std::string> traces{otlp_spans(odd)};
  EXPECT_TRUE(nlohmann::json::accept(otlp_request({{"a", "\xfe"}}, "0", traces)));
}

TEST(OtlpJson, ACollectorMaySayWhatItHasNotTaken) {
  EXPECT_EQ(rejected_spans(R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"full"}})"), 3u);
  EXPECT_EQ(rejected_spans(R"({"partialSuccess":{"rejectedSpans":4}})"), 4u);
  for (const char* nothing : {"", "{}", "[]", R"({"partialSuccess":{}})", R"({"partialSuccess":null})", "not JSON",
                              R"({"partialSuccess":{"rejectedSpans":"-3"}})"})
    EXPECT_EQ(rejected_spans(nothing), 0u) << nothing;
}

}  // namespace
}  // namespace photofinish::gateway
