// Tests the spans of a request's trace, and which traces are kept.
#include "gateway/traces/span_tree.hpp"

#include "gateway/records/account_rules.hpp"
#include "gateway/traces/otlp_json.hpp"
#include "gateway/traces/span_names.hpp"
#include "metrics/shard.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using racing::attempt_end;

// Returns the value of an attribute as one word, or "-" if the attribute is missing.
std::string value_of(const std::vector<span_attribute>& attributes, std::string_view key) {
  for (const span_attribute& each : attributes) {
    if (each.key != key) continue;
    if (const auto* text = std::get_if<std::string>(&each.value)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&each.value)) return std::to_string(*number);
    if (const auto* truth = std::get_if<bool>(&each.value)) return *truth ? "true" : "false";
    return std::to_string(std::get<double>(each.value));
  }
  return "-";
}

// A streamed race that lasted 1.2 s, with two attempts. `groq/m` won after 200 ms, and `openai/m` was then cancelled.
class SpanTree : public testing::Test {
 protected:
  SpanTree() {
    auto settings = std::make_shared<config>();
    settings->tracing.endpoint = "http://c/v1/traces";
    proxy::provider& groq = settings->providers["groq"];
    groq.url = {.is_tls = true, .host = "api.groq.com", .port = 443, .path = "/openai/v1"};
    tracing = &settings->tracing;
    record.settings = settings;
    record.id = "req_1";
    record.endpoint = metrics::endpoint::chat_completions;
    record.route = "fast";
    record.caller.client = "ci";
    record.caller.team = "search";
    record.status = 200;
    record.outcome = metrics::request_outcome::ok;
    record.form = answer_form::stream;
    record.times.received_at = start;
    record.times.first_written_at = start + 201ms;
    record.times.ended_at = start + 1200ms;
    record.planned = {{.target = {"groq", "m"}, .id = "groq/m"}, {.target = {"openai", "m"}, .id = "openai/m"}};
    record.race.begun_at = start + 1ms;
    record.race.winner = 0;
    record.race.attempts = {attempt(0, attempt_end::won), attempt(1, attempt_end::lost)};
    record.race.attempts[0].summary.first_token_at = start + 200ms;
    record.race.attempts[0].summary.usage = proxy::token_usage{.input_tokens = 30, .output_tokens = 7};
    record.notes.trace = std::make_shared<const request_trace>(request_trace{
        .id = {1, 2}, .parent = 9, .own = 3, .seed = 4, .is_sampled = true, .state = "rojo=1"});
  }

  racing::attempt_report attempt(std::size_t target, attempt_end end) const {
    racing::attempt_report report;
    report.target = target;
    report.end = end;
    report.started_at = start + 1ms;
    report.ended_at = start + 200ms;
    report.summary.connection = proxy::connection_used::fresh;
    return report;
  }

  race_trace made() {
    std::vector<metrics::attempt_observation> seen;
    for (std::size_t index = 0; index < record.race.attempts.size(); ++index) {
      seen.push_back(observe_attempt(record, index, shard.target("groq", "m")));
      if (index < prices.size()) seen.back().price = prices[index];
    }
    return make_spans(record, seen, {start + 1200ms, wall + 1200ms});
  }

  std::int64_t ns(std::chrono::milliseconds after) const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>((wall + after).time_since_epoch()).count();
  }

  const proxy::instant start{1h};
  const std::chrono::system_clock::time_point wall{std::chrono::sys_days(std::chrono::year(2026) / 11 / 23)};
  std::vector<std::variant<std::monostate, metrics::cost, metrics::unpriced>> prices;  // the cost of each attempt in the race
  tracing_settings* tracing = nullptr;
  request_record record;
  metrics::series_budget budget;
  metrics::shard shard{budget};
};

TEST_F(SpanTree, ARequestIsASpanWithAChildForEachAttempt) {
  const race_trace trace = made();
  ASSERT_EQ(trace.spans.size(), 3u);
  EXPECT_EQ(trace.id, (proxy::trace_id{1, 2}));
  EXPECT_EQ(trace.state, "rojo=1");
  const trace_span& request = trace.spans[0];
  EXPECT_EQ(request.id, 3u);
  EXPECT_EQ(request.parent, 9u);
  EXPECT_TRUE(request.has_remote_parent);
  EXPECT_EQ(request.kind, span_kind::server);
  for (std::size_t index = 0; index < 2; ++index) {
    const trace_span& each = trace.spans[index + 1];
    EXPECT_EQ(each.id, record.notes.trace->attempt(index)) << "the id that its provider got";
    EXPECT_EQ(each.parent, request.id);
    EXPECT_EQ(each.kind, span_kind::client);
    EXPECT_FALSE(each.has_remote_parent);
  }
}

TEST_F(SpanTree, ATraceSaysWhatItAddedToWhichSeries) {
  const std::vector<metrics::traced_value> observed = made().observed;
  std::vector<std::string> said;
  for (const metrics::traced_value& each : observed) {
    std::string labels;
    for (const std::string& value : each.label_values) labels += value + " ";
    said.push_back(std::string(each.which->name) + " " + labels + std::to_string(std::lround(each.value * 1000)));
  }
  EXPECT_EQ(said, (std::vector<std::string>{"photofinish_request_ttft_seconds fast 201",
                                            "photofinish_request_duration_seconds fast 1200",
                                            "photofinish_attempt_ttft_seconds groq m won 199"}));
}

TEST_F(SpanTree, TheRequestsSpanSaysWhoAskedForWhatAndWhoWon) {
  const trace_span request = made().spans[0];
  EXPECT_EQ(request.name, "POST /v1/chat/completions");
  EXPECT_EQ(request.begin, ns(0ms));
  EXPECT_EQ(request.end, ns(1200ms));
  EXPECT_EQ(value_of(request.attributes, "http.request.method"), "POST");
  EXPECT_EQ(value_of(request.attributes, "http.route"), "/v1/chat/completions");
  EXPECT_EQ(value_of(request.attributes, "http.response.status_code"), "200");
  EXPECT_EQ(value_of(request.attributes, "photofinish.route"), "fast");
  EXPECT_EQ(value_of(request.attributes, "photofinish.client"), "ci");
  EXPECT_EQ(value_of(request.attributes, "photofinish.team"), "search");
  EXPECT_EQ(value_of(request.attributes, "photofinish.policy"), "all");
  EXPECT_EQ(value_of(request.attributes, "photofinish.winner"), "groq/m");
  EXPECT_EQ(value_of(request.attributes, "photofinish.outcome"), "ok");
  EXPECT_EQ(value_of(request.attributes, "photofinish.request_id"), "req_1");
  ASSERT_EQ(request.events.size(), 1u);
  EXPECT_EQ(request.events[0].name, "first_token");
  EXPECT_EQ(request.events[0].at, ns(201ms));
  EXPECT_FALSE(request.is_error);
}

TEST_F(SpanTree, TheSchemeIsThatOfTheClientsConnection) {
  EXPECT_EQ(value_of(made().spans[0].attributes, "url.scheme"), "http");
  request_trace over_tls = *record.notes.trace;
  over_tls.is_https = true;
  record.notes.trace = std::make_shared<const request_trace>(over_tls);
  EXPECT_EQ(value_of(made().spans[0].attributes, "url.scheme"), "https");
}

TEST_F(SpanTree, CostsAreThoseOfEachAttemptAndOfAll) {
  EXPECT_EQ(value_of(made().spans[0].attributes, "photofinish.cost_usd"), "-") << "no attempt was billed";
  prices = {metrics::cost{.usd = 0.25}, metrics::cost{.usd = 0.125, .kind = metrics::cost_kind::loser}};
  race_trace trace = made();
  EXPECT_EQ(value_of(trace.spans[0].attributes, "photofinish.cost_usd"), "0.375000") << "losers included";
  EXPECT_EQ(value_of(trace.spans[1].attributes, "photofinish.attempt.cost_usd"), "0.250000");
  EXPECT_EQ(value_of(trace.spans[2].attributes, "photofinish.attempt.cost_usd"), "0.125000");
  prices[1] = metrics::unpriced{};
  trace = made();
  EXPECT_EQ(value_of(trace.spans[0].attributes, "photofinish.cost_usd"), "-") << "a part is unknown";
  EXPECT_EQ(value_of(trace.spans[1].attributes, "photofinish.attempt.cost_usd"), "0.250000");
  EXPECT_EQ(value_of(trace.spans[2].attributes, "photofinish.attempt.cost_usd"), "-");
}

TEST_F(SpanTree, AnAnswerFromTheCacheIsLinkedToTheRequestThatWasRaced) {
  record.terms.cache = metrics::cache_result::hit;
  record.notes.answered_by = std::make_unique<const proxy::trace_parent>(proxy::trace_parent{{7, 8}, 5, true});
  record.race = {};
  const race_trace trace = made();
  ASSERT_EQ(trace.spans.size(), 1u);
  EXPECT_EQ(value_of(trace.spans[0].attributes, "photofinish.cache"), "hit");
  ASSERT_EQ(trace.spans[0].links.size(), 1u);
  EXPECT_EQ(trace.spans[0].links[0].trace, (proxy::trace_id{7, 8}));
  EXPECT_NE(otlp_spans(trace).find(R"("links":[{"traceId":"00000000000000070000000000000008",)"
                                   R"("spanId":"0000000000000005"}])"),
            std::string::npos);
}

TEST_F(SpanTree, TheWinnersSpanGoesOnToTheAnswersEndAndHasItsTokens) {
  const trace_span winner = made().spans[1];
  EXPECT_EQ(winner.name, "chat m");
  EXPECT_EQ(winner.begin, ns(1ms));
  EXPECT_EQ(winner.end, ns(1200ms));
  EXPECT_EQ(value_of(winner.attributes, "gen_ai.operation.name"), "chat");
  EXPECT_EQ(value_of(winner.attributes, "gen_ai.provider.name"), "groq");
  EXPECT_EQ(value_of(winner.attributes, "gen_ai.request.model"), "m");
  EXPECT_EQ(value_of(winner.attributes, "gen_ai.request.stream"), "true");
  EXPECT_EQ(value_of(winner.attributes, "gen_ai.usage.input_tokens"), "30");
  EXPECT_EQ(value_of(winner.attributes, "gen_ai.usage.output_tokens"), "7");
  EXPECT_EQ(value_of(winner.attributes, "gen_ai.response.time_to_first_chunk"), "0.199000");
  EXPECT_EQ(value_of(winner.attributes, "server.address"), "api.groq.com");
  EXPECT_EQ(value_of(winner.attributes, "server.port"), "443");
  EXPECT_EQ(value_of(winner.attributes, "photofinish.attempt.outcome"), "won");
  EXPECT_EQ(value_of(winner.attributes, "photofinish.attempt.start"), "first");
  ASSERT_EQ(winner.events.size(), 1u);
  EXPECT_EQ(winner.events[0].at, ns(200ms));
}

TEST_F(SpanTree, ALoserIsNoErrorAndHasNoUsage) {
  record.race.attempts[1].summary.usage = proxy::token_usage{.input_tokens = 30, .output_tokens = 1};
  const trace_span loser = made().spans[2];
  EXPECT_EQ(value_of(loser.attributes, "photofinish.attempt.outcome"), "lost");
  EXPECT_EQ(value_of(loser.attributes, "gen_ai.usage.input_tokens"), "-");
  EXPECT_EQ(value_of(loser.attributes, "gen_ai.usage.output_tokens"), "-");
  EXPECT_EQ(value_of(loser.attributes, "error.type"), "-");
  EXPECT_EQ(value_of(loser.attributes, "server.address"), "-");  // the provider of the losing attempt is no longer configured
  EXPECT_FALSE(loser.is_error);
  EXPECT_EQ(loser.end, ns(200ms));
}

TEST_F(SpanTree, AFailedAttemptSaysWhyInAWordAndNeverInItsProvidersWords) {
  record.race.attempts[1].end = attempt_end::failed;
  proxy::failure why;
  why.kind = proxy::failure_kind::rate_limited, why.status = 429, why.detail = "your prompt was: secret";
  record.race.attempts[1].why = why;
  const trace_span failed = made().spans[2];
  EXPECT_TRUE(failed.is_error);
  EXPECT_EQ(failed.error, "rate_limited");
  EXPECT_EQ(value_of(failed.attributes, "error.type"), "rate_limited");
  EXPECT_EQ(value_of(failed.attributes, "http.response.status_code"), "429");
  for (const span_attribute& each : failed.attributes) {
    const auto* text = std::get_if<std::string>(&each.value);
    EXPECT_TRUE(!text || text->find("secret") == std::string::npos);
  }
}

TEST_F(SpanTree, WhatWasNotSentIsAnEventAndNoSpan) {
  record.skipped = {{{"xai", "m"}, racing::skip_reason::cooldown}};
  record.race.attempts[1].end = attempt_end::failed;
  proxy::failure busy;
  busy.kind = proxy::failure_kind::busy;
  record.race.attempts[1].why = busy;
  const race_trace trace = made();
  ASSERT_EQ(trace.spans.size(), 2u);
  const auto& events = trace.spans[0].events;
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(value_of(events[1].attributes, "photofinish.target"), "xai/m");
  EXPECT_EQ(value_of(events[1].attributes, "photofinish.reason"), "cooldown");
  EXPECT_EQ(value_of(events[2].attributes, "photofinish.target"), "openai/m");
  EXPECT_EQ(value_of(events[2].attributes, "photofinish.reason"), "busy");
}

TEST_F(SpanTree, ARefusedRequestHasASpanAloneAndIsNoErrorOfOurs) {
  record.race = {};
  record.status = 404;
  record.outcome = metrics::request_outcome::client_error;
  record.times.first_written_at.reset();
  const race_trace trace = made();
  ASSERT_EQ(trace.spans.size(), 1u);
  EXPECT_FALSE(trace.spans[0].is_error);
  EXPECT_EQ(value_of(trace.spans[0].attributes, "photofinish.policy"), "-");
}

TEST_F(SpanTree, AnAnswerThatWasCutIsAnErrorThoughItsStatusWas200) {
  record.outcome = metrics::request_outcome::truncated;
  record.winner.broken = proxy::bad_stream("cut");
  const race_trace trace = made();
  EXPECT_TRUE(trace.spans[0].is_error);
  EXPECT_EQ(value_of(trace.spans[0].attributes, "error.type"), "truncated");
  EXPECT_TRUE(trace.spans[1].is_error);
  EXPECT_EQ(value_of(trace.spans[1].attributes, "photofinish.attempt.outcome"), "broken");
}

TEST_F(SpanTree, WithoutKeysNobodyIsNamed) {
  record.caller.client = record.caller.team = metrics::none_label;
  const trace_span request = made().spans[0];
  EXPECT_EQ(value_of(request.attributes, "photofinish.client"), "-");
  EXPECT_EQ(value_of(request.attributes, "photofinish.team"), "-");
}

class SpansKept : public SpanTree {
 protected:
  SpansKept() {
    // Random sampling did not select this request.
    record.notes.trace = std::make_shared<const request_trace>(request_trace{.id = {1, 2}, .own = 3});
  }
};

TEST_F(SpansKept, WhatWasNotSampledGoesUnlessItIsWorthKeeping) {
  EXPECT_FALSE(is_kept(record));
  record.outcome = metrics::request_outcome::client_error;
  EXPECT_FALSE(is_kept(record));
  for (const auto bad : {metrics::request_outcome::upstream_error, metrics::request_outcome::truncated,
                         metrics::request_outcome::gateway_error, metrics::request_outcome::drained}) {
    record.outcome = bad;
    tracing->keeps_errors = true;
    EXPECT_TRUE(is_kept(record));
    tracing->keeps_errors = false;
    EXPECT_FALSE(is_kept(record));
  }
}

TEST_F(SpansKept, SlowIsAFirstTokenThatComesLate) {
  record.times.ended_at = start + 60s;
  EXPECT_FALSE(is_kept(record));  // a long answer does not count as slow if its first token was fast
  record.times.first_written_at = start + 11s;
  EXPECT_TRUE(is_kept(record));
  tracing->keeps_slow = false;
  EXPECT_FALSE(is_kept(record));
}

TEST_F(SpansKept, OfAWholeAnswerItsEndCounts) {
  record.form = answer_form::whole;
  record.times.ended_at = start + 9s;
  EXPECT_FALSE(is_kept(record));
  record.times.ended_at = start + 11s;
  EXPECT_TRUE(is_kept(record));
}

}  // namespace
}  // namespace photofinish::gateway
