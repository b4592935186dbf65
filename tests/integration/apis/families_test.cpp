// Tests a conversation of ten turns with tool calls. Each turn is a race between providers with four kinds of API: OpenAI's chat,
// Anthropic's Messages, Google's Gemini, and Amazon Bedrock's Converse and Claude. A different API wins each turn. No provider refuses the
// parts of the conversation that other providers wrote.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/strict_anthropic.hpp"
#include "tests/support/gateway/strict_bedrock.hpp"
#include "tests/support/gateway/strict_gemini.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish {
namespace {

using testing::http_response;
using testing::provider_call;
using testing::scripted_provider;
using testing::strict_bedrock;
using json = nlohmann::json;

constexpr const char* credentials = "AKIAEXAMPLE:wJalrXUtnFEMI/K7MDENG";

class families_test : public testing::gateway_fixture {
 protected:
  // The targets, in the order in which they win the turns.
  static constexpr std::array<const char*, 5> targets{"chat/m", "claude/claude-sonnet-4-5", "google/gemini-3-pro",
                                                      "bedrock/us.amazon.nova-lite-v1:0",
                                                      "aws-claude/us.anthropic.claude-sonnet-4-5-20250929-v1:0"};

  families_test() {
    add("chat", chat_);
    speak(add("claude", claude_), "anthropic", proxy::auth_style::header, "x-api-key", "sk-ant-0123456789");
    speak(add("google", google_), "gemini", proxy::auth_style::header, "x-goog-api-key", "AIza0123456789").url.path = "/v1beta";
    for (auto* const each : {&add("bedrock", bedrock_), &add("aws-claude", aws_claude_)}) {
      speak(*each, "bedrock", proxy::auth_style::aws, "", credentials).url.path.clear();
      each->key.aws_region = "us-east-1";
    }
    add_route("all", {targets[0], targets[1], targets[2], targets[3], targets[4]});
    settings.routes.at("all").race.max_parallel = targets.size();
  }

  static proxy::provider& speak(proxy::provider& target, const char* dialect, proxy::auth_style auth, const char* header, const char* key) {
    target.dialect = dialect;
    target.key.auth = auth;
    target.key.header = header;
    target.key.value = proxy::secret(key);
    return target;
  }

  // A script for racing targets. All targets get the request, but only the winner of the turn answers.
  scripted_provider::script in_its_turn(std::size_t mine, void (families_test::*play)(provider_call&)) {
    return [this, mine, play](provider_call& call) {
      if (turn_ % targets.size() != mine) return judge(mine, call), call.hang();
      (this->*play)(call);
    };
  }

  // Copies only those members of a message that OpenAI's API defines, as many clients do.
  void judge(std::size_t which, provider_call& call) {
    const json body = json::parse(call.request().body);
    const std::lock_guard guard(guard_);
    std::string fault;
    if (which == 1) fault = messages_.fault_of(body);
    if (which == 2) fault = gemini_.complaint_about(body);
    if (which >= 3) fault = fault_at_bedrock(call);
    if (!fault.empty()) faults_.push_back(std::string(targets[which]) + ": " + fault);
  }

  std::string fault_at_bedrock(provider_call& call) {
    const std::string path = strict_bedrock::path_of(call.request()), model = strict_bedrock::model_in(path);
    const json body = json::parse(call.request().body);
    if (std::string wrong = converse_.fault_of_signature(call.request()); !wrong.empty()) return wrong;
    return path.find("/invoke") == std::string::npos ? converse_.fault_of(body, model) : converse_.fault_of_claude(body, model, messages_);
  }

  void answer_in_chat(provider_call& call) {
    const std::string head = R"({"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":)";
    const std::string none = R"(,"finish_reason":null}]})";
    call.stream_head();
    call.event(head + R"({"role":"assistant","content":"","reasoning_content":"well"})" + none);
    call.event(head + R"({"tool_calls":[{"index":0,"id":"call|)" + std::to_string(++calls_) +
               R"(","type":"function","function":{"name":"f","arguments":"{\"by\":\"chat\"}"}}]})" + none);
    call.event(head + R"({},"finish_reason":"tool_calls"}]})");
    call.end();
  }

  json blocks_of_claude(const char* prefix) {
    const std::string signature = messages_.issue();
    return {{{"type", "thinking"}, {"thinking", "hm"}, {"signature", signature}},
            {{"type", "text"}, {"text", "Looking"}},
            {{"type", "tool_use"}, {"id", prefix + std::to_string(++calls_)}, {"name", "f"}, {"input", {{"by", "claude"}}}}};
  }

  void answer_in_messages(provider_call& call) {
    judge(1, call);
    const std::lock_guard guard(guard_);
    testing::stream_message(call, blocks_of_claude("toolu_"), "tool_use");
  }

  void answer_by_aws_claude(provider_call& call) {
    judge(4, call);
    const std::lock_guard guard(guard_);
    strict_bedrock::stream_claude(call, blocks_of_claude("toolu_bdrk_"), "tool_use");
  }

  void answer_in_gemini(provider_call& call) {
    const std::lock_guard guard(guard_);
    gemini_.answer(call);
  }

  void answer_in_converse(provider_call& call) {
    judge(3, call);
    const std::lock_guard guard(guard_);
    converse_.stream_converse(call, "nova");
  }

  json asked(std::string_view path, const json& request) {
    if (!gateway) start();
    testing::test_client client = connect();
    client.post(request.dump(), "", path);
    const http_response got = client.read();
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(got.field_or("x-race-winner", ""), targets[turn_ % targets.size()]);
    return got.status == 200 ? json::parse(got.body) : json();
  }

  std::atomic<std::size_t> turn_{0};
  std::mutex guard_;
  int calls_ = 0;
  std::vector<std::string> faults_;
  testing::strict_anthropic messages_;
  testing::strict_gemini gemini_;
  strict_bedrock converse_{credentials};
  scripted_provider chat_{in_its_turn(0, &families_test::answer_in_chat)};
  scripted_provider claude_{in_its_turn(1, &families_test::answer_in_messages)};
  scripted_provider google_{in_its_turn(2, &families_test::answer_in_gemini)};
  scripted_provider bedrock_{in_its_turn(3, &families_test::answer_in_converse)};
  scripted_provider aws_claude_{in_its_turn(4, &families_test::answer_by_aws_claude)};
};

const json parameters = {{"type", "object"}, {"properties", {{"by", {{"type", "string"}}}}}};

TEST_F(families_test, AChatClientsConversationGoesOnWhicheverFamilyWins) {
  const json tools = {{{"type", "function"}, {"function", {{"name", "f"}, {"parameters", parameters}}}},
                      {{"type", "function"}, {"function", {{"name", "g"}, {"parameters", parameters}}}}};
  json said = json::array({{{"role", "user"}, {"content", "hi"}}});
  for (turn_ = 0; turn_ < 10; ++turn_) {
    SCOPED_TRACE(turn_);
    const json answer = asked("/v1/chat/completions", {{"model", "all"}, {"messages", said}, {"tools", tools}});
    ASSERT_FALSE(answer.is_null());
    const json message = answer.at("choices")[0].at("message");
    said.push_back(message);
    for (const json& each : message.value("tool_calls", json::array()))
      said.push_back({{"role", "tool"},
                      {"tool_call_id", each.at("id")},
                      {"content", "result of " + each.at("function").at("name").get<std::string>()}});
    said.push_back({{"role", "user"}, {"content", "and?"}});
  }
  EXPECT_EQ(faults_, std::vector<std::string>());
}

TEST_F(families_test, AMessagesClientsConversationGoesOnWhicheverFamilyWins) {
  const json tools = {{{"name", "f"}, {"input_schema", parameters}}, {{"name", "g"}, {"input_schema", parameters}}};
  json turns = json::array({{{"role", "user"}, {"content", "hi"}}});
  for (turn_ = 0; turn_ < 10; ++turn_) {
    SCOPED_TRACE(turn_);
    const json answer = asked("/v1/messages", {{"model", "all"}, {"max_tokens", 9000}, {"messages", turns}, {"tools", tools}});
    ASSERT_FALSE(answer.is_null());
    turns.push_back({{"role", "assistant"}, {"content", answer.at("content")}});
    json results = json::array();
    for (const json& block : answer.at("content"))
      if (block.at("type") == "tool_use")
        results.push_back({{"type", "tool_result"}, {"tool_use_id", block.at("id")}, {"content", "done"}});
    results.push_back({{"type", "text"}, {"text", "and?"}});
    turns.push_back({{"role", "user"}, {"content", results}});
  }
  EXPECT_EQ(faults_, std::vector<std::string>());
}

TEST_F(families_test, AResponsesClientsConversationGoesOnWhicheverFamilyWins) {
  const json tools = {{{"type", "function"}, {"name", "f"}, {"parameters", parameters}},
                      {{"type", "function"}, {"name", "g"}, {"parameters", parameters}}};
  json items = json::array({{{"role", "user"}, {"content", "hi"}}});
  for (turn_ = 0; turn_ < 10; ++turn_) {
    SCOPED_TRACE(turn_);
    const json answer =
        asked("/v1/responses", {{"model", "all"}, {"input", items}, {"tools", tools}, {"include", {"reasoning.encrypted_content"}}});
    ASSERT_FALSE(answer.is_null());
    for (const json& item : answer.at("output")) items.push_back(item);
    for (const json& item : answer.at("output"))
      if (item.at("type") == "function_call")
        items.push_back({{"type", "function_call_output"}, {"call_id", item.at("call_id")}, {"output", "done"}});
    items.push_back({{"role", "user"}, {"content", "and?"}});
  }
  EXPECT_EQ(faults_, std::vector<std::string>());
}

}  // namespace
}  // namespace photofinish
