// Tests providers that repeat an event without content before their first token, for each dialect. The setting max_buffered limits the
// memory for these events, and the memory counts against max_memory. Each provider stops after some megabytes: if the gateway keeps all
// events, the test fails instead of hanging.
#include "tests/integration/apis/conversation_fixture.hpp"
#include "tests/support/streams/frames.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {
namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t max_buffered = 256 * kibibyte;
constexpr std::size_t most_sent = 32 * kibibyte * kibibyte;  // more bytes than the kernel's buffers on both sides can hold

enum class client { chat, responses, messages, completions };

struct repeated {
  const char* name;
  client asks;
  const char* dialect;
  const char* model;
  std::string first;  // sent once
  std::string event;  // repeated
};
void PrintTo(const repeated& one, std::ostream* out) { *out << one.name; }

std::string data(std::string_view json) { return "data: " + std::string(json) + "\n\n"; }
std::string named(std::string_view name, std::string_view json) { return "event: " + std::string(name) + "\n" + data(json); }
std::string frame(std::string_view type, std::string_view json) { return test::event_frame_of(type, json); }

std::string of_claude(std::string_view type, std::string_view more = "") {
  return named(type, R"({"type":")" + std::string(type) + '"' + std::string(more) + "}");
}
// Returns an event of Anthropic's Messages in the format of Bedrock's InvokeModel, which contains the event's JSON as base64.
std::string of_invoke(std::string_view base64) { return frame("chunk", R"({"bytes":")" + std::string(base64) + R"("})"); }

const char* const nova = "us.amazon.nova-lite-v1:0";
const char* const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

std::vector<repeated> all_repeated() {
  const std::string start = of_claude("message_start", R"(,"message":{"id":"m","type":"message","role":"assistant","model":"m",)"
                                                       R"("content":[],"usage":{"input_tokens":1,"output_tokens":1}})");
  return {
      {"ChatRole", client::chat, "openai", "m", "", data(R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})")},
      {"ChatEmptyChoices", client::chat, "openai", "m", "", data(R"({"choices":[]})")},
      {"ChatEmptyDelta", client::chat, "openai", "m", "", data(R"({"choices":[{"index":0,"delta":{}}]})")},
      {"ChatUsage", client::chat, "openai", "m", "", data(R"({"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":0}})")},
      {"ChatForMessages", client::messages, "openai", "m", "", data(R"({"choices":[{"index":0,"delta":{}}]})")},
      {"ChatForResponses", client::responses, "openai", "m", "", data(R"({"choices":[{"index":0,"delta":{}}]})")},
      {"CompletionsEmptyText", client::completions, "openai", "m", "", data(R"({"choices":[{"index":0,"text":""}]})")},
      {"ResponsesCreated", client::responses, "responses", "m", "",
       named("response.created", R"({"type":"response.created","response":{"id":"r","object":"response","output":[]}})")},
      {"ResponsesInProgress", client::responses, "responses", "m", "",
       named("response.in_progress", R"({"type":"response.in_progress","response":{"id":"r","object":"response","output":[]}})")},
      {"ResponsesUnknown", client::responses, "responses", "m", "", named("response.thing", R"({"type":"response.thing"})")},
      {"ResponsesItems", client::responses, "responses", "m", "",
       named("response.output_item.added",
             R"({"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"i","content":[]}})")},
      {"ResponsesForChat", client::chat, "responses-only", "m", "",
       named("response.in_progress", R"({"type":"response.in_progress","response":{"id":"r","object":"response","output":[]}})")},
      {"ResponsesEmptyDelta", client::chat, "responses-only", "m", "",
       named("response.output_text.delta", R"({"type":"response.output_text.delta","output_index":0,"delta":""})")},
      {"MessagesPing", client::messages, "anthropic", "m", start, of_claude("ping")},
      {"MessagesPingForChat", client::chat, "anthropic", "m", start, of_claude("ping")},
      {"MessagesUnknown", client::chat, "anthropic", "m", start, of_claude("thing")},
      {"MessagesEmptyDelta", client::chat, "anthropic", "m",
       start + of_claude("content_block_start", R"(,"index":0,"content_block":{"type":"text","text":""})"),
       of_claude("content_block_delta", R"(,"index":0,"delta":{"type":"text_delta","text":""})")},
      {"MessagesUsage", client::messages, "anthropic", "m", start, of_claude("message_delta", R"(,"delta":{},"usage":{"output_tokens":0})")},
      {"GeminiNoParts", client::chat, "gemini", "gemini-3-pro", "", data(R"({"candidates":[{"content":{"parts":[]}}]})")},
      {"GeminiEmptyText", client::chat, "gemini", "gemini-3-pro", "", data(R"({"candidates":[{"content":{"parts":[{"text":""}]}}]})")},
      {"GeminiUsage", client::chat, "gemini", "gemini-3-pro", "", data(R"({"usageMetadata":{"promptTokenCount":1}})")},
      {"ConverseUnknown", client::chat, "bedrock", nova, "", frame("thing", "{}")},
      {"ConverseStart", client::chat, "bedrock", nova, "", frame("messageStart", R"({"role":"assistant"})")},
      {"ConverseEmptyText", client::chat, "bedrock", nova, frame("messageStart", R"({"role":"assistant"})"),
       frame("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"text":""}})")},
      {"ConverseMetadata", client::chat, "bedrock", nova, "", frame("metadata", R"({"usage":{"inputTokens":1,"outputTokens":0}})")},
      {"ConverseBlockStop", client::messages, "bedrock", nova, "", frame("contentBlockStop", R"({"contentBlockIndex":0})")},
      {"InvokePing", client::chat, "bedrock", claude, "", of_invoke("eyJ0eXBlIjoicGluZyJ9")},
      {"InvokeUnknown", client::messages, "bedrock", claude, "", of_invoke("eyJ0eXBlIjoidGhpbmcifQ==")},
  };
}

class repeated_events : public conversation_fixture, public ::testing::WithParamInterface<repeated> {
 protected:
  repeated_events() {
    const repeated& now = GetParam();
    proxy::provider& target = target_of(now.dialect);
    target.limits.max_buffered_bytes = max_buffered;
    settings.limits.max_memory = 64 * kibibyte * kibibyte;
    add_route("r", {std::string("p/") + now.model}, racing::race_policy::fallback);
  }

  proxy::provider& target_of(std::string_view dialect) {
    if (dialect == "anthropic") return add_messages("p", provider_);
    if (dialect == "gemini") return add_gemini("p", provider_);
    if (dialect == "responses") return add_responses("p", provider_);
    proxy::provider& target = add("p", provider_);
    if (dialect == "responses-only") target.apis = {served_api::responses};
    if (dialect == "openai") target.apis = {served_api::chat, served_api::completions};
    if (dialect != "bedrock") return target;
    target.dialect = "bedrock";
    target.key.auth = proxy::auth_style::bearer;
    target.key.aws_region = "us-east-1";
    target.key.value = proxy::secret("ABSKexample0123456789");
    target.url.path.clear();
    return target;
  }

  // Sends at most `most_sent` bytes, and then ends the body properly.
  static void repeat(provider_call& call) {
    const repeated& now = GetParam();
    const bool are_frames = std::string_view(now.dialect) == "bedrock";
    call.send(std::string("HTTP/1.1 200 OK\r\ncontent-type: ") +
              (are_frames ? "application/vnd.amazon.eventstream" : "text/event-stream") + "\r\ntransfer-encoding: chunked\r\n\r\n");
    if (!now.first.empty()) call.chunk(now.first);
    std::string batch;
    while (batch.size() < 16 * kibibyte) batch += now.event;
    for (std::size_t sent = 0; sent < most_sent; sent += batch.size())
      if (!call.chunk(batch)) return;
    call.send("0\r\n\r\n");
  }

  http_response ask() {
    switch (GetParam().asks) {
      case client::chat: return chat({{"model", "r"}, {"stream", true}});
      case client::responses: return respond({{"model", "r"}, {"stream", true}});
      case client::messages: return message({{"model", "r"}, {"stream", true}});
      case client::completions: return call("/v1/completions", {{"model", "r"}, {"stream", true}, {"prompt", "hi"}});
    }
    return {};
  }

  scripted_provider provider_{[](provider_call& call) { repeat(call); }};
};

TEST_P(repeated_events, AreCountedByTheMemoryThatTheyTake) {
  const http_response got = ask();
  EXPECT_EQ(got.status, 502) << got.body.substr(0, 500);
  EXPECT_NE(got.body.find("max_buffered"), std::string::npos) << got.body.substr(0, 500);
  EXPECT_LT(provider_.bytes_sent(), most_sent);
  expect_metric(0, "photofinish_memory_used_bytes");
}

INSTANTIATE_TEST_SUITE_P(EveryDialect, repeated_events, ::testing::ValuesIn(all_repeated()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace photofinish::testing
