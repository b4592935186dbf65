// Tests the hint with which a request names its conversation for a provider's prompt cache. The hint is a member whose name depends on the
// provider and the API. The gateway does not replace a hint that the client has set.
#include "proxy/dialects/hints/cache_hint.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/providers/presets.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;
using fields = std::vector<std::pair<std::string, std::string>>;

constexpr auto chat = wire_format::openai_chat;
constexpr auto responses = wire_format::openai_responses;
constexpr auto messages = wire_format::anthropic_messages;

json long_body(wire_format format) {
  const std::string text(20'000, 'x');
  if (format == responses) return {{"model", "m"}, {"instructions", text}, {"input", "Why?"}};
  if (format == messages)
    return {{"model", "m"}, {"max_tokens", 9}, {"system", text}, {"messages", {{{"role", "user"}, {"content", "Why?"}}}}};
  return {{"model", "m"},
          {"messages", {{{"role", "system"}, {"content", text}}, {{"role", "user"}, {"content", "Why?"}}}}};
}

provider target_of(const std::string& preset) { return presets().at(preset).defaults; }

// A request in the form in which the provider receives it.
struct hinted {
  json body;
  request_head head;
  bool has_clients = false;  // true if the client sent this prompt_cache_key as its own hint

  std::string field(std::string_view name) const {
    for (const auto& [each, value] : head.fields)
      if (each == name) return value;
    return {};
  }
  std::string member(const char* name) const { return body.value(name, std::string()); }
};

struct question {
  json client;             // the request's body as the client sent it
  wire_format client_format;
  json body;               // the request's body in the provider's format
  wire_format format;
  fields forwarded = {};
  std::string account = "key";
};

hinted send(const provider& target, const std::string& model, const question& asked) {
  const auto body = std::make_shared<const client_body>(asked.body.dump());
  const client_body client(asked.client.dump());
  const secret key("k");
  const attempt_request wanted{.body = body, .format = asked.format, .target = target, .model = model, .key = key,
                               .forwarded = asked.forwarded, .is_translated = asked.format != asked.client_format};
  prepared_request prepared = find_dialect(target.dialect)->prepare(wanted);
  conversation_print print;
  hinted sent;
  sent.has_clients = add_cache_hint(wanted, {print, client, asked.client_format, asked.account}, prepared);
  std::string text;
  for (const std::string_view piece : prepared.body.pieces()) text += piece;
  sent.body = json::parse(text);
  sent.head = prepared.head;
  return sent;
}

hinted send(const provider& target, const std::string& model, wire_format format, const json& more = json::object()) {
  json body = long_body(format);
  body.update(more);
  return send(target, model, {body, format, body, format});
}

std::string expected_hint(wire_format format, const std::string& account = "key") {
  return hint_text(*print_conversation(client_body(long_body(format).dump()), format), account);
}

TEST(CacheHint, GoesIntoTheFieldOfTheProviderAndTheApi) {
  struct row {
    const char* preset;
    const char* model;
    wire_format format;
    const char* field;  // name of the hint's member; null if the provider has none
  };
  for (const row& each : {row{"openai", "gpt-6-sol", chat, "prompt_cache_key"},
                          row{"openai", "gpt-6-sol", responses, "prompt_cache_key"},
                          row{"azure", "gpt-6-sol", chat, "prompt_cache_key"},
                          row{"azure", "gpt-6-sol", responses, "prompt_cache_key"},
                          row{"azure", "my-GPT-4o", chat, "prompt_cache_key"},
                          row{"azure", "FW-GLM-5.3", chat, nullptr},
                          row{"azure", "Kimi-K2.7-Code", chat, nullptr},
                          row{"azure", "gpt-oss-120b", chat, nullptr},
                          row{"xai", "grok-4.7", chat, "x-grok-conv-id"},
                          row{"xai", "grok-4.7", responses, "prompt_cache_key"},
                          row{"mistral", "mistral-large-latest", chat, "prompt_cache_key"},
                          row{"moonshot", "kimi-k3", chat, "prompt_cache_key"},
                          row{"openrouter", "z-ai/glm-5.2", chat, "session_id"},
                          row{"fireworks", "accounts/fireworks/models/glm-5p3", chat, "x-session-affinity"},
                          row{"fireworks", "accounts/fireworks/models/glm-5p3", responses, "x-session-affinity"},
                          row{"deepinfra", "zai-org/GLM-5.3", chat, "x-session-affinity"},
                          row{"baseten", "zai-org/GLM-5.3", chat, "x-session-affinity"},
                          row{"anthropic", "claude-sonnet-5-5", messages, nullptr},
                          row{"groq", "openai/gpt-oss-120b", chat, nullptr},
                          row{"nvidia", "z-ai/glm-5.3", chat, nullptr},
                          row{"deepseek", "deepseek-flash", chat, nullptr},
                          row{"vllm", "m", chat, nullptr}}) {
    const hinted sent = send(target_of(each.preset), each.model, each.format);
    for (const char* field : {"prompt_cache_key", "session_id"})
      EXPECT_EQ(sent.member(field), each.field != nullptr && each.field == std::string(field) ? expected_hint(each.format) : "")
          << each.preset << " " << each.model << " " << field;
    for (const char* field : {"x-grok-conv-id", "x-session-affinity"})
      EXPECT_EQ(sent.field(field), each.field != nullptr && each.field == std::string(field) ? expected_hint(each.format) : "")
          << each.preset << " " << each.model << " " << field;
  }
}

TEST(CacheHint, IsOneOfTheConversationAndTheCredential) {
  const std::string one = expected_hint(chat, "sk-1");
  EXPECT_EQ(one.size(), 32u);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(one, expected_hint(chat, "sk-1"));
  EXPECT_NE(one, expected_hint(chat, "sk-2"));
  EXPECT_NE(one, expected_hint(responses, "sk-1")) << "a conversation of another API is another one";
}

TEST(CacheHint, AClientsOwnIsKept) {
  const hinted chats = send(target_of("openai"), "gpt-6-sol", chat, {{"prompt_cache_key", "mine"}});
  EXPECT_EQ(chats.member("prompt_cache_key"), "mine");
  EXPECT_EQ(send(target_of("openrouter"), "m", chat, {{"session_id", "mine"}}).member("session_id"), "mine");
  EXPECT_TRUE(send(target_of("openai"), "gpt-6-sol", chat, {{"prompt_cache_key", nullptr}}).body.at("prompt_cache_key").is_null());
  const json body = long_body(chat);
  const hinted forwarded = send(target_of("xai"), "grok-4.7", {body, chat, body, chat, {{"x-grok-conv-id", "mine"}}});
  EXPECT_EQ(forwarded.field("x-grok-conv-id"), "mine");
  provider configured = target_of("fireworks");
  configured.headers.emplace_back("X-Session-Affinity", "theirs");
  EXPECT_EQ(send(configured, "m", chat).field("X-Session-Affinity"), "theirs");
  EXPECT_EQ(send(configured, "m", chat).field("x-session-affinity"), "");
}

TEST(CacheHint, AClientsOwnReachesAProviderWithAnotherField) {
  const json key{{"prompt_cache_key", "thread-1"}};
  EXPECT_EQ(send(target_of("openrouter"), "m", chat, key).member("session_id"), "thread-1");
  EXPECT_EQ(send(target_of("fireworks"), "m", chat, key).field("x-session-affinity"), "thread-1");
  EXPECT_EQ(send(target_of("xai"), "grok-4.7", chat, key).field("x-grok-conv-id"), "thread-1");
  json asked = long_body(responses);
  asked.update(key);
  const hinted translated = send(target_of("mistral"), "mistral-large-latest", {asked, responses, long_body(chat), chat});
  EXPECT_EQ(translated.member("prompt_cache_key"), "thread-1");
  EXPECT_TRUE(translated.has_clients);
  // The gateway cannot send this cache key in a header. It must then send no header at all, because a header with the gateway's own key
  // would replace the client's choice.
  EXPECT_EQ(send(target_of("fireworks"), "m", chat, {{"prompt_cache_key", "a b"}}).field("x-session-affinity"), "");
}

TEST(CacheHint, OfAClientOfAnotherApiIsTheHintOfItsOwnBody) {
  const hinted sent = send(target_of("openai"), "gpt-6-sol", {long_body(messages), messages, long_body(chat), chat});
  EXPECT_EQ(sent.member("prompt_cache_key"), expected_hint(messages));
  EXPECT_FALSE(sent.has_clients);
}

TEST(CacheHint, IsNotSentWithAShortPromptOrWithoutTheBeginning) {
  const json hi{{"model", "m"}, {"messages", {{{"role", "user"}, {"content", "Hi"}}}}};
  EXPECT_EQ(send(target_of("openai"), "gpt-6-sol", {hi, chat, hi, chat}).member("prompt_cache_key"), "");
  const hinted later = send(target_of("openai"), "gpt-6-sol", responses, {{"previous_response_id", "resp_1"}});
  EXPECT_EQ(later.member("prompt_cache_key"), "");
}

TEST(CacheHint, IsNotSentInAMemberThatRulesRefuse) {
  const auto has_hint = [](void (*change)(behaviour&)) {
    provider target = target_of("openai");
    change(target.behaves);
    return send(target, "gpt-6-sol", chat).body.contains("prompt_cache_key");
  };
  EXPECT_TRUE(has_hint([](behaviour&) {}));
  EXPECT_FALSE(has_hint([](behaviour& of) { of.drop_params = {"prompt_cache_key"}; }));
  EXPECT_FALSE(has_hint([](behaviour& of) { of.reject_params = {"prompt_cache_key"}; }));
  EXPECT_FALSE(has_hint([](behaviour& of) { of.accept_params = {"temperature"}; }));
  EXPECT_FALSE(has_hint([](behaviour& of) { of.prompt_cache.hint = {}; }));
}

TEST(CacheHint, AHeaderGoesToProvidersOfEveryApi) {
  provider target = target_of("anthropic");
  target.behaves.prompt_cache.hint = {"x-session-id", "x-session-id"};
  EXPECT_EQ(send(target, "claude-sonnet-5-5", messages).field("x-session-id"), expected_hint(messages));
  target.behaves.prompt_cache.hint = {"prompt_cache_key", "prompt_cache_key"};
  EXPECT_FALSE(send(target, "claude-sonnet-5-5", messages).body.contains("prompt_cache_key"));
}

}  // namespace
}  // namespace photofinish::proxy
