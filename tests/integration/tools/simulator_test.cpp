// Tests the simulated provider over real sockets: the answers that a client gets, and the simulator's records of these answers.
#include "gateway/simulator/demo.hpp"
#include "gateway/simulator/simulator.hpp"
#include "tests/support/canary.hpp"
#include "tests/support/gateway/running_simulator.hpp"
#include "tests/support/gateway/sim_client.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace photofinish::gateway::simulator {
namespace {

namespace asio = boost::asio;
using nlohmann::json;
using std::chrono::steady_clock;
using tests::patience;
using tests::response;
using tests::running_simulator;
using client = tests::sim_client;
using namespace std::chrono_literals;

response answer_to(const running_simulator& provider, const std::string& model, bool is_stream = true,
                   json more = json::object()) {
  client asking(provider.port());
  asking.ask(model, is_stream, std::move(more));
  return asking.read();
}

TEST(Simulator, StreamHasTheShapeOfOpenAI) {
  running_simulator provider;
  const response got = answer_to(provider, "m;tokens=2");
  EXPECT_EQ(got.status, 200);
  EXPECT_NE(got.head.find("content-type: text/event-stream"), std::string::npos);
  ASSERT_EQ(got.events().size(), 5u);
  EXPECT_EQ(got.events().back(), "[DONE]");

  const auto chunks = got.chunks();
  const json role = json::parse(R"({"role":"assistant","content":"","refusal":null})");
  EXPECT_EQ(chunks[0]["choices"][0]["delta"], role);
  EXPECT_FALSE(chunks[1]["choices"][0]["delta"]["content"].get<std::string>().empty());
  EXPECT_EQ(chunks[3]["choices"][0]["delta"], json::object());
  EXPECT_EQ(chunks[3]["choices"][0]["finish_reason"], "stop");
  for (const json& chunk : chunks) {
    EXPECT_EQ(chunk["object"], "chat.completion.chunk");
    EXPECT_EQ(chunk["id"], chunks[0]["id"]);
    EXPECT_EQ(chunk["model"], "m");
    EXPECT_FALSE(chunk.contains("usage"));
  }
}

TEST(Simulator, UsageChunkComesLastAndOnlyWhenAsked) {
  running_simulator provider;
  const json asks_usage = {{"stream_options", {{"include_usage", true}}}};
  const response got = answer_to(provider, "m;reasoning=3", true, asks_usage);
  const auto chunks = got.chunks();
  EXPECT_TRUE(chunks.front()["usage"].is_null());
  EXPECT_EQ(chunks.back()["choices"], json::array());
  EXPECT_EQ(chunks.back()["usage"]["completion_tokens"], 11);
  EXPECT_EQ(chunks.back()["usage"]["completion_tokens_details"]["reasoning_tokens"], 3);
  EXPECT_EQ(chunks.back()["usage"]["total_tokens"], 11 + chunks.back()["usage"]["prompt_tokens"].get<int>());
}

TEST(Simulator, UsageSaysWhatOfItsTimeWasQueueing) {
  running_simulator provider;
  const std::string model = "m;ttft=40ms;ttft_sigma=0;stall_share=0;queue_share=0.75;tokens=1";
  for (const bool is_stream : {true, false}) {
    const response got = answer_to(provider, model, is_stream, {{"stream_options", {{"include_usage", true}}}});
    const json usage = is_stream ? got.chunks().back()["usage"] : json::parse(got.body)["usage"];
    EXPECT_NEAR(usage.at("queue_time"), 0.03, 1e-6);
    EXPECT_NEAR(usage.at("prompt_time"), 0.01, 1e-6);
  }
}

TEST(Simulator, ReasoningIsStreamedBeforeTheContent) {
  running_simulator provider;
  const response got = answer_to(provider, "m;reasoning=1;tokens=1");
  EXPECT_TRUE(got.chunks()[1]["choices"][0]["delta"].contains("reasoning_content"));
  EXPECT_TRUE(got.chunks()[2]["choices"][0]["delta"].contains("content"));
}

TEST(Simulator, ToolCallNamesTheOfferedFunctionAndStreamsValidArguments) {
  running_simulator provider;
  const json tools = json::parse(R"([{"type":"function","function":{"name":"look_up"}}])");
  const response got = answer_to(provider, "m;tools=1;chunk=3", true, {{"tools", tools}});
  std::string arguments, name;
  for (const json& chunk : got.chunks()) {
    const json& delta = chunk["choices"][0]["delta"];
    if (!delta.contains("tool_calls")) continue;
    EXPECT_EQ(delta["tool_calls"][0]["index"], 0);
    name += delta["tool_calls"][0]["function"].value("name", "");
    arguments += delta["tool_calls"][0]["function"].value("arguments", "");
  }
  EXPECT_EQ(name, "look_up");
  EXPECT_TRUE(json::accept(arguments)) << arguments;
  EXPECT_EQ(got.chunks().back()["choices"][0]["finish_reason"], "tool_calls");
}

TEST(Simulator, MaxTokensEndsTheAnswerWithLength) {
  running_simulator provider;
  for (const char* limit : {"max_tokens", "max_completion_tokens"}) {
    const response got = answer_to(provider, "m", true, {{limit, 3}});
    EXPECT_EQ(got.events().size(), 6u) << limit;  // the stream has six events: role, 3 tokens, finish and [DONE]
    EXPECT_EQ(got.chunks().back()["choices"][0]["finish_reason"], "length") << limit;
  }
}

TEST(Simulator, NonStreamedAnswerIsOneCompletion) {
  running_simulator provider;
  const response got = answer_to(provider, "m;reasoning=2;seed=5", false);
  const response streamed = answer_to(provider, "m;reasoning=2;seed=5");
  const json body = json::parse(got.body);
  EXPECT_EQ(body["object"], "chat.completion");
  EXPECT_EQ(body["choices"][0]["message"]["content"], streamed.joined("content"));
  EXPECT_EQ(body["choices"][0]["message"]["reasoning_content"], streamed.joined("reasoning_content"));
  EXPECT_EQ(body["usage"]["completion_tokens"], 10);
  EXPECT_EQ(provider.record(1).tokens_sent, 10u);
}

TEST(Simulator, NonStreamedToolCallHasNoContent) {
  running_simulator provider;
  const json body = json::parse(answer_to(provider, "m;tools", false).body);
  const json& message = body["choices"][0]["message"];
  EXPECT_TRUE(message["content"].is_null());
  EXPECT_TRUE(json::accept(message["tool_calls"][0]["function"]["arguments"].get<std::string>()));
}

TEST(Simulator, AnswersAreWhatTheScheduleOfTheirSeedSays) {
  sim_options options = running_simulator::instant_answers();
  options.seed = 42;
  running_simulator provider(options);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    sim_engine engine(request_seed(42, number));
    const sim_schedule truth = draw_schedule(options.behaviour, engine);
    EXPECT_EQ(answer_to(provider, "m").joined("content"), truth.text) << number;
  }
}

TEST(Simulator, TtftAndSpeedAreKept) {
  running_simulator provider;
  const response got = answer_to(provider, "m;ttft=50ms;tps=200;tokens=11");
  ASSERT_TRUE(got.is_complete);
  const sim_record record = provider.record();
  ASSERT_TRUE(record.first_token_at);
  EXPECT_GE(*record.first_token_at - record.received_at, 50ms);
  EXPECT_GE(record.ended_at - record.received_at, 100ms);
}

TEST(Simulator, RoleMayLeaveLongBeforeTheFirstToken) {
  running_simulator provider;
  client asking(provider.port());
  asking.ask("m;role_delay=1ms;ttft=10m");
  const response got = asking.read_until("assistant");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.events().size(), 1u);
}

TEST(Simulator, StatusFaultCarriesRetryAfter) {
  running_simulator provider;
  const response got = answer_to(provider, "m;status=429;retry_after=1500ms");
  EXPECT_EQ(got.status, 429);
  EXPECT_NE(got.head.find("\r\nretry-after: 2\r\n"), std::string::npos) << got.head;
  EXPECT_NE(got.head.find("\r\nretry-after-ms: 1500\r\n"), std::string::npos) << got.head;
  EXPECT_EQ(json::parse(got.body)["error"]["code"], "rate_limit_exceeded");
  EXPECT_EQ(provider.record().ended, sim_end::refused);
}

TEST(Simulator, StatusFaultWithoutRetryAfterHasNoSuchField) {
  running_simulator provider;
  const response got = answer_to(provider, "m;status=503", false);
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.head.find("retry-after"), std::string::npos);
}

TEST(Simulator, HangNeverSendsAByte) {
  running_simulator provider;
  client asking(provider.port());
  asking.ask("m;hang");
  EXPECT_EQ(asking.bytes_within(60ms), 0u);
  asking.close();
  EXPECT_EQ(provider.record().ended, sim_end::client_closed);
  EXPECT_EQ(provider.record().tokens_sent, 0u);
}

TEST(Simulator, StallSendsItsTokensAndFallsSilent) {
  running_simulator provider;
  client asking(provider.port());
  asking.ask("m;stall_after=5");
  while (asking.read_until("").events().size() < 6) asking.bytes_within(patience);  // reads six events: the role and five tokens
  const std::size_t size = asking.bytes_within(0ms);
  EXPECT_EQ(asking.bytes_within(60ms), size);
  EXPECT_EQ(asking.ended, asio::error::timed_out);
  asking.close();
  EXPECT_EQ(provider.record().tokens_sent, 5u);
  EXPECT_EQ(provider.record().ended, sim_end::client_closed);
}

TEST(Simulator, ResetComesBehindItsTokens) {
  running_simulator provider;
  client asking(provider.port());
  asking.ask("m;reset_after=5;tps=500");
  const response got = asking.read();
  EXPECT_EQ(got.events().size(), 6u);
  EXPECT_EQ(asking.ended, asio::error::connection_reset);
  EXPECT_EQ(provider.record().ended, sim_end::reset);
}

TEST(Simulator, CloseLeavesTheBodyUnfinished) {
  running_simulator provider;
  client asking(provider.port());
  asking.ask("m;close_after=2");
  const response got = asking.read();
  EXPECT_EQ(got.events().size(), 3u);
  EXPECT_FALSE(got.is_complete);
  EXPECT_EQ(asking.ended, asio::error::eof);
  EXPECT_EQ(provider.record().ended, sim_end::closed);
}

TEST(Simulator, ErrorEventEndsAStreamWithoutDone) {
  running_simulator provider;
  const response got = answer_to(provider, "m;error_event=2");
  ASSERT_EQ(got.events().size(), 4u);
  EXPECT_TRUE(got.chunks().back().contains("error"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(provider.record().ended, sim_end::error_event);
}

TEST(Simulator, ErrorEventOfANonStreamedAnswerIsAStatus) {
  running_simulator provider;
  EXPECT_EQ(answer_to(provider, "m;error_event=2", false).status, 500);
}

TEST(Simulator, DoneOnlyStreamsNothingElse) {
  running_simulator provider;
  EXPECT_EQ(answer_to(provider, "m;done_only").events(), std::vector<std::string>{"[DONE]"});
}

TEST(Simulator, EmptyAnswerFinishesWithoutAToken) {
  running_simulator provider;
  const response got = answer_to(provider, "m;empty");
  EXPECT_EQ(got.events().size(), 3u);
  EXPECT_EQ(got.joined("content"), "");
  EXPECT_EQ(got.chunks().back()["choices"][0]["finish_reason"], "stop");
}

// Checks how fast the simulated provider notices that its client has left. Only the shortest of a few attempts counts: a busy machine may
// delay some attempts, but a missing read delays all of them.
void expect_quick_notice(const std::string& model, std::string_view wait_for) {
  running_simulator provider;
  testing::canary machine;
  auto quickest = steady_clock::duration::max();
  for (std::size_t i = 1; i <= 5; ++i) {
    client asking(provider.port());
    asking.ask(model);
    if (wait_for.empty()) EXPECT_EQ(asking.bytes_within(5ms), 0u);
    else asking.read_until(wait_for);
    const auto closed_at = steady_clock::now();
    asking.close();
    EXPECT_EQ(provider.record(i).ended, sim_end::client_closed);
    quickest = std::min(quickest, provider.record(i).ended_at - closed_at);
  }
  EXPECT_LT(std::chrono::duration<double>(quickest).count() * 1e3, 10 + machine.allowance_ms());
}

TEST(Simulator, ClientLeavingBeforeTheFirstTokenIsNoticedAtOnce) {
  expect_quick_notice("m;ttft=10m", "");
}

TEST(Simulator, ClientLeavingBetweenTokensIsNoticedAtOnce) {
  expect_quick_notice("m;tps=0.01", "content\":\"");
}

TEST(Simulator, ClientThatNeverReadsHoldsItsAnswerBackAndMayLeave) {
  running_simulator provider;
  client asking(provider.port());
  asking.ask("m;tokens=1000000");
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(provider.ledger().records().empty());
  asking.close();
  const sim_record record = provider.record();
  EXPECT_EQ(record.ended, sim_end::client_closed);
  EXPECT_LT(record.tokens_sent, 1'000'000u);
}

TEST(Simulator, LongAnswerArrivesWhole) {
  running_simulator provider;
  const response got = answer_to(provider, "m;tokens=20000;chunk=10;seed=1");
  ASSERT_TRUE(got.is_complete);
  sim_behaviour behaviour = running_simulator::instant_answers().behaviour;
  behaviour.output_tokens = 20'000;
  sim_engine engine(1);
  EXPECT_EQ(got.joined("content"), draw_schedule(behaviour, engine).text);
}

TEST(Simulator, RecordHoldsTheRequestAsReceived) {
  running_simulator provider;
  client asking(provider.port());
  asking.post(R"({"model":"m;tokens=1","messages":[]})", "Authorization: Bearer k1\r\nX-Team: search\r\n");
  asking.read();
  const sim_record record = provider.record();
  EXPECT_EQ(record.request_id, "sim-1");
  EXPECT_EQ(record.model, "m;tokens=1");
  EXPECT_EQ(record.target, "/v1/chat/completions");
  EXPECT_EQ(record.authorization, "Bearer k1");
  EXPECT_EQ(record.body, R"({"model":"m;tokens=1","messages":[]})");
  const std::pair<std::string, std::string> field("X-Team", "search");
  EXPECT_EQ(std::count(record.fields.begin(), record.fields.end(), field), 1);
}

TEST(Simulator, LedgerKeepsTheNewestRecordsOnly) {
  sim_options options = running_simulator::instant_answers();
  options.kept_records = 2;
  running_simulator provider(options);
  for (int i = 0; i < 5; ++i) answer_to(provider, "m");
  while (provider.ledger().records().back().request_id != "sim-5") std::this_thread::sleep_for(1ms);
  EXPECT_EQ(provider.ledger().records().size(), 2u);
  EXPECT_EQ(provider.ledger().requests(), 5u);
}

TEST(Simulator, StopEndsWhateverIsRunning) {
  running_simulator provider;
  client hanging(provider.port()), idle(provider.port());
  hanging.ask("m;hang");
  while (provider.ledger().requests() == 0) std::this_thread::sleep_for(1ms);
  provider.stop();
  EXPECT_EQ(provider.record().ended, sim_end::stopped);
  EXPECT_EQ(provider.ledger().open_connections(), 0u);
}

TEST(DemoProviders, AnswerUnderTheirNamesUntilTheyAreDestroyed) {
  demo_providers demo;
  ASSERT_EQ(demo.providers().size(), 5u);
  for (const demo_provider& each : demo.providers()) {
    const auto colon = each.base_url.rfind(':');
    client asking(static_cast<std::uint16_t>(std::stoul(each.base_url.substr(colon + 1))));
    asking.ask(each.name + ";ttft=1ms;stall_share=0;tps=0");
    EXPECT_EQ(asking.read().chunks()[0]["model"], each.name);
    EXPECT_EQ(each.ledger.requests(), 1u);
    EXPECT_EQ(each.has_prompt_cache, each.name.starts_with("sim-agent-"));
  }
}

}  // namespace
}  // namespace photofinish::gateway::simulator
