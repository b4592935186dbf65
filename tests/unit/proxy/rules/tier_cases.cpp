// Tests which service tier each provider gets if the client or the target sets a service tier.
#include "tests/unit/proxy/rules/wire_case.hpp"

namespace photofinish::proxy::rules {
namespace {

#define ASKED R"({"messages":[{"role":"user","content":"hi"}])"
#define TIER(word) ASKED R"(,"service_tier":")" word R"("})"
#define SPEED(word) ASKED R"(,"max_tokens":9,"speed":")" word R"("})"

constexpr const char* not_sent = R"({"lacks":["/service_tier","/serviceTier","/speed"],"dropped":[]})";
constexpr const char* lost = R"({"lacks":["/service_tier","/serviceTier","/speed"],"dropped":["service_tier"]})";
constexpr const char* flex = R"({"has":{"/service_tier":"flex"},"dropped":[]})";
constexpr const char* priority = R"({"has":{"/service_tier":"priority"},"dropped":[]})";
constexpr const char* converse_priority = R"({"has":{"/serviceTier":{"type":"priority"}},"dropped":[]})";
constexpr const char* fast =
    R"({"has":{"/speed":"fast"},"header":{"anthropic-beta":"fast-mode-2026-02-01"},"dropped":[]})";
constexpr const char* vertex_priority =
    R"({"lacks":["/serviceTier","/service_tier"],"header":{"x-vertex-ai-llm-shared-request-type":"priority"},"dropped":[]})";
constexpr const char* vertex_usual =
    R"({"lacks":["/serviceTier","/service_tier"],"header":{"x-vertex-ai-llm-shared-request-type":""},"dropped":[]})";

}  // namespace

std::vector<wire_case> tier_cases() {
  return {
      // In the following cases, the client requests a service tier that the provider has.
      {"tier_openai", "chat", "openai", "gpt-5.4", TIER("flex"), flex},
      {"tier_openai_fast", "chat", "openai", "gpt-6-luna", TIER("fast"), R"({"has":{"/service_tier":"fast"},"dropped":[]})"},
      {"tier_openai_own_word", "chat", "openai", "gpt-5.4", TIER("scale"), R"({"has":{"/service_tier":"scale"},"dropped":[]})"},
      {"tier_responses", "responses", "openai", "gpt-5.4", R"({"input":"hi","service_tier":"priority"})", priority},
      {"tier_azure", "chat", "azure", "gpt-5.4", TIER("priority"), priority},
      {"tier_openai_speed", "messages", "openai", "gpt-5.4", SPEED("fast"), priority},
      {"tier_openai_usual_speed", "messages", "openai", "gpt-5.4", SPEED("standard"), not_sent},
      {"tier_anthropic_speed", "messages", "anthropic", "claude-opus-5-5", SPEED("fast"), fast},
      {"tier_anthropic_fast", "chat", "anthropic", "claude-opus-5-5", TIER("fast"), fast},
      {"tier_anthropic_own_word", "messages", "anthropic", "claude-opus-5-5", ASKED R"(,"max_tokens":9,"service_tier":"standard_only"})",
       R"({"has":{"/service_tier":"standard_only"},"dropped":[]})"},
      {"tier_gemini", "chat", "gemini", "gemini-3.8-flash", TIER("flex"), R"({"has":{"/serviceTier":"flex"},"dropped":[]})"},
      {"tier_gemini_speed", "messages", "gemini", "gemini-3.8-flash", SPEED("fast"), R"({"has":{"/serviceTier":"priority"},"dropped":[]})"},
      {"tier_vertex_gemini", "chat", "global vertex-gemini", "gemini-3.8-flash", TIER("priority"), vertex_priority},
      {"tier_vertex", "chat", "global vertex", "google/gemini-3.8-flash", TIER("priority"), vertex_priority},
      {"tier_bedrock", "chat", "bedrock", "amazon.nova-pro-v1:0", TIER("priority"), converse_priority},
      {"tier_bedrock_reserved", "chat", "bedrock", "amazon.nova-pro-v1:0", TIER("reserved"), R"({"has":{"/serviceTier":{"type":"reserved"}},"dropped":[]})"},
      {"tier_mantle", "chat", "bedrock-mantle", "openai.gpt-oss-120b", TIER("flex"), flex},
      {"tier_groq", "chat", "groq", "openai/gpt-oss-20b", TIER("flex"), flex},
      {"tier_cerebras", "chat", "cerebras", "gpt-oss-120b", TIER("priority"), priority},
      {"tier_fireworks", "chat", "fireworks", "accounts/fireworks/models/glm-5p3", TIER("priority"), priority},
      {"tier_databricks", "chat", "databricks", "databricks-gpt-5-4", TIER("priority"), priority},
      {"tier_router", "chat", "openrouter", "openai/gpt-oss-20b", TIER("unheard-of"), R"({"has":{"/service_tier":"unheard-of"},"dropped":[]})"},
      {"tier_own_url", "chat", "openai https://llm.example.com/v1", "m", TIER("unheard-of"), R"({"has":{"/service_tier":"unheard-of"},"dropped":[]})"},
      // In the following cases, the client requests a service tier that the provider does not have.
      {"no_tier_anthropic", "chat", "anthropic", "claude-opus-5-5", TIER("priority"), lost},
      {"no_tier_anthropic_model", "chat", "anthropic", "claude-sonnet-5", TIER("fast"), R"({"lacks":["/speed"],"dropped":["speed"]})"},
      {"no_tier_vertex_anthropic", "messages", "vertex-anthropic", "claude-opus-5-5", SPEED("fast"), R"({"lacks":["/speed"],"dropped":["speed"]})"},
      {"no_tier_claude_at_bedrock", "chat", "bedrock", "global.anthropic.claude-opus-5-5", TIER("priority"), lost},
      {"no_tier_gemini", "chat", "gemini", "gemini-3.8-flash", TIER("ultrafast"), lost},
      {"no_tier_vertex", "chat", "global vertex-gemini", "gemini-3.8-flash", TIER("scale-up"), lost},
      {"no_tier_vertex_in_a_region", "chat", "vertex", "google/gemini-3.8-flash", TIER("priority"), lost},
      {"no_tier_bedrock", "chat", "bedrock", "amazon.nova-pro-v1:0", TIER("ultrafast"), lost},
      {"no_tier_groq", "chat", "groq", "openai/gpt-oss-20b", TIER("priority"), lost},
      {"no_tier_fireworks", "chat", "fireworks", "accounts/fireworks/models/glm-5p3", TIER("flex"), lost},
      {"no_tier_xai", "chat", "xai", "grok-4.7", TIER("priority"), lost},
      {"no_tier_vllm", "chat", "vllm", "m", TIER("flex"), lost},
      // In the following cases, the client requests the default service tier, which every provider has.
      {"usual_tier_gemini", "chat", "gemini", "gemini-3.8-flash", TIER("default"), not_sent},
      {"usual_tier_vertex", "chat", "global vertex-gemini", "gemini-3.8-flash", TIER("auto"), vertex_usual},
      {"usual_tier_bedrock", "chat", "bedrock", "amazon.nova-pro-v1:0", TIER("auto"), not_sent},
      {"usual_tier_cerebras", "chat", "cerebras", "gpt-oss-120b", TIER("auto"), not_sent},
      {"usual_tier_together", "chat", "together", "openai/gpt-oss-20b", TIER("auto"), not_sent},
      {"usual_tier_anthropic", "chat", "anthropic", "claude-opus-5-5", TIER("auto"), not_sent},
      {"usual_tier_claude_at_bedrock", "chat", "bedrock", "global.anthropic.claude-opus-5-5", TIER("default"), not_sent},
      {"usual_tier_of_messages", "messages", "openai", "gpt-5.4", ASKED R"(,"max_tokens":9,"service_tier":"auto"})", not_sent},
      {"usual_tier_of_messages_gemini", "messages", "gemini", "gemini-3.8-flash", ASKED R"(,"max_tokens":9,"service_tier":"standard_only"})", not_sent},
      {"usual_tier_vertex_anthropic", "messages", "vertex-anthropic", "claude-opus-5-5", ASKED R"(,"max_tokens":9,"service_tier":"auto","speed":"standard"})", not_sent},
      // In the following cases, the client sends a service tier that is not a string.
      {"odd_tier_openai", "chat", "openai", "gpt-5.4", ASKED R"(,"service_tier":5})", lost},
      {"odd_tier_groq", "responses", "groq", "openai/gpt-oss-20b", R"({"input":"hi","service_tier":{"a":1}})", lost},
      {"odd_tier_gemini", "responses", "gemini", "gemini-3.8-flash", R"({"input":"hi","service_tier":5})", lost},
      {"odd_tier_router", "chat", "openrouter", "openai/gpt-oss-20b", ASKED R"(,"service_tier":5})", R"({"has":{"/service_tier":5},"dropped":[]})"},
      // In the following cases, the service tier of the target overrides the client's service tier.
      {"target_tier_openai", "chat", "openai", "gpt-5.4@priority", TIER("flex"), priority},
      {"target_tier_unasked", "chat", "openai", "gpt-5.4@flex", ASKED "}", flex},
      {"target_tier_ultrafast", "responses", "openai", "gpt-6-astra@ultrafast", R"({"input":"hi"})", R"({"has":{"/service_tier":"ultrafast"},"dropped":[]})"},
      {"target_tier_usual", "chat", "openai", "gpt-5.4@standard", TIER("priority"), R"({"has":{"/service_tier":"default"},"dropped":[]})"},
      {"target_tier_anthropic", "chat", "anthropic", "claude-opus-5-5@fast", ASKED "}", fast},
      {"target_tier_anthropic_usual", "messages", "anthropic", "claude-opus-5-5@standard", SPEED("fast"), R"({"lacks":["/speed"],"header":{"anthropic-beta":""},"dropped":[]})"},
      {"target_tier_without_fast_mode", "chat", "anthropic", "claude-haiku-5-5@fast", ASKED "}", R"({"lacks":["/speed"],"header":{"anthropic-beta":""},"dropped":["speed"]})"},
      {"target_tier_gemini", "chat", "gemini", "gemini-3.8-flash@flex", TIER("priority"), R"({"has":{"/serviceTier":"flex"},"dropped":[]})"},
      {"target_tier_vertex", "chat", "global vertex-gemini", "gemini-3.8-flash@priority", ASKED "}", vertex_priority},
      {"target_tier_vertex_usual", "chat", "global vertex-gemini", "gemini-3.8-flash@standard", TIER("priority"), vertex_usual},
      {"target_tier_bedrock", "chat", "bedrock", "amazon.nova-pro-v1:0@priority", ASKED "}", converse_priority},
      {"target_tier_groq", "chat", "groq", "openai/gpt-oss-20b@flex", ASKED "}", flex},
      {"target_tier_fireworks_usual", "chat", "fireworks", "accounts/fireworks/models/glm-5p3@standard", TIER("priority"), not_sent},
  };
}

}  // namespace photofinish::proxy::rules
