// Tests how the benchmark writes requests and reads answers: endpoints, request texts, answers, and explanations of failures.
#include "gateway/bench/load/answer_reader.hpp"
#include "gateway/bench/load/endpoint.hpp"
#include "gateway/bench/load/probe.hpp"
#include "gateway/bench/load/request_text.hpp"
#include "proxy/providers/url.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

endpoint found(const std::string& url, const std::string& key = "", const environment& machine = tests::table_environment{}.machine()) {
  auto result = find_endpoint(url, key, machine);
  if (const auto* problem = std::get_if<std::string>(&result)) ADD_FAILURE() << *problem;
  return std::get<endpoint>(std::move(result));
}

TEST(BenchEndpoint, AllWaysToWriteAUrlAreOne) {
  for (const char* url : {"http://127.0.0.1:7777", "http://127.0.0.1:7777/v1", "http://127.0.0.1:7777/v1/",
                          "http://127.0.0.1:7777/v1/chat/completions", "127.0.0.1:7777"})
    EXPECT_EQ(proxy::to_string(found(url).provider.url), "http://127.0.0.1:7777/v1") << url;
  EXPECT_TRUE(found("llm.example.com").provider.url.is_tls);
}

TEST(BenchEndpoint, AKnownProviderBringsItsKeysVariableAndItsWays) {
  const environment machine = tests::table_environment{.variables = {{"OPENAI_API_KEY", "sk-own"}}}.machine();
  const endpoint openai = found("https://api.openai.com/v1", "", machine);
  EXPECT_EQ(openai.key.reveal(), "sk-own");
  EXPECT_EQ(openai.key_origin, "OPENAI_API_KEY");
  EXPECT_EQ(openai.provider.behaves.rename_params.at("max_tokens"), "max_completion_tokens");
}

TEST(BenchEndpoint, NoStrangerIsSentAKeyThatWasNotMeantForIt) {
  const environment machine = tests::table_environment{.variables = {{"OPENAI_API_KEY", "sk-own"}, {"GROQ_API_KEY", "gsk"}}}.machine();
  EXPECT_TRUE(found("https://llm.example.com/v1", "", machine).key.empty());
  EXPECT_EQ(found("https://llm.example.com/v1", "given", machine).key.reveal(), "given");
  EXPECT_EQ(found("http://localhost:8000", "", machine).key.reveal(), "sk-own");
}

TEST(BenchEndpoint, ItsSecretsAreTheKeyAndTheHeaders) {
  endpoint to = found("http://127.0.0.1:1", "sk-own");
  to.provider.headers = {{"authorization", "Bearer sk-other"}};
  const std::vector<proxy::secret> expected{proxy::secret("sk-own"), proxy::secret("Bearer sk-other"), proxy::secret("sk-other")};
  EXPECT_EQ(secrets_of(to), expected);
}

TEST(BenchEndpoint, WhatIsNoUrlIsExplained) {
  EXPECT_TRUE(std::holds_alternative<std::string>(find_endpoint("ftp://x", "", tests::table_environment{}.machine())));
  EXPECT_TRUE(std::holds_alternative<std::string>(find_endpoint("", "", tests::table_environment{}.machine())));
}

request_traits traits(answer_mode mode) {
  return {found("http://127.0.0.1:7777", "sk-1"), "m\"x", mode, 64, {{"ignore_eos", "true"}}};
}

TEST(BenchRequest, AStreamAsksForUsage) {
  const request_text text = write_chat(traits(answer_mode::stream), "say \"hi\"");
  const json body = json::parse(text.body);
  EXPECT_EQ(body["model"], "m\"x");
  EXPECT_EQ(body["messages"][0]["content"], "say \"hi\"");
  EXPECT_EQ(body["max_tokens"], 64);
  EXPECT_EQ(body["stream"], true);
  EXPECT_EQ(body["stream_options"]["include_usage"], true);
  EXPECT_EQ(body["ignore_eos"], true);
  EXPECT_EQ(text.head.path, "/v1/chat/completions");
}

TEST(BenchRequest, AWholeAnswerIsAskedForWithoutStreaming) {
  const request_text text = write_chat(traits(answer_mode::whole), "hi");
  const json body = json::parse(text.body);
  EXPECT_EQ(body["stream"], false);
  EXPECT_FALSE(body.contains("stream_options"));
}

TEST(BenchRequest, TheListOfModelsIsAskedForWithTheKeyAndNoBody) {
  const request_text text = write_models_query(found("http://127.0.0.1:7777", "sk-1"));
  EXPECT_EQ(text.head.method, "GET");
  EXPECT_EQ(text.head.path, "/v1/models");
  EXPECT_EQ(text.head.host, "127.0.0.1:7777");
  EXPECT_EQ(text.body, "");
  const std::vector<std::pair<std::string, std::string>> fields{
      {"accept", "application/json"}, {"accept-encoding", "identity"}, {"authorization", "Bearer sk-1"}};
  ASSERT_EQ(text.head.fields.size(), 4u);  // three expected fields, and user-agent as the fourth
  EXPECT_TRUE(std::equal(fields.begin(), fields.end(), text.head.fields.begin()));
}

const proxy::instant origin{std::chrono::hours(1)};

std::string event(const std::string& json_text) { return "data: " + json_text + "\n\n"; }
std::string delta(const std::string& member) {
  return event(R"({"id":"1","choices":[{"index":0,"delta":{)" + member + "}}]}");
}

class reading {
 public:
  explicit reading(answer_mode mode = answer_mode::stream, token_counter count = {})
      : count_(std::move(count)), reader_(mode, provider_, count_, record) {}

  void feed(std::string text, int ms) {
    text.reserve(text.size() + 64);
    reader_.feed(text, origin + milliseconds(ms));
  }
  void end(int ms) { reader_.end(origin + milliseconds(ms)); }
  bool is_over() const { return reader_.is_over(); }

  request_record record;

 private:
  proxy::provider provider_;
  token_counter count_;
  answer_reader reader_;
};

TEST(BenchAnswer, FirstTokenIsTheFirstTextNotTheRole) {
  reading answer;
  answer.feed(delta(R"("role":"assistant","content":"")"), 10);
  answer.feed(delta(R"("reasoning_content":"hm")"), 20);
  answer.feed(delta(R"("content":"Hel")"), 30);
  answer.feed(delta(R"("content":"lo")"), 40);
  answer.feed(event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"), 50);
  answer.feed(event(R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5}})") + event("[DONE]"), 60);
  EXPECT_TRUE(answer.is_over());
  EXPECT_FALSE(answer.record.error);
  EXPECT_EQ(answer.record.seen.first_token_at, origin + milliseconds(20));
  EXPECT_EQ(answer.record.first_visible_at, origin + milliseconds(30));
  EXPECT_EQ(answer.record.second_chunk_at, origin + milliseconds(30));
  EXPECT_EQ(answer.record.chunks_at.size(), 3u);
  EXPECT_EQ(answer.record.chunk_bytes, (std::vector<std::uint32_t>{2, 3, 2}));
  EXPECT_EQ(answer.record.ended_at, origin + milliseconds(40)) << "the last token, not the usage behind it";
  EXPECT_EQ(answer.record.seen.usage->output_tokens, 5u);
}

TEST(BenchAnswer, AnErrorInTheStreamIsAFailure) {
  reading answer;
  answer.feed(delta(R"("content":"a")"), 10);
  answer.feed(event(R"({"error":{"message":"boom","type":"server_error"}})"), 20);
  ASSERT_TRUE(answer.record.error);
  EXPECT_NE(answer.record.error->detail.find("boom"), std::string::npos);
  EXPECT_EQ(answer.record.ended_at, origin + milliseconds(20));
}

TEST(BenchAnswer, ACutStreamIsAFailure) {
  reading answer;
  answer.feed(delta(R"("content":"a")"), 10);
  answer.end(20);
  ASSERT_TRUE(answer.record.error);
  EXPECT_EQ(answer.record.error->kind, proxy::failure_kind::bad_stream);
}

TEST(BenchAnswer, TheCounterSeesTheWholeTextOnlyWithoutUsage) {
  std::string seen;
  reading answer(answer_mode::stream, [&seen](std::string_view text) { return seen = text, text.size(); });
  answer.feed(delta(R"("content":"a\u00e9")") + delta(R"("content":"b")"), 10);
  answer.feed(event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})") + event("[DONE]"), 20);
  EXPECT_EQ(seen, "aéb");
  EXPECT_EQ(answer.record.counted_tokens, 4u);
}

TEST(BenchAnswer, AWholeAnswerIsReadAtItsEnd) {
  reading answer(answer_mode::whole);
  answer.feed(R"({"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}],)", 10);
  answer.feed(R"("usage":{"prompt_tokens":1,"completion_tokens":2}})", 20);
  answer.end(30);
  EXPECT_FALSE(answer.record.error) << answer.record.error->detail;
  EXPECT_EQ(answer.record.seen.usage->output_tokens, 2u);
  EXPECT_EQ(answer.record.ended_at, origin + milliseconds(30));
}

TEST(BenchAnswer, AWholeErrorWithStatus200IsAFailure) {
  reading answer(answer_mode::whole);
  answer.feed(R"({"error":{"message":"boom"}})", 10);
  answer.end(10);
  EXPECT_TRUE(answer.record.error);
}

proxy::failure failure_of(proxy::failure_kind kind, int status, std::string detail) {
  proxy::failure why;
  why.kind = kind;
  why.status = status;
  why.detail = std::move(detail);
  return why;
}

TEST(BenchProbe, AWrongModelIsToldTheNearest) {
  const auto why = failure_of(proxy::failure_kind::bad_request, 404, "no such model");
  const std::string said = explain(why, found("127.0.0.1:1"), "lama-3", {"gpt-oss", "llama-3", "qwen"});
  EXPECT_NE(said.find("did you mean 'llama-3'? (of 3 models)"), std::string::npos) << said;
}

TEST(BenchProbe, ARefusedKeyIsToldWhereItCameFrom) {
  const auto why = failure_of(proxy::failure_kind::auth, 401, "bad key");
  EXPECT_NE(explain(why, found("127.0.0.1:1", "sk-secret-key"), "m", {}).find("--api-key"), std::string::npos);
  EXPECT_EQ(explain(why, found("127.0.0.1:1", "sk-secret-key"), "m", {}).find("sk-secret"), std::string::npos);
  EXPECT_NE(explain(why, found("https://api.groq.com/openai/v1"), "m", {}).find("set GROQ_API_KEY"), std::string::npos);
}

TEST(BenchProbe, ModelsAreListedByTheirIds) {
  const std::vector<std::string> expected{"a", "b/c"};
  EXPECT_EQ(model_ids(R"({"data":[{"id":"a"},{"no":"id"},{"id":"b/c"}]})"), expected);
  EXPECT_TRUE(model_ids("<html>").empty());
  EXPECT_TRUE(model_ids("").empty());
}

}  // namespace
}  // namespace photofinish::gateway::bench
