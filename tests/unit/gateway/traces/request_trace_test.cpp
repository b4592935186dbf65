// Tests the trace of a request, and under which conditions it is recorded.
#include "gateway/traces/request_trace.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

using fields = std::vector<proxy::header_field>;

constexpr std::string_view sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr std::string_view unsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
constexpr std::array<std::uint64_t, 4> random_bits_given{1, 2, 3, 4};

TEST(RequestTrace, ACallersTraceGoesOn) {
  const request_trace trace = begin_trace({.sample = 0}, fields{{"traceparent", sampled}, {"tracestate", "rojo=1"}},
                                          random_bits_given);
  EXPECT_EQ(proxy::to_hex(trace.id), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(trace.parent, 0xb7ad6b7169203331u);
  EXPECT_EQ(trace.own, 3u);
  EXPECT_TRUE(trace.is_sampled);  // the flag in the caller's header overrides the configured sampling rate
  EXPECT_EQ(trace.state, "rojo=1");
  EXPECT_FALSE(begin_trace({.sample = 1}, fields{{"traceparent", unsampled}}, random_bits_given).is_sampled);
}

TEST(RequestTrace, ACallersStateMayComeInSeveralFields) {
  const request_trace trace = begin_trace(
      {}, fields{{"tracestate", "a=1"}, {"traceparent", sampled}, {"tracestate", "b=2"}}, random_bits_given);
  EXPECT_EQ(trace.state, "a=1, b=2");
}

TEST(RequestTrace, AStateThatIsTooLongStaysHere) {
  const std::string state = "a=" + std::string(511, 'b');
  EXPECT_EQ(begin_trace({}, fields{{"traceparent", sampled}, {"tracestate", state}}, random_bits_given).state, "");
}

TEST(RequestTrace, WhatIsNoTraceparentBeginsANewTrace) {
  const std::vector<fields> odd{{},
                                {{"traceparent", "00-zz"}},
                                {{"tracestate", "a=1"}},
                                {{"traceparent", sampled}, {"traceparent", sampled}},
                                {{"traceparent", "00-00000000000000000000000000000000-b7ad6b7169203331-01"}}};
  for (const fields& each : odd) {
    const request_trace trace = begin_trace({}, each, random_bits_given);
    EXPECT_EQ(trace.id, (proxy::trace_id{1, 2}));
    EXPECT_EQ(trace.parent, 0u);
    EXPECT_EQ(trace.state, "");
  }
}

TEST(RequestTrace, ACallerThatIsNotTrustedBeginsANewTrace) {
  const tracing_settings wary{.sample = 0, .trust_parent = false};
  const request_trace trace = begin_trace(wary, fields{{"traceparent", sampled}, {"tracestate", "a=1"}},
                                          random_bits_given);
  EXPECT_EQ(trace.id, (proxy::trace_id{1, 2}));
  EXPECT_FALSE(trace.is_sampled);
  EXPECT_EQ(trace.state, "");
}

TEST(RequestTrace, AShareOfNewTracesIsRecorded) {
  std::mt19937_64 random(7);
  int recorded = 0;
  for (int count = 0; count < 10'000; ++count)
    recorded += begin_trace({.sample = 0.05}, {}, {random(), random(), random(), random()}).is_sampled;
  EXPECT_NEAR(recorded, 500, 100);
  EXPECT_FALSE(begin_trace({.sample = 0}, {}, {0, 0, 0, 0}).is_sampled);
  EXPECT_TRUE(begin_trace({.sample = 1}, {}, {~0ull, ~0ull, ~0ull, ~0ull}).is_sampled);
}

TEST(RequestTrace, NoIdIsZeroAndNoTwoAttemptsHaveOne) {
  const request_trace trace = begin_trace({}, {}, {0, 0, 0, 0});
  EXPECT_NE(trace.id, proxy::trace_id{});
  EXPECT_NE(trace.own, 0u);
  std::set<proxy::span_id> ids{0, trace.own};
  for (std::size_t index = 0; index < 1000; ++index) EXPECT_TRUE(ids.insert(trace.attempt(index)).second) << index;
  EXPECT_EQ(trace.attempt(3), trace.attempt(3));
}

}  // namespace
}  // namespace photofinish::gateway
