#include "tests/unit/proxy/rules/wire_case.hpp"

namespace photofinish::proxy::rules {
namespace {

#define HI R"("messages":[{"role":"user","content":"hi"}])"
#define FUNCTION R"("tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}])"
#define CUSTOM R"("tools":[{"type":"custom","custom":{"name":"patch","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"x"}}}}])"

constexpr const char* foundry = "openai https://mine.services.ai.azure.com/openai/v1";
constexpr const char* own = "openai https://llm.example.com/v1";

constexpr const char* by_responses = R"({"format":"responses"})";
constexpr const char* by_chat = R"({"format":"chat"})";
constexpr const char* with_function = "{" HI "," FUNCTION "}";

}  // namespace

std::vector<wire_case> openai_cases() {
  return {
      // The following rules cover function tools with reasoning in chat.
      {"tools_without_effort_at_openai", "chat", "openai", "gpt-5.4", with_function, by_responses},
      {"tools_of_a_default_that_thinks_at_openai", "chat", "openai", "gpt-5.5", with_function, by_responses},
      {"tools_with_an_effort_at_openai", "chat", "openai", "gpt-6-sol", "{" HI "," FUNCTION R"(,"reasoning_effort":"low"})", by_responses},
      {"tools_with_none_at_openai", "chat", "openai", "gpt-5.4", "{" HI "," FUNCTION R"(,"reasoning_effort":"none"})", by_chat},
      {"tools_before_5_4_at_openai", "chat", "openai", "gpt-5.2", "{" HI "," FUNCTION R"(,"reasoning_effort":"low"})", by_chat},
      {"tools_at_azure_openai", "chat", "azure", "gpt-5.5", with_function, by_responses},
      {"tools_at_mantle", "chat", "bedrock-mantle", "openai.gpt-5.6-terra", with_function, R"({"format":"responses","path":"/openai/v1/responses"})"},
      {"tools_at_a_private_link_of_openai", "chat", "openai https://eu.privatelink.api.openai.com/v1", "gpt-5.5", with_function, by_responses},
      {"tools_at_foundry_without_effort_before_6", "chat", foundry, "gpt-5.6-sol", with_function, by_chat},
      {"tools_at_foundry_with_effort_from_5_6", "chat", foundry, "gpt-5.6-sol", "{" HI "," FUNCTION R"(,"reasoning_effort":"low"})", by_responses},
      {"tools_at_foundry_with_effort_before_5_6", "chat", foundry, "gpt-5.5", "{" HI "," FUNCTION "}", by_chat},
      {"tools_at_foundry_from_6", "chat", foundry, "gpt-6-sol", with_function, by_responses},
      {"tools_at_a_url_of_ones_own", "chat", own, "gpt-5.5", with_function, by_chat},
      {"tools_at_a_url_of_ones_own_with_effort", "chat", own, "gpt-5.5", "{" HI "," FUNCTION R"(,"reasoning_effort":"low"})", by_responses},
      {"tools_of_a_model_without_none", "chat", "openai", "gpt-6-astra", "{" HI "," FUNCTION R"(,"reasoning_effort":"none"})",
       R"({"format":"responses","has":{"/reasoning/effort":"low"},"dropped":["reasoning.effort"]})"},
      {"tools_of_a_model_without_none_at_ones_own", "chat", own, "gpt-6.1-sol", "{" HI "," FUNCTION R"(,"reasoning_effort":"none"})", by_responses},
      {"tools_of_a_messages_client", "messages", "openai", "gpt-5.5",
       R"({"max_tokens":99,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":{"type":"object"}}]})", by_responses},
      {"tools_of_a_messages_client_that_wants_no_thinking", "messages", "openai", "gpt-5.5",
       R"({"max_tokens":99,"thinking":{"type":"disabled"},"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":{"type":"object"}}]})",
       R"({"format":"chat","has":{"/reasoning_effort":"none"}})"},
      {"tools_where_responses_are_not_served", "chat", "chat-only https://api.openai.com/v1", "gpt-5.5", with_function, R"({"skipped":"tools"})"},
      {"custom_tools_stay_on_chat", "chat", "openai", "gpt-5.5", "{" HI "," CUSTOM "}", by_chat},
      {"tool_search_goes_to_responses", "chat", "openai", "gpt-5.5",
       "{" HI R"(,"tools":[{"type":"tool_search"},{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"reasoning_effort":"none"})",
       R"({"format":"responses","dropped":["tools.tool_search"]})"},
      {"a_penalty_beside_tools", "chat", "openai", "gpt-5.5", "{" HI "," FUNCTION R"(,"frequency_penalty":1,"stop":["x"]})",
       R"({"format":"responses","dropped":["frequency_penalty","stop"]})"},
      // Efforts
      {"efforts_of_5", "chat", "openai", "gpt-5", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/reasoning_effort":"minimal"},"dropped":["reasoning_effort"]})"},
      {"efforts_of_5_up", "chat", "openai", "gpt-5", "{" HI R"(,"reasoning_effort":"xhigh"})", R"({"has":{"/reasoning_effort":"high"}})"},
      {"efforts_of_5_pro", "chat", "openai", "gpt-5-pro", "{" HI R"(,"reasoning_effort":"low"})", R"({"format":"responses","has":{"/reasoning/effort":"high"}})"},
      {"efforts_of_5_1", "chat", "openai", "gpt-5.1", "{" HI R"(,"reasoning_effort":"minimal"})", R"({"has":{"/reasoning_effort":"low"}})"},
      {"efforts_of_5_2", "chat", "openai", "gpt-5.2", "{" HI R"(,"reasoning_effort":"xhigh"})", R"({"has":{"/reasoning_effort":"xhigh"},"dropped":[]})"},
      {"efforts_of_5_3_codex", "responses", "openai", "gpt-5.3-codex", R"({"input":"hi","reasoning":{"effort":"minimal"}})", R"({"has":{"/reasoning/effort":"low"}})"},
      {"efforts_of_5_4", "chat", "azure", "gpt-5.4", "{" HI R"(,"reasoning_effort":"minimal"})", R"({"has":{"/reasoning_effort":"low"}})"},
      {"efforts_of_5_4_pro", "responses", "openai", "gpt-5.4-pro", R"({"input":"hi","reasoning":{"effort":"low"}})", R"({"has":{"/reasoning/effort":"medium"}})"},
      {"efforts_of_6_luna", "chat", "openai", "gpt-6-luna", "{" HI R"(,"reasoning_effort":"none","temperature":0.2})",
       R"({"has":{"/reasoning_effort":"none","/temperature":0.2},"dropped":[]})"},
      {"efforts_of_6_1_terra", "chat", "openai", "gpt-6.1-terra", "{" HI R"(,"reasoning_effort":"none","temperature":0.2})", R"({"has":{"/temperature":0.2}})"},
      {"efforts_of_6_sol", "chat", "openai", "gpt-6-sol", "{" HI R"(,"reasoning_effort":"none","top_p":0.2})", R"({"has":{"/top_p":0.2}})"},
      {"efforts_of_6_astra", "chat", "openai", "gpt-6-astra", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/reasoning_effort":"low"},"dropped":["reasoning_effort"]})"},
      {"efforts_of_6_1_sol", "responses", "openai", "gpt-6.1-sol", R"({"input":"hi","reasoning":{"effort":"none"}})", R"({"has":{"/reasoning/effort":"low"}})"},
      {"efforts_of_6_2_sol", "chat", "openai", "gpt-6.2-sol", "{" HI R"(,"reasoning_effort":"minimal"})", R"({"has":{"/reasoning_effort":"low"}})"},
      {"efforts_of_cyber", "chat", "openai", "gpt-5.5-cyber", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/reasoning_effort":"low"}})"},
      {"max_goes_to_responses", "chat", "openai", "gpt-5.6-sol", "{" HI R"(,"reasoning_effort":"max"})", R"({"format":"responses","has":{"/reasoning/effort":"max"},"dropped":[]})"},
      {"max_is_xhigh_where_no_responses_are", "chat", "chat-only https://api.openai.com/v1", "gpt-5.6-sol", "{" HI R"(,"reasoning_effort":"max"})",
       R"({"format":"chat","has":{"/reasoning_effort":"xhigh"},"dropped":["reasoning_effort"]})"},
      {"max_is_xhigh_where_the_model_has_none", "chat", "openai", "gpt-5.5", "{" HI R"(,"reasoning_effort":"max"})", R"({"format":"chat","has":{"/reasoning_effort":"xhigh"}})"},
      {"max_of_a_messages_client", "messages", "openai", "gpt-5.6-sol",
       R"({"max_tokens":99,"thinking":{"type":"adaptive"},"output_config":{"effort":"max"},"messages":[{"role":"user","content":"hi"}]})",
       R"({"format":"responses","has":{"/reasoning/effort":"max"}})"},
      // The following rules cover sampling parameters and other members that models refuse while thinking is on.
      {"sampling_with_the_default_none", "chat", "openai", "gpt-5.4", "{" HI R"(,"temperature":0.2})", R"({"has":{"/temperature":0.2},"dropped":[]})"},
      {"sampling_with_the_default_medium", "chat", "openai", "gpt-5.5", "{" HI R"(,"temperature":0.2,"presence_penalty":1})",
       R"({"lacks":["/temperature","/presence_penalty"],"dropped":["temperature","presence_penalty"]})"},
      {"sampling_with_none", "chat", "openai", "gpt-5.5", "{" HI R"(,"temperature":0.2,"reasoning_effort":"none"})", R"({"has":{"/temperature":0.2}})"},
      {"logprobs_while_thinking", "chat", "openai", "gpt-5.5", "{" HI R"(,"logprobs":true})", R"({"skipped":"logprobs"})"},
      {"logit_bias_while_thinking", "chat", "openai", "gpt-6-astra", "{" HI R"(,"logit_bias":{"1":2}})", R"({"skipped":"logit_bias"})"},
      {"stop_on_chat", "chat", "openai", "gpt-5", "{" HI R"(,"stop":["x"]})", R"({"lacks":["/stop"],"dropped":["stop"]})"},
      {"prediction_on_chat", "chat", "openai", "gpt-5.4", "{" HI R"(,"prediction":{"type":"content","content":"x"}})", R"({"lacks":["/prediction"],"dropped":["prediction"]})"},
      {"audio_on_chat", "chat", "openai", "gpt-5.5", "{" HI R"(,"audio":{"voice":"alloy","format":"wav"}})", R"({"skipped":"audio"})"},
      {"max_tokens_is_called_otherwise", "chat", "azure", "gpt-5.5", "{" HI R"(,"max_tokens":200000})", R"({"has":{"/max_completion_tokens":128000},"lacks":["/max_tokens"]})"},
      {"a_chat_model_thinks_with_medium", "chat", "openai", "gpt-5.2-chat-latest", "{" HI R"(,"reasoning_effort":"high","temperature":0.2})",
       R"({"has":{"/reasoning_effort":"medium"},"lacks":["/temperature"]})"},
      // Prompt caches
      {"cache_options_before_5_6", "chat", "openai", "gpt-5.5", "{" HI R"(,"prompt_cache_options":{"ttl":"30m"}})", R"({"lacks":["/prompt_cache_options"],"dropped":["prompt_cache_options"]})"},
      {"cache_options_before_5", "chat", "openai", "gpt-4.1", "{" HI R"(,"prompt_cache_options":{"ttl":"30m"}})", R"({"dropped":["prompt_cache_options"]})"},
      {"cache_options_from_5_6", "chat", "openai", "gpt-5.6-sol", "{" HI R"(,"prompt_cache_options":{"ttl":"30m"}})", R"({"has":{"/prompt_cache_options/ttl":"30m"},"dropped":[]})"},
      {"cache_options_go_to_responses", "chat", "openai", "gpt-6-sol", "{" HI "," FUNCTION R"(,"prompt_cache_options":{"ttl":"30m"}})",
       R"({"format":"responses","has":{"/prompt_cache_options/ttl":"30m"}})"},
      {"cache_breakpoints_before_5_6", "chat", "openai", "gpt-5.5",
       R"({"messages":[{"role":"user","content":[{"type":"text","text":"hi","prompt_cache_breakpoint":{"mode":"explicit"}}]}]})",
       R"({"lacks":["/messages/0/content/0/prompt_cache_breakpoint"],"dropped":["messages[].content[].prompt_cache_breakpoint"]})"},
      {"cache_breakpoints_before_5_6_by_responses", "responses", "openai", "gpt-5.5",
       R"({"input":[{"role":"user","content":[{"type":"input_text","text":"hi","prompt_cache_breakpoint":{"mode":"explicit"}}]}]})",
       R"({"lacks":["/input/0/content/0/prompt_cache_breakpoint"],"dropped":["input[].content[].prompt_cache_breakpoint"]})"},
      {"cache_breakpoints_from_5_6_go_to_responses", "chat", "openai", "gpt-5.6-sol",
       R"({"messages":[{"role":"user","content":[{"type":"text","text":"hi","prompt_cache_breakpoint":{"mode":"explicit"}}]}],)" FUNCTION "}",
       R"({"format":"responses","has":{"/input/0/content/0/prompt_cache_breakpoint/mode":"explicit"}})"},
      {"cache_retention_is_the_old_way", "chat", "openai", "gpt-5.2", "{" HI R"(,"prompt_cache_retention":"24h"})", R"({"has":{"/prompt_cache_retention":"24h"},"dropped":[]})"},
      {"phase_goes_back", "responses", "openai", "gpt-5.3-codex",
       R"({"input":[{"role":"user","content":"hi"},{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"a"}]},{"role":"user","content":"on"}]})",
       R"({"format":"responses","has":{"/input/1/phase":"commentary"},"dropped":[]})"},
      // Bedrock's mantle
      {"mantle_gpt", "responses", "bedrock-mantle", "openai.gpt-5.6-sol", R"({"input":"hi"})", R"({"path":"/openai/v1/responses"})"},
      {"mantle_gpt_oss", "chat", "bedrock-mantle", "openai.gpt-oss-120b", "{" HI "}", R"({"path":"/v1/chat/completions"})"},
      {"mantle_grok", "chat", "bedrock-mantle", "xai.grok-4.6", "{" HI "}", R"({"path":"/openai/v1/chat/completions"})"},
      {"mantle_gemma", "chat", "bedrock-mantle", "google.gemma-4-27b", "{" HI "}", R"({"path":"/openai/v1/chat/completions"})"},
      {"mantle_claude", "chat", "bedrock-mantle", "anthropic.claude-opus-5-5", "{" HI "}", R"({"format":"messages","path":"/anthropic/v1/messages","has":{"/model":"anthropic.claude-opus-5-5"}})"},
      {"mantle_claude_of_messages", "messages", "bedrock-mantle", "anthropic.claude-haiku-5-5", R"({"max_tokens":9,"messages":[{"role":"user","content":"hi"}]})",
       R"({"format":"messages","path":"/anthropic/v1/messages","header":{"authorization":"Bearer k","anthropic-version":"2023-06-01"}})"},
      {"mantle_gpt_oss_forced_by_responses", "responses", "bedrock-mantle", "openai.gpt-oss-120b",
       R"({"input":"hi","tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],"tool_choice":"required"})", R"({"format":"chat","has":{"/tool_choice":"required"}})"},
      {"mantle_safeguard_has_chat_alone", "responses", "bedrock-mantle", "openai.gpt-oss-safeguard-20b", R"({"input":"hi"})", by_chat},
      // The following rules cover Perplexity's Agent API, which accepts only some members of the Responses API.
      {"perplexity_is_asked_by_responses", "chat", "perplexity", "perplexity/sonar",
       "{" HI R"(,"max_tokens":99,"temperature":0.2,"top_p":0.5,"metadata":{"a":"b"},"parallel_tool_calls":true})",
       R"({"format":"responses","path":"/v1/responses","has":{"/max_output_tokens":99,"/store":false,"/input/0/type":"message"},)"
       R"("lacks":["/temperature","/top_p","/metadata","/parallel_tool_calls"],"dropped":["temperature","top_p","metadata"]})"},
      {"perplexity_gets_no_include", "chat", "perplexity", "openai/gpt-5.5", "{" HI R"(,"reasoning_effort":"low"})",
       R"({"has":{"/reasoning/effort":"low"},"lacks":["/include","/reasoning/summary"]})"},
      {"perplexity_has_the_schema_of_chat", "responses", "perplexity", "perplexity/sonar",
       R"({"input":"hi","text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true}}})",
       R"({"has":{"/response_format/type":"json_schema","/response_format/json_schema/name":"n","/response_format/json_schema/schema/type":"object"},)"
       R"("lacks":["/text","/response_format/json_schema/type"],"dropped":[]})"},
      {"perplexity_has_no_verbosity", "responses", "perplexity", "perplexity/sonar", R"({"input":"hi","text":{"verbosity":"low"},"tool_choice":"auto"})",
       R"({"lacks":["/text","/tool_choice"],"dropped":["text"]})"},
      {"perplexity_gets_typed_items", "responses", "perplexity", "perplexity/sonar",
       R"({"input":[{"role":"user","content":"q"},{"type":"message","id":"m","status":"completed","role":"assistant","content":"a"},{"role":"user","content":"q"}]})",
       R"({"has":{"/input/0/type":"message","/input/2/type":"message"},"lacks":["/input/1/id","/input/1/status"],"dropped":["input[].id","input[].status"]})"},
      {"perplexity_forces_no_call", "chat", "perplexity", "perplexity/sonar", "{" HI "," FUNCTION R"(,"tool_choice":"required"})", R"({"skipped":"tool_choice"})"},
      // gpt-oss
      {"gpt_oss_has_low_to_high", "chat", "groq", "openai/gpt-oss-120b", "{" HI R"(,"reasoning_effort":"xhigh"})", R"({"has":{"/reasoning_effort":"high"},"dropped":["reasoning_effort"]})"},
      {"gpt_oss_has_no_none", "chat", "together", "openai/gpt-oss-20b", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/reasoning_effort":"low"}})"},
      {"gpt_oss_gets_its_refs_inline", "chat", "cerebras", "gpt-oss-120b",
       "{" HI R"(,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"at":{"$ref":"#/$defs/point"}},"$defs":{"point":{"type":"object","properties":{"x":{"type":"integer"}}}}}}}]})",
       R"({"has":{"/tools/0/function/parameters/properties/at/properties/x/type":"integer"},"lacks":["/tools/0/function/parameters/$defs"]})"},
  };
}

#undef HI
#undef FUNCTION
#undef CUSTOM

}  // namespace photofinish::proxy::rules
