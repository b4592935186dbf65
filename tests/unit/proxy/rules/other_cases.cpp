#include "tests/unit/proxy/rules/wire_case.hpp"

namespace photofinish::proxy::rules {
namespace {

#define HI R"("messages":[{"role":"user","content":"hi"}])"
#define FUNCTION R"("tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}])"
#define OTHERS_CALL                                                                                                            \
  R"("messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_of_another",)"     \
  R"("type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_of_another","content":"r"}])"
#define REFS                                                                                                                   \
  R"("tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"$ref":"#/$defs/p"},)" \
  R"("b":{"type":"array","items":{"$ref":"#/$defs/p"}}},"$defs":{"p":{"type":"object","properties":{"x":{"$ref":"#/$defs/n"}}},)" \
  R"("n":{"type":"integer"}}}}}])"
#define SCHEMA R"("response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}})"

constexpr const char* inlined =
    R"({"has":{"/tools/0/function/parameters/properties/a/properties/x/type":"integer","/tools/0/function/parameters/properties/b/items/type":"object"}})";
constexpr const char* alibaba = "openai https://dashscope-intl.aliyuncs.com/compatible-mode/v1";
constexpr const char* minimax = "openai https://api.minimax.io/v1";
constexpr const char* meta = "openai https://api.meta.ai/v1";

}  // namespace

std::vector<wire_case> other_cases() {
  return {
      // Gemini
      {"gemini_3_6_penalties", "chat", "gemini", "gemini-3.6-flash", "{" HI R"(,"presence_penalty":1,"frequency_penalty":1})",
       R"({"lacks":["/generationConfig/presencePenalty"],"dropped":["presencePenalty","frequencyPenalty"]})"},
      {"gemini_3_6_sampling", "chat", "gemini", "gemini-3.6-flash", "{" HI R"(,"temperature":0.2,"top_p":0.5,"top_k":3})", R"({"dropped":["temperature","topP","topK"]})"},
      {"gemini_3_6_default_sampling", "chat", "gemini", "gemini-3.7-flash", "{" HI R"(,"temperature":1})", R"({"lacks":["/generationConfig/temperature"],"dropped":[]})"},
      {"gemini_3_6_last_turn_of_the_model", "chat", "vertex-gemini", "gemini-3.6-flash",
       R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]})", R"({"skipped":"messages"})"},
      {"gemini_3_5_flash_lite", "chat", "gemini", "gemini-3.5-flash-lite", "{" HI R"(,"temperature":0.2,"reasoning_effort":"none"})",
       R"({"lacks":["/generationConfig/temperature"],"has":{"/generationConfig/thinkingConfig/thinkingLevel":"minimal"}})"},
      {"gemini_3_5_flash_samples", "chat", "gemini", "gemini-3.5-flash", "{" HI R"(,"temperature":0.2})", R"({"has":{"/generationConfig/temperature":0.2},"dropped":[]})"},
      {"gemini_3_pro_levels", "chat", "gemini", "gemini-3-pro", "{" HI R"(,"reasoning_effort":"medium"})", R"({"has":{"/generationConfig/thinkingConfig/thinkingLevel":"high"}})"},
      {"gemini_3_flash_levels", "chat", "gemini", "gemini-3-flash", "{" HI R"(,"reasoning_effort":"minimal"})", R"({"has":{"/generationConfig/thinkingConfig/thinkingLevel":"minimal"}})"},
      {"gemini_3_6_levels", "chat", "gemini", "gemini-3.6-flash", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/generationConfig/thinkingConfig/thinkingLevel":"minimal"},"dropped":["reasoning_effort"]})"},
      {"gemini_3_1_pro_levels", "chat", "gemini", "gemini-3.1-pro-preview", "{" HI R"(,"reasoning_effort":"minimal"})", R"({"has":{"/generationConfig/thinkingConfig/thinkingLevel":"low"}})"},
      {"gemini_3_7_levels", "chat", "gemini", "gemini-3.7-flash", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/generationConfig/thinkingConfig/thinkingLevel":"low"}})"},
      {"gemini_3_8_levels", "chat", "gemini", "gemini-3.8-flash", "{" HI R"(,"reasoning_effort":"xhigh"})", R"({"has":{"/generationConfig/thinkingConfig/thinkingLevel":"high"},"dropped":["reasoning_effort"]})"},
      {"gemini_4_hydrogen_has_xhigh", "chat", "gemini", "gemini-4-hydrogen", "{" HI R"(,"reasoning_effort":"xhigh"})",
       R"({"has":{"/generationConfig/thinkingConfig/thinkingLevel":"xhigh"},"dropped":[]})"},
      {"gemini_2_5_image_knows_no_thinking", "chat", "gemini", "gemini-2.5-flash-image",
       "{" HI R"(,"extra_body":{"google":{"thinking_config":{"thinking_budget":0}}}})", R"({"lacks":["/generationConfig/thinkingConfig"],"dropped":["reasoning_effort"]})"},
      {"gemini_2_5_pro_is_never_off", "chat", "gemini", "gemini-2.5-pro", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/generationConfig/thinkingConfig/thinkingBudget":128},"dropped":["reasoning_effort"]})"},
      {"argon_levels", "chat", "gemini", "gemini-4-argon", "{" HI R"(,"reasoning_effort":"minimal"})", R"({"has":{"/generationConfig/thinkingConfig/thinkingLevel":"low"}})"},
      {"qwens_word_for_off_at_gemini", "chat", "gemini", "gemini-2.5-flash", "{" HI R"(,"enable_thinking":false})", R"({"has":{"/generationConfig/thinkingConfig/thinkingBudget":0},"dropped":[]})"},
      {"functions_make_one_call", "chat", "gemini", "gemini-2.5-flash", "{" HI R"(,"functions":[{"name":"f","parameters":{"type":"object","properties":{}}}]})", R"({"dropped":[]})"},
      {"argon_output", "chat", "gemini", "gemini-4-argon", "{" HI R"(,"max_tokens":100000})", R"({"has":{"/generationConfig/maxOutputTokens":65536},"dropped":["maxOutputTokens"]})"},
      {"argon_caches_by_itself", "chat", "gemini", "gemini-4-argon", "{" HI R"(,"extra_body":{"google":{"cached_content":"c"}}})", R"({"lacks":["/cachedContent"],"dropped":["cachedContent"]})"},
      // Tiers
      {"gemini_has_flex", "chat", "gemini", "gemini-3.8-flash", "{" HI R"(,"service_tier":"flex"})", R"({"has":{"/serviceTier":"flex"},"dropped":[]})"},
      {"gemini_calls_fast_priority", "responses", "gemini", "gemini-4-argon", R"({"input":"hi","service_tier":"fast"})", R"({"has":{"/serviceTier":"priority"},"dropped":[]})"},
      {"gemini_has_no_scale", "chat", "gemini", "gemini-3.8-flash", "{" HI R"(,"service_tier":"scale"})", R"({"lacks":["/serviceTier"],"dropped":["service_tier"]})"},
      {"gemini_has_a_default", "chat", "gemini", "gemini-3.8-flash", "{" HI R"(,"service_tier":"default"})", R"({"lacks":["/serviceTier"],"dropped":[]})"},
      {"gemini_2_has_no_tiers", "chat", "gemini", "gemini-2.0-flash", "{" HI R"(,"service_tier":"flex"})", R"({"lacks":["/serviceTier"],"dropped":["service_tier"]})"},
      {"vertex_reads_a_tier_from_a_header", "chat", "global vertex-gemini", "gemini-3.8-flash", "{" HI R"(,"service_tier":"priority"})",
       R"({"lacks":["/serviceTier"],"header":{"x-vertex-ai-llm-shared-request-type":"priority"},"dropped":[]})"},
      {"vertex_has_no_tiers_in_a_region", "chat", "vertex-gemini", "gemini-3.8-flash", "{" HI R"(,"service_tier":"priority"})",
       R"({"lacks":["/serviceTier"],"header":{"x-vertex-ai-llm-shared-request-type":""},"dropped":["service_tier"]})"},
      {"converse_has_tiers", "chat", "bedrock", "global.zai.glm-5.3", "{" HI R"(,"service_tier":"priority"})", R"({"has":{"/serviceTier/type":"priority"},"dropped":[]})"},
      {"converse_has_no_tiers_of_llama", "chat", "bedrock", "meta.llama3-3-70b-instruct-v1:0", "{" HI R"(,"service_tier":"flex"})",
       R"({"lacks":["/serviceTier"],"dropped":["service_tier"]})"},
      {"converse_has_no_scale", "chat", "bedrock", "global.zai.glm-5.3", "{" HI R"(,"service_tier":"scale"})", R"({"lacks":["/serviceTier"],"dropped":["service_tier"]})"},
      // Grok
      {"grok_4_3_has_none", "chat", "xai", "grok-4.3", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/reasoning_effort":"none"},"dropped":[]})"},
      {"grok_4_6_has_no_none", "chat", "xai", "grok-4.6", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/reasoning_effort":"low"},"dropped":["reasoning_effort"]})"},
      {"grok_4_5_has_no_xhigh", "chat", "xai", "grok-4.5", "{" HI R"(,"reasoning_effort":"xhigh"})", R"({"has":{"/reasoning_effort":"high"}})"},
      {"grok_4_7_has_xhigh", "chat", "openrouter", "x-ai/grok-4.7", "{" HI R"(,"reasoning_effort":"max"})", R"({"has":{"/reasoning_effort":"xhigh"}})"},
      {"mistral_has_no_word_for_off", "messages", "mistral", "mistral-large-4", R"({"max_tokens":9,"messages":[{"role":"user","content":"hi"}],"thinking":{"type":"disabled"}})", R"({"lacks":["/thinking","/reasoning_effort"],"dropped":["thinking"]})"},
      {"grok_4_20_has_no_effort", "chat", "xai", "grok-4.20-reasoning", "{" HI R"(,"reasoning_effort":"high"})", R"({"lacks":["/reasoning_effort"],"dropped":["reasoning_effort"]})"},
      {"grok_keeps_a_conversation_at_its_cache", "chat", "xai", "grok-4.6", "{" HI R"(,"prompt_cache_key":"thread-1"})", R"({"header":{"x-grok-conv-id":"thread-1"}})"},
      // DeepSeek
      {"deepseek_flash_wants_reasoning_back", "chat", "deepseek", "deepseek-flash", "{" OTHERS_CALL "}", R"({"has":{"/messages/1/reasoning_content":" "}})"},
      {"deepseek_efforts", "chat", "deepseek", "deepseek-flash", "{" HI R"(,"reasoning_effort":"medium"})", R"({"has":{"/reasoning_effort":"high"}})"},
      {"deepseek_xhigh", "chat", "deepseek", "deepseek-v4-pro", "{" HI R"(,"reasoning_effort":"xhigh"})", R"({"has":{"/reasoning_effort":"high"}})"},
      {"deepseek_v4_pro_has_no_low", "chat", "deepseek", "deepseek-v4-pro", "{" HI R"(,"reasoning_effort":"low"})", R"({"has":{"/reasoning_effort":"high"},"dropped":["reasoning_effort"]})"},
      {"mistral_medium_has_none_and_high", "chat", "mistral", "mistral-medium-3.5", "{" HI R"(,"reasoning_effort":"medium"})", R"({"has":{"/reasoning_effort":"high"},"dropped":["reasoning_effort"]})"},
      {"deepseek_max", "chat", "deepseek", "deepseek-flash", "{" HI R"(,"reasoning_effort":"max"})", R"({"format":"chat","has":{"/reasoning_effort":"max"},"dropped":[]})"},
      {"deepseek_off", "chat", "deepseek", "deepseek-flash", "{" HI R"(,"reasoning_effort":"none"})", R"({"lacks":["/reasoning_effort"],"has":{"/thinking/type":"disabled"},"dropped":[]})"},
      {"deepseek_forced", "chat", "deepseek", "deepseek-flash", "{" HI "," FUNCTION R"(,"tool_choice":"required","reasoning_effort":"high"})",
       R"({"has":{"/thinking/type":"disabled","/tool_choice":"required"},"lacks":["/reasoning_effort"],"dropped":["reasoning_effort"]})"},
      {"deepseek_schema", "chat", "deepseek", "deepseek-flash", "{" HI "," SCHEMA "}", R"({"format":"responses","has":{"/text/format/type":"json_schema"}})"},
      {"deepseek_schema_at_chat_alone", "chat", "chat-only deepseek", "deepseek-flash", "{" HI "," SCHEMA "}", R"({"skipped":"response_format"})"},
      {"deepseek_length", "chat", "deepseek", "deepseek-flash", "{" HI R"(,"max_completion_tokens":99})", R"({"has":{"/max_tokens":99},"lacks":["/max_completion_tokens"]})"},
      {"deepseek_serves_responses", "responses", "deepseek", "deepseek-flash", R"({"input":"hi"})", R"({"format":"responses"})"},
      {"groq_serves_responses", "responses", "groq", "openai/gpt-oss-20b", R"({"input":"hi"})", R"({"format":"responses"})"},
      // Kimi
      {"kimi_k3_efforts", "chat", "moonshot", "kimi-k3", "{" HI R"(,"reasoning_effort":"medium"})", R"({"has":{"/reasoning_effort":"high"}})"},
      {"kimi_k3_cannot_be_turned_off", "chat", "moonshot", "kimi-k3.1-pro", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/reasoning_effort":"low"},"dropped":["reasoning_effort"]})"},
      {"kimi_k3_disabled", "chat", "moonshot", "kimi-k3", "{" HI R"(,"thinking":{"type":"disabled"}})", R"({"lacks":["/thinking"],"has":{"/reasoning_effort":"low"},"dropped":["thinking"]})"},
      {"kimi_k3_sampling", "chat", "moonshot", "kimi-k3", "{" HI R"(,"temperature":0.2,"top_p":0.5,"presence_penalty":1})", R"({"dropped":["temperature","top_p","presence_penalty"]})"},
      {"kimi_k3_many_answers", "chat", "moonshot", "kimi-k3", "{" HI R"(,"n":2})", R"({"skipped":"n"})"},
      {"kimi_k3_is_not_forced", "chat", "moonshot", "kimi-k3.1-pro", "{" HI "," FUNCTION R"(,"tool_choice":"required"})", R"({"skipped":"tool_choice"})"},
      {"kimi_k3_stops", "chat", "moonshot", "kimi-k3", "{" HI R"(,"stop":["1","2","3","4","5","6"]})", R"({"skipped":"stop"})"},
      {"kimi_k3_long_stop", "chat", "moonshot", "kimi-k3", "{" HI R"(,"stop":"123456789012345678901234567890123"})", R"({"skipped":"stop"})"},
      {"kimi_k3_wants_reasoning_of_calls", "chat", "moonshot", "kimi-k3.1-pro", "{" OTHERS_CALL "}", R"({"has":{"/messages/1/reasoning_content":" "}})"},
      // GLM
      {"glm_5_3_efforts", "chat", "zai", "glm-5.3", "{" HI R"(,"reasoning_effort":"xhigh"})", R"({"has":{"/reasoning_effort":"max"}})"},
      {"glm_5_3_cannot_be_turned_off", "chat", "zai", "glm-5.3", "{" HI R"(,"thinking":{"type":"disabled"}})", R"({"lacks":["/thinking"],"has":{"/reasoning_effort":"low"},"dropped":["thinking"]})"},
      {"glm_5_3_output", "chat", "zai", "glm-5.3", "{" HI R"(,"max_tokens":200000})", R"({"has":{"/max_tokens":131072},"dropped":["max_tokens"]})"},
      {"glm_5_3_streams_arguments", "chat", "zai", "glm-5.3", "{" HI "," FUNCTION "}", R"({"has":{"/tool_stream":true}})"},
      {"glm_5_3_gets_its_refs_inline", "chat", "zai", "glm-5.3-flash", "{" HI "," REFS "}", inlined},
      {"glm_5_3_elsewhere_gets_its_refs_inline", "chat", "together", "zai-org/GLM-5.3", "{" HI "," REFS "}", inlined},
      {"glm_5_3_at_fireworks_gets_its_refs_inline", "chat", "fireworks", "accounts/fireworks/models/glm-5p3", "{" HI "," REFS "}", inlined},
      {"glm_5_3_at_mistral_gets_its_refs_inline", "chat", "mistral", "zai-glm-5-3", "{" HI "," REFS "}", inlined},
      {"glm_5_3_at_bedrock_gets_its_refs_inline", "chat", "bedrock", "global.zai.glm-5.3", "{" HI "," REFS "}",
       R"({"has":{"/toolConfig/tools/0/toolSpec/inputSchema/json/properties/a/properties/x/type":"integer"}})"},
      // The following rules cover Qwen, MiniMax, Mistral and Meta.
      {"qwen_3_8_off", "chat", alibaba, "qwen3.8-max", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/enable_thinking":false}})"},
      {"qwen_3_8_output", "chat", "groq", "qwen/qwen3.8-27b", "{" HI R"(,"max_tokens":200000})", R"({"has":{"/max_tokens":131072},"dropped":["max_tokens"]})"},
      {"qwen_3_coder_is_not_forced", "chat", "together", "Qwen/qwen3-coder-480b", "{" HI "," FUNCTION R"(,"tool_choice":"required"})", R"({"skipped":"tool_choice"})"},
      {"minimax_m3_off", "chat", minimax, "MiniMax-M3", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/thinking/type":"disabled"},"lacks":["/reasoning_effort"]})"},
      {"minimax_m3_adaptive", "chat", minimax, "MiniMax-M3", "{" HI R"(,"thinking":{"type":"enabled"},"max_tokens":9})", R"({"has":{"/thinking/type":"adaptive","/max_completion_tokens":9}})"},
      {"minimax_m3_1_flash_cannot_be_turned_off", "chat", minimax, "MiniMax-M3.1-Flash", "{" HI R"(,"thinking":{"type":"disabled"}})", R"({"lacks":["/thinking"],"dropped":["thinking"]})"},
      {"minimax_m3_1_flash_has_no_none", "chat", minimax, "MiniMax-M3.1-Flash", "{" HI R"(,"reasoning_effort":"none"})", R"({"lacks":["/reasoning_effort"],"dropped":["reasoning_effort"]})"},
      {"minimax_is_asked_in_messages", "chat", "minimax", "MiniMax-M3.1-Flash", "{" HI R"(,"reasoning_effort":"max"})",
       R"({"format":"messages","path":"/anthropic/v1/messages","has":{"/thinking/type":"adaptive","/output_config/effort":"max"},"dropped":[]})"},
      {"minimax_m3_1_flash_cannot_be_turned_off_in_messages", "messages", "minimax", "MiniMax-M3.1-Flash",
       R"({"max_tokens":9,"thinking":{"type":"disabled"},"messages":[{"role":"user","content":"hi"}]})",
       R"({"lacks":["/thinking"],"has":{"/output_config/effort":"low"}})"},
      {"minimax_m3_has_a_budget_in_messages", "chat", "minimax", "MiniMax-M3", "{" HI R"(,"reasoning_effort":"low"})",
       R"({"has":{"/thinking/type":"enabled","/thinking/budget_tokens":2048}})"},
      {"minimax_sampling_in_messages", "chat", "minimax", "MiniMax-M3", "{" HI R"(,"temperature":0.2})", R"({"has":{"/temperature":0.2},"dropped":[]})"},
      {"mimo_is_turned_off_by_thinking", "chat", "xiaomi", "mimo-v2.6-pro", "{" HI R"(,"reasoning_effort":"none","max_completion_tokens":9})",
       R"({"has":{"/thinking/type":"disabled","/max_tokens":9},"lacks":["/reasoning_effort","/max_completion_tokens"],"dropped":[]})"},
      {"mimo_has_no_efforts", "chat", "xiaomi", "mimo-v2.6-flash", "{" HI R"(,"reasoning_effort":"high"})", R"({"lacks":["/reasoning_effort"],"dropped":["reasoning_effort"]})"},
      {"mimo_wants_reasoning_back", "chat", "xiaomi", "mimo-v2.6-pro", "{" OTHERS_CALL "}", R"({"has":{"/messages/1/reasoning_content":" "}})"},
      {"mistral_has_short_ids", "chat", "mistral", "mistral-large-4", "{" OTHERS_CALL "}", R"({"dropped":[]})"},
      {"mistral_keeps_ids_of_its_own", "chat", "mistral", "voxtral-small",
       R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"abcDEF123","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"abcDEF123","content":"r"}]})",
       R"({"has":{"/messages/1/tool_calls/0/id":"abcDEF123","/messages/2/tool_call_id":"abcDEF123"}})"},
      {"magistral_always_thinks", "chat", "mistral", "magistral-medium", "{" HI R"(,"reasoning_effort":"none"})", R"({"lacks":["/reasoning_effort"],"dropped":["reasoning_effort"]})"},
      {"muse_chooses_by_itself", "chat", meta, "muse-spark-2", "{" HI "," FUNCTION R"(,"tool_choice":"required"})", R"({"skipped":"tool_choice"})"},
      {"muse_at_its_preset", "messages", "meta", "muse-ember-1.0", R"({"max_tokens":9,"thinking":{"type":"disabled"},"messages":[{"role":"user","content":"hi"}]})",
       R"({"format":"chat","path":"/v1/chat/completions","has":{"/reasoning_effort":"minimal"}})"},
      {"muse_1_2_has_no_max", "responses", "meta", "muse-spark-1.2", R"({"input":"hi","reasoning":{"effort":"max"}})", R"({"format":"responses","has":{"/reasoning/effort":"xhigh"}})"},
      {"muse_1_3_has_max", "responses", "meta", "muse-spark-1.3", R"({"input":"hi","reasoning":{"effort":"max"}})", R"({"has":{"/reasoning/effort":"max"},"dropped":[]})"},
      {"muse_may_call_nothing", "chat", meta, "muse-spark-2", "{" HI "," FUNCTION R"(,"tool_choice":"none"})", R"({"lacks":["/tools","/tool_choice"]})"},
      {"muse_has_no_none", "chat", meta, "muse-wonder-1", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/reasoning_effort":"minimal"},"dropped":["reasoning_effort"]})"},
      // The following rules cover Bedrock's Converse API, and the vendor Morph.
      {"gpt_6_1_sol_by_converse_has_no_none", "chat", "bedrock", "openai.gpt-6.1-sol", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/additionalModelRequestFields/reasoning/effort":"low"}})"},
      {"gpt_6_sol_by_converse_has_none", "chat", "bedrock", "openai.gpt-6-sol", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/additionalModelRequestFields/reasoning/effort":"none"}})"},
      {"morph_applies_edits_by_v3", "chat", "morph", "morph-v3-fast", "{" HI "}", R"({"skipped":"messages"})"},
      {"morph_has_other_models", "chat", "morph", "morph-qwen-397b", "{" HI "," FUNCTION "}", R"({"has":{"/messages/0/content":"hi","/tools/0/type":"function"},"dropped":[]})"},
  };
}

#undef HI
#undef FUNCTION
#undef OTHERS_CALL
#undef REFS
#undef SCHEMA

}  // namespace photofinish::proxy::rules
