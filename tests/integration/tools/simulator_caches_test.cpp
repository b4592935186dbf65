// Tests the simulated provider's prompt caches over real sockets. The tests check the cached tokens in each API's format, for each caller
// and model.
#include "tests/support/gateway/running_simulator.hpp"
#include "tests/support/gateway/sim_client.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::gateway::simulator {
namespace {

using nlohmann::json;
using tests::response;
using tests::running_simulator;
using client = tests::sim_client;
using namespace std::chrono_literals;

// Options for a simulator that caches every prefix of at least 25 tokens.
sim_options with_cache() {
  sim_options options = running_simulator::instant_answers();
  options.behaviour.cache.is_on = true;
  options.behaviour.cache.minimum = 25;
  options.behaviour.cache.step = 1;
  return options;
}

// Returns a text of 400 bytes, which are 100 tokens.
std::string text_of(int number) { return std::to_string(1000 + number) + std::string(396, 'x'); }

// Returns the messages of the given turn, counted from 1. Each turn adds an answer and a message to the messages of the previous turn.
json messages_of(int turn) {
  json list = json::array();
  for (int each = 1; each <= turn; ++each) {
    if (each > 1) list.push_back({{"role", "assistant"}, {"content", "done"}});
    list.push_back({{"role", "user"}, {"content", text_of(each)}});
  }
  return list;
}

response post(const running_simulator& provider, const std::string& path, const json& body, const std::string& fields = "") {
  client asking(provider.port());
  asking.post_to(path, body.dump(), fields);
  const response got = asking.read();
  EXPECT_EQ(got.status, 200) << got.body;
  return got;
}

json chat_body(int turn, const std::string& model = "m") { return {{"model", model}, {"messages", messages_of(turn)}}; }

const std::string key_a = "Authorization: Bearer a\r\n", key_b = "Authorization: Bearer b\r\n";

// Sends a chat completion request, and returns the number of cached tokens in the answer's usage.
std::uint64_t cached_in_chat(const running_simulator& provider, const json& body, const std::string& fields = key_a) {
  const json usage = json::parse(post(provider, "/v1/chat/completions", body, fields).body).at("usage");
  return usage.at("prompt_tokens_details").at("cached_tokens");
}

// An API, and the usage that it reports for two turns of a conversation: the number of cached tokens, and the number of all tokens in the
// prompt.
struct api_case {
  std::string name;
  std::string path;
  json (*body)(int turn);
  std::string usage;  // JSON pointers
  std::string cached;
  bool excludes_cached;  // true if the input tokens that the API reports exclude the cached tokens
  std::string input;
};

json chat_api(int turn) { return chat_body(turn); }
json responses_api(int turn) { return {{"model", "m"}, {"instructions", "Be brief."}, {"input", messages_of(turn)}}; }
json messages_api(int turn) { return {{"model", "m"}, {"max_tokens", 99}, {"messages", messages_of(turn)}}; }
json invoke_api(int turn) {
  return {{"anthropic_version", "bedrock-2023-05-31"}, {"max_tokens", 99}, {"messages", messages_of(turn)}};
}
json in_parts(int turn, const char* parts, const char* assistant) {
  json list = messages_of(turn);
  for (json& each : list) {
    const json text = each.at("content");
    const bool is_user = each.at("role") == "user";
    each = {{"role", is_user ? "user" : assistant}, {parts, json::array({{{"text", text}}})}};
  }
  return list;
}
json gemini_api(int turn) { return {{"contents", in_parts(turn, "parts", "model")}}; }
json converse_api(int turn) { return {{"messages", in_parts(turn, "content", "assistant")}}; }

class SimulatorCaches : public ::testing::TestWithParam<api_case> {};

TEST_P(SimulatorCaches, ReportTheirReadsInTheWordsOfTheApi) {
  const api_case& api = GetParam();
  running_simulator provider(with_cache());
  const auto usage = [&](int turn) {
    const json answer = json::parse(post(provider, api.path, api.body(turn), key_a).body);
    return answer.at(json::json_pointer(api.usage));
  };
  const json first = usage(1);
  EXPECT_EQ(first.value(json::json_pointer(api.cached), 0), 0) << first;
  const json second = usage(2);
  const std::uint64_t cached = second.at(json::json_pointer(api.cached));
  const sim_record record = provider.record(2);
  EXPECT_EQ(cached, record.cached_tokens);
  EXPECT_EQ(provider.record(1).cached_tokens, 0u);
  // The first message has about this number of tokens, because it has 400 bytes and a role.
  EXPECT_NEAR(static_cast<double>(cached), 108, 8) << second;
  const std::uint64_t input = second.at(json::json_pointer(api.input));
  EXPECT_EQ(input + (api.excludes_cached ? cached : 0), record.prompt_tokens);
}

INSTANTIATE_TEST_SUITE_P(
    All, SimulatorCaches,
    ::testing::Values(
        api_case{"chat", "/v1/chat/completions", chat_api, "/usage", "/prompt_tokens_details/cached_tokens", false, "/prompt_tokens"},
        api_case{"responses", "/v1/responses", responses_api, "/usage", "/input_tokens_details/cached_tokens", false, "/input_tokens"},
        api_case{"messages", "/v1/messages", messages_api, "/usage", "/cache_read_input_tokens", true, "/input_tokens"},
        api_case{"invoke", "/model/m/invoke", invoke_api, "/usage", "/cache_read_input_tokens", true, "/input_tokens"},
        api_case{"gemini", "/v1beta/models/m:generateContent", gemini_api, "/usageMetadata", "/cachedContentTokenCount", false,
                 "/promptTokenCount"},
        api_case{"converse", "/model/m/converse", converse_api, "/usage", "/cacheReadInputTokens", true, "/inputTokens"}),
    [](const auto& tested) { return tested.param.name; });

TEST(SimulatorCache, IsOffUnlessAskedFor) {
  running_simulator provider;
  for (int each = 0; each < 2; ++each) {
    const json usage = json::parse(post(provider, "/v1/chat/completions", chat_body(2), key_a).body).at("usage");
    EXPECT_FALSE(usage.contains("prompt_tokens_details"));
  }
}

TEST(SimulatorCache, GrowsWithTheConversation) {
  running_simulator provider(with_cache());
  std::vector<std::uint64_t> cached;
  for (const int turn : {1, 2, 3, 3}) cached.push_back(cached_in_chat(provider, chat_body(turn)));
  EXPECT_EQ(cached[0], 0u);
  EXPECT_LT(cached[1], cached[2]);
  EXPECT_LT(cached[2], cached[3]);
  EXPECT_LT(cached[3], provider.record(4).prompt_tokens);
}

TEST(SimulatorCache, AnotherKeyIsCold) {
  running_simulator provider(with_cache());
  const auto cached = [&](const std::string& fields) { return cached_in_chat(provider, chat_body(1), fields) > 0; };
  for (const std::string& fields : {key_a, key_b, std::string("x-api-key: a\r\n"), std::string("x-goog-api-key: b\r\n"),
                                    std::string("Authorization: AWS4-HMAC-SHA256 Credential=one/x, Signature=1\r\n"),
                                    std::string("Authorization: AWS4-HMAC-SHA256 Credential=two/x, Signature=2\r\n")})
    EXPECT_FALSE(cached(fields)) << fields;
  EXPECT_TRUE(cached(key_a));
  EXPECT_TRUE(cached("x-goog-api-key: b\r\n"));
  EXPECT_TRUE(cached("Authorization: AWS4-HMAC-SHA256 Credential=one/x, Signature=3\r\n"));
  EXPECT_EQ(cached_in_chat(provider, chat_body(1, "n")), 0u);  // another model
}

TEST(SimulatorCache, BelowTheMinimumNothingIsKept) {
  sim_options options = with_cache();
  options.behaviour.cache.minimum = 300;
  running_simulator provider(options);
  for (const int turn : {1, 2}) EXPECT_EQ(cached_in_chat(provider, chat_body(turn)), 0u) << turn;
  cached_in_chat(provider, chat_body(3));
  EXPECT_GE(cached_in_chat(provider, chat_body(4)), 300u);
}

TEST(SimulatorCache, EndsWithItsTimeToLive) {
  running_simulator provider(with_cache());
  const std::string model = "m;cache_ttl=1ms";
  cached_in_chat(provider, chat_body(1, model));
  std::this_thread::sleep_for(2ms);
  EXPECT_EQ(cached_in_chat(provider, chat_body(1, model)), 0u);
  cached_in_chat(provider, chat_body(1, "m;cache_ttl=60m"));
  std::this_thread::sleep_for(2ms);
  EXPECT_GT(cached_in_chat(provider, chat_body(1, model)), 0u);
}

TEST(SimulatorCache, ReplicasAreALotteryWithoutAHint) {
  sim_options options = with_cache();
  options.behaviour.cache.replicas = 4;
  options.behaviour.cache.hint = "prompt_cache_key";
  options.seed = 3;
  const auto found = [&](const json& more, const std::string& fields) {
    running_simulator provider(options);
    int warm = 0;
    for (int turn = 1; turn <= 40; ++turn) {
      json body = chat_body(1);
      body["messages"][0]["content"] = text_of(turn / 2);  // two consecutive rounds of the loop use the same text
      body.update(more);
      warm += cached_in_chat(provider, body, key_a + fields) > 0;
    }
    return warm;
  };
  const int by_chance = found(json::object(), "");
  EXPECT_GE(by_chance, 1);
  EXPECT_LE(by_chance, 12);
  EXPECT_EQ(found({{"prompt_cache_key", "one"}}, ""), 19);
  EXPECT_EQ(found(json::object(), "prompt_cache_key: one\r\n"), 19);
  options.behaviour.cache.hint = "x-session-affinity";
  EXPECT_EQ(found(json::object(), "X-Session-Affinity: one\r\n"), 19);
}

TEST(SimulatorCache, UncachedTokensTakeLonger) {
  sim_options options = with_cache();
  options.behaviour.prompt_times.uncached = 400ms;  // for 1,000 tokens
  running_simulator provider(options);
  json body = chat_body(6);
  body["stream"] = true;
  for (int each = 0; each < 2; ++each) post(provider, "/v1/chat/completions", body, key_a);
  const auto ttft = [&](std::size_t number) {
    const sim_record record = provider.record(number);
    return *record.first_token_at - record.received_at;
  };
  EXPECT_GT(ttft(1), 200ms);  // 600 tokens
  EXPECT_LT(ttft(2), ttft(1));
}

TEST(SimulatorCache, ARequestThatIsCutBeforeItsFirstTokenKeepsNothing) {
  running_simulator provider(with_cache());
  for (const bool is_stream : {true, false}) {
    client leaving(provider.port());
    json body = chat_body(1, "m;ttft=60m;role_delay=1ms");
    body["stream"] = is_stream;
    const std::uint64_t before = provider.ledger().requests();
    leaving.post_to("/v1/chat/completions", body.dump(), key_a);
    while (provider.ledger().requests() == before) std::this_thread::sleep_for(1ms);
    leaving.close();
    EXPECT_EQ(provider.record(before + 1).ended, sim_end::client_closed);
  }
  EXPECT_EQ(cached_in_chat(provider, chat_body(1)), 0u);
}

TEST(SimulatorCache, ARequestThatIsCutAfterItsFirstTokenKeepsItsPrompt) {
  running_simulator provider(with_cache());
  client leaving(provider.port());
  json body = chat_body(1, "m;stall_after=1");
  body["stream"] = true;
  leaving.post_to("/v1/chat/completions", body.dump(), key_a);
  leaving.read_until(R"("delta":{"content":")");
  leaving.close();
  provider.record(1);
  EXPECT_GT(cached_in_chat(provider, chat_body(1)), 0u);
}

TEST(SimulatorCache, RefusedRequestsKeepNothing) {
  running_simulator provider(with_cache());
  client asking(provider.port());
  asking.post(chat_body(1, "m;status=500").dump(), key_a);
  EXPECT_EQ(asking.read().status, 500);
  EXPECT_EQ(cached_in_chat(provider, chat_body(1)), 0u);
}

// Returns the JSON of all events in a stream of any API.
std::vector<json> events_of(const std::string& body) {
  std::vector<json> all;
  for (std::size_t at = body.find("data: {"); at != std::string::npos; at = body.find("data: {", at + 1)) {
    const std::string line = body.substr(at + 6, body.find_first_of("\r\n", at) - at - 6);
    all.push_back(json::parse(line));
  }
  return all;
}

// Returns the number of cached tokens for each event. The number is -1 if the event reports none.
std::vector<int> reported(const std::string& path, json body, const std::string& settings, const std::vector<std::string>& places) {
  running_simulator provider(with_cache());
  post(provider, path, body, key_a);
  body["model"] = "m;" + settings;
  std::vector<int> all;
  for (const json& event : events_of(post(provider, path, body, key_a).body)) {
    all.push_back(-1);
    for (const std::string& place : places)
      if (const json::json_pointer at(place); event.contains(at)) all.back() = event.at(at).get<int>();
  }
  return all;
}

TEST(SimulatorCache, ChatReportsReadsEarlyLateOrNever) {
  json body = chat_body(2);
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  const auto cached = [&](const std::string& settings) {
    return reported("/v1/chat/completions", body, settings, {"/usage/prompt_tokens_details/cached_tokens"});
  };
  const std::vector<int> usual = cached("cache_reported=usual"), early = cached("cache_reported=early");
  EXPECT_EQ(usual.front(), -1);
  EXPECT_GT(usual.back(), 100);
  EXPECT_EQ(early.front(), usual.back());
  EXPECT_EQ(early.back(), usual.back());
  EXPECT_EQ(cached("cache_reported=late"), usual);
  const std::vector<int> never = cached("cache_reported=never");
  EXPECT_EQ(*std::max_element(never.begin(), never.end()), -1);
}

TEST(SimulatorCache, MessagesReportReadsEarlyLateOrNever) {
  json body = messages_api(2);
  body["stream"] = true;
  const auto cached = [&](const std::string& settings) {
    std::vector<int> all = reported("/v1/messages", body, settings,
                                    {"/message/usage/cache_read_input_tokens", "/usage/cache_read_input_tokens"});
    std::erase(all, -1);
    return all;  // the first value is from message_start, and the second from message_delta
  };
  const std::vector<int> usual = cached("cache_reported=usual");
  ASSERT_EQ(usual.size(), 2u);
  EXPECT_GT(usual[0], 100);
  EXPECT_EQ(usual[1], usual[0]);
  EXPECT_EQ(cached("cache_reported=early"), usual);
  EXPECT_EQ(cached("cache_reported=late"), (std::vector<int>{0, usual[0]}));
  EXPECT_EQ(cached("cache_reported=never"), (std::vector<int>{0, 0}));
}

TEST(SimulatorCache, GeminiReportsReadsWithEachChunkOrTheLast) {
  const auto cached = [](const std::string& settings) {
    running_simulator provider(with_cache());
    const std::string path = "/v1beta/models/m%3B" + settings + ":streamGenerateContent?alt=sse";
    post(provider, path, gemini_api(2), key_a);
    std::vector<int> all;
    for (const json& event : events_of(post(provider, path, gemini_api(2), key_a).body))
      all.push_back(event.at("usageMetadata").value("cachedContentTokenCount", -1));
    return all;
  };
  const std::vector<int> usual = cached("cache_reported=usual"), late = cached("cache_reported=late");
  EXPECT_GT(usual.front(), 100);
  EXPECT_EQ(std::count(usual.begin(), usual.end(), usual.front()), static_cast<std::ptrdiff_t>(usual.size()));
  EXPECT_EQ(late.front(), -1);
  EXPECT_EQ(late.back(), usual.back());
}

// Returns a conversation for Claude, whose last message has the given cache mark.
json marked_body(int turn, const json& mark) {
  json body = messages_api(turn);
  json& last = body["messages"].back();
  last["content"] = json::array({{{"type", "text"}, {"text", last.at("content")}, {"cache_control", mark}}});
  return body;
}

TEST(SimulatorCache, MarkedPromptsReportReadsAndWrites) {
  sim_options options = with_cache();
  options.behaviour.cache.needs_marks = true;
  running_simulator provider(options);
  const auto usage = [&](const json& body) {
    return json::parse(post(provider, "/v1/messages", body, "x-api-key: a\r\n").body).at("usage");
  };
  const json usual = {{"type", "ephemeral"}}, hour = {{"type", "ephemeral"}, {"ttl", "1h"}};
  EXPECT_EQ(usage(messages_api(2)).at("cache_creation_input_tokens"), 0);
  const json first = usage(marked_body(2, usual)), second = usage(marked_body(3, hour));
  EXPECT_EQ(first.at("cache_read_input_tokens"), 0);
  EXPECT_GT(first.at("cache_creation_input_tokens"), 200);
  EXPECT_EQ(first.at("cache_creation").at("ephemeral_5m_input_tokens"), first.at("cache_creation_input_tokens"));
  EXPECT_EQ(second.at("cache_read_input_tokens"), first.at("cache_creation_input_tokens"));
  EXPECT_EQ(second.at("cache_creation").at("ephemeral_1h_input_tokens"), second.at("cache_creation_input_tokens"));
  EXPECT_GT(second.at("cache_creation_input_tokens"), 100);
  const int all = second.at("input_tokens").get<int>() + second.at("cache_read_input_tokens").get<int>() +
                  second.at("cache_creation_input_tokens").get<int>();
  EXPECT_EQ(static_cast<std::uint64_t>(all), provider.record(3).prompt_tokens);
}

TEST(SimulatorCache, WritesAreReportedWithoutMarksIfAskedFor) {
  running_simulator provider(with_cache());
  const json body = chat_body(2, "m;cache_writes");
  const auto details = [&] {
    return json::parse(post(provider, "/v1/chat/completions", body, key_a).body).at("usage").at("prompt_tokens_details");
  };
  EXPECT_GT(details().at("cache_write_tokens"), 200);
  EXPECT_FALSE(details().contains("cache_write_tokens"));
}

}  // namespace
}  // namespace photofinish::gateway::simulator
