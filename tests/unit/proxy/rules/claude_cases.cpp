#include "tests/unit/proxy/rules/wire_case.hpp"

namespace photofinish::proxy::rules {
namespace {

#define HI R"("messages":[{"role":"user","content":"hi"}])"
#define MESSAGES R"("max_tokens":9000,"messages":[{"role":"user","content":"hi"}])"
#define TOOL R"("tools":[{"name":"f","input_schema":{"type":"object"}}])"
#define FORCED R"("tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":"required")"
#define THOUGHT                                                                                                             \
  R"("max_tokens":9000,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking",)"      \
  R"("thinking":"t","signature":"EqQB"},{"type":"text","text":"a"}]},{"role":"user","content":"on"}])"

constexpr const char* skips_choice = R"({"skipped":"tool_choice"})";
constexpr const char* drops_blocks =
    R"({"has":{"/thinking/type":"adaptive","/thinking/block_binding/prefix_mismatch_behavior":"drop_block"},"header":{"anthropic-beta":"thinking-binding-controls-2026-08-01"}})";

}  // namespace

std::vector<wire_case> claude_cases() {
  return {
      {"opus_5_5_is_not_forced", "chat", "anthropic", "claude-opus-5-5", "{" HI "," FORCED "}", skips_choice},
      {"sonnet_5_5_is_not_forced", "messages", "anthropic", "claude-sonnet-5-5", "{" MESSAGES "," TOOL R"(,"tool_choice":{"type":"tool","name":"f"}})", skips_choice},
      {"fable_5_1_is_not_forced", "chat", "vertex-anthropic", "claude-fable-5-1", "{" HI "," FORCED "}", skips_choice},
      {"fable_5_2_is_not_forced", "chat", "anthropic", "claude-fable-5-2", "{" HI "," FORCED "}", skips_choice},
      {"mythos_5_1_is_not_forced", "chat", "anthropic", "claude-mythos-5-1", "{" HI "," FORCED "}", skips_choice},
      {"mythos_5_2_is_not_forced_at_bedrock", "chat", "bedrock", "global.anthropic.claude-mythos-5-2", "{" HI "," FORCED "}", skips_choice},
      {"opus_5_5_may_choose_if_the_user_allows", "chat", "choosing anthropic", "claude-opus-5-5", "{" HI "," FORCED "}", R"({"lacks":["/tool_choice"],"dropped":["tool_choice"]})"},
      {"fable_5_is_forced", "chat", "anthropic", "claude-fable-5", "{" HI "," FORCED "}", R"({"has":{"/tool_choice/type":"any"}})"},
      {"opus_5_is_forced", "chat", "anthropic", "claude-opus-5", "{" HI "," FORCED "}", R"({"has":{"/tool_choice/type":"any"}})"},
      {"sonnet_5_is_forced", "chat", "anthropic", "claude-sonnet-5", "{" HI "," FORCED "}", R"({"has":{"/tool_choice/type":"any"}})"},
      {"haiku_5_5_is_forced", "chat", "anthropic", "claude-haiku-5-5-20261102", "{" HI "," FORCED R"(,"reasoning_effort":"low"})", R"({"has":{"/tool_choice/type":"any"},"lacks":["/thinking"]})"},
      // Thinking off
      {"opus_5_5_cannot_be_turned_off", "chat", "anthropic", "claude-opus-5-5", "{" HI R"(,"reasoning_effort":"none"})",
       R"({"lacks":["/thinking"],"has":{"/output_config/effort":"low"},"dropped":["thinking"]})"},
      {"fable_5_2_cannot_be_turned_off", "messages", "anthropic", "claude-fable-5-2", "{" MESSAGES R"(,"thinking":{"type":"disabled"},"output_config":{"effort":"max"}})",
       R"({"lacks":["/thinking"],"has":{"/output_config/effort":"low"},"dropped":["thinking"]})"},
      {"mythos_5_cannot_be_turned_off", "chat", "anthropic", "claude-mythos-5", "{" HI R"(,"reasoning_effort":"none"})", R"({"lacks":["/thinking"],"has":{"/output_config/effort":"low"}})"},
      {"sonnet_5_5_is_off_between_tools", "chat", "anthropic", "claude-sonnet-5-5", "{" HI R"(,"reasoning_effort":"none"})", R"({"has":{"/thinking/type":"between_tools"},"dropped":[]})"},
      {"sonnet_5_5_off_has_an_effort_of_at_most_high", "messages", "anthropic", "claude-sonnet-5-5",
       "{" MESSAGES R"(,"thinking":{"type":"disabled"},"output_config":{"effort":"max"}})", R"({"has":{"/thinking/type":"between_tools","/output_config/effort":"high"},"dropped":["output_config.effort"]})"},
      {"opus_5_off", "messages", "anthropic", "claude-opus-5", "{" MESSAGES R"(,"thinking":{"type":"disabled"},"output_config":{"effort":"xhigh"}})",
       R"({"has":{"/thinking/type":"disabled","/output_config/effort":"high"},"dropped":["output_config.effort"]})"},
      {"haiku_5_5_off", "messages", "bedrock", "us.anthropic.claude-haiku-5-5-v1:0", "{" MESSAGES R"(,"thinking":{"type":"disabled"},"output_config":{"effort":"max"}})",
       R"({"has":{"/thinking/type":"disabled","/output_config/effort":"high"}})"},
      {"another_models_word_for_off", "messages", "anthropic", "claude-opus-5", "{" MESSAGES R"(,"thinking":{"type":"between_tools"}})", R"({"has":{"/thinking/type":"disabled"}})"},
      {"qwens_word_for_off", "chat", "anthropic", "claude-opus-5", "{" HI R"(,"enable_thinking":false})", R"({"has":{"/thinking/type":"disabled"},"dropped":[]})"},
      {"qwens_word_for_off_where_it_cannot_be", "chat", "anthropic", "claude-opus-5-5", "{" HI R"(,"enable_thinking":false})", R"({"lacks":["/thinking"],"dropped":["thinking"]})"},
      {"a_length_above_the_models", "messages", "anthropic", "claude-opus-4-1", R"({"max_tokens":64000,"messages":[{"role":"user","content":"hi"}]})", R"({"has":{"/max_tokens":32000},"dropped":["max_tokens"]})"},
      {"a_number_of_a_chat_client", "chat", "anthropic", "claude-sonnet-4-5", "{" HI R"(,"max_tokens":9000,"reasoning":{"max_tokens":3000}})", R"({"has":{"/thinking/budget_tokens":3000},"dropped":[]})"},
      // The following rules cover thinking budgets, sampling and efforts.
      {"no_budget_from_opus_4_7", "messages", "anthropic", "claude-opus-4-7", "{" MESSAGES R"(,"thinking":{"type":"enabled","budget_tokens":2048}})",
       R"({"has":{"/thinking/type":"adaptive","/output_config/effort":"low"}})"},
      {"no_budget_at_haiku_5_5", "messages", "anthropic", "claude-haiku-5-5", "{" MESSAGES R"(,"thinking":{"type":"enabled","budget_tokens":8192}})", R"({"has":{"/thinking/type":"adaptive"}})"},
      {"both_at_4_6", "messages", "anthropic", "claude-opus-4-6", "{" MESSAGES R"(,"thinking":{"type":"enabled","budget_tokens":2048}})", R"({"has":{"/thinking/budget_tokens":2048}})"},
      {"thinking_is_on_by_default", "chat", "anthropic", "claude-sonnet-5", "{" HI "}", R"({"lacks":["/thinking","/output_config"]})"},
      {"no_sampling_from_opus_4_7", "chat", "anthropic", "claude-opus-4-7", "{" HI R"(,"temperature":0.2,"top_p":0.5})", R"({"lacks":["/temperature","/top_p"],"dropped":["temperature","top_p"]})"},
      {"no_sampling_at_haiku_5_5", "chat", "anthropic", "claude-haiku-5-5", "{" HI R"(,"temperature":0.2})", R"({"lacks":["/temperature"],"dropped":["temperature"]})"},
      {"no_prefill_from_4_6", "messages", "anthropic", "claude-sonnet-4-6", R"({"max_tokens":9,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]})", R"({"skipped":"messages"})"},
      {"prefill_at_4_5", "messages", "anthropic", "claude-haiku-4-5", R"({"max_tokens":9,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]})", R"({"dropped":[]})"},
      {"efforts_of_opus_4_5", "messages", "anthropic", "claude-opus-4-5",
       "{" MESSAGES R"(,"output_config":{"effort":"max"},"betas":["effort-2025-11-24"]})", R"({"has":{"/output_config/effort":"high"}})"},
      {"efforts_of_4_6", "chat", "anthropic", "claude-opus-4-6", "{" HI R"(,"reasoning_effort":"xhigh"})", R"({"has":{"/output_config/effort":"high"}})"},
      {"max_at_4_6", "chat", "anthropic", "claude-sonnet-4-6", "{" HI R"(,"reasoning_effort":"max"})", R"({"has":{"/output_config/effort":"max"}})"},
      {"xhigh_from_opus_4_7", "chat", "anthropic", "claude-opus-5-5", "{" HI R"(,"reasoning_effort":"xhigh"})", R"({"has":{"/output_config/effort":"xhigh","/thinking/type":"adaptive"}})"},
      // Speed
      {"fast_opus_5_5", "messages", "anthropic", "claude-opus-5-5", "{" MESSAGES R"(,"speed":"fast","betas":["fast-mode-2026-02-01"]})",
       R"({"has":{"/speed":"fast"},"header":{"anthropic-beta":"fast-mode-2026-02-01"},"dropped":[]})"},
      {"fast_sonnet_5", "messages", "anthropic", "claude-sonnet-5", "{" MESSAGES R"(,"speed":"fast","betas":["fast-mode-2026-02-01"]})",
       R"({"lacks":["/speed"],"header":{"anthropic-beta":""},"dropped":["anthropic-beta","speed"]})"},
      // The following rules cover thinking blocks that are valid only in their original conversation.
      {"bound_thinking_of_fable_5_1", "messages", "anthropic", "claude-fable-5-1", "{" THOUGHT "}", drops_blocks},
      {"bound_thinking_of_fable_5_2", "messages", "anthropic", "claude-fable-5-2", "{" THOUGHT R"(,"thinking":{"type":"adaptive"}})", drops_blocks},
      {"bound_thinking_of_mythos_5_2", "messages", "anthropic", "claude-mythos-5-2", "{" THOUGHT R"(,"thinking":{"type":"disabled"}})", drops_blocks},
      {"bound_thinking_of_opus_5_5", "messages", "vertex-anthropic", "claude-opus-5-5", "{" THOUGHT R"(,"thinking":{"type":"enabled","budget_tokens":2048}})", drops_blocks},
      {"bound_thinking_of_sonnet_5_5", "messages", "anthropic", "claude-sonnet-5-5", "{" THOUGHT "}", drops_blocks},
      {"bound_thinking_at_bedrock", "messages", "bedrock", "eu.anthropic.claude-haiku-5-5", "{" THOUGHT "}",
       R"({"has":{"/thinking/block_binding/prefix_mismatch_behavior":"drop_block","/anthropic_beta/0":"thinking-binding-controls-2026-08-01"}})"},
      {"bound_thinking_as_its_client_says", "messages", "anthropic", "claude-opus-5-5",
       "{" THOUGHT R"(,"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"betas":["thinking-binding-controls-2026-08-01"]})", drops_blocks},
      {"unbound_thinking_of_opus_5", "messages", "anthropic", "claude-opus-5", "{" THOUGHT "}", R"({"lacks":["/thinking"],"header":{"anthropic-beta":""}})"},
      {"nothing_to_bind", "messages", "anthropic", "claude-opus-5-5", "{" MESSAGES "}", R"({"lacks":["/thinking"],"header":{"anthropic-beta":""}})"},
      // The following rules cover output limits and tools.
      {"output_of_4_5", "messages", "anthropic", "claude-sonnet-4-5", R"({"max_tokens":100000,"messages":[{"role":"user","content":"q"}]})", R"({"has":{"/max_tokens":64000}})"},
      {"output_of_5_5", "messages", "anthropic", "claude-opus-5-5", R"({"max_tokens":200000,"messages":[{"role":"user","content":"q"}]})", R"({"has":{"/max_tokens":128000}})"},
      {"no_computer_20251124_at_opus_5_5", "messages", "anthropic", "claude-opus-5-5",
       "{" MESSAGES R"(,"tools":[{"type":"computer_20251124","name":"computer"}],"betas":["computer-use-2025-11-24"]})", R"({"skipped":"tools"})"},
      {"computer_20251124_at_opus_5", "messages", "anthropic", "claude-opus-5",
       "{" MESSAGES R"(,"tools":[{"type":"computer_20251124","name":"computer"}],"betas":["computer-use-2025-11-24"]})", R"({"dropped":[]})"},
      // The following rules cover beta features that only some clouds have.
      {"tool_search_at_bedrock", "messages", "bedrock", "anthropic.claude-sonnet-5",
       "{" MESSAGES R"(,"tools":[{"name":"f","input_schema":{"type":"object"},"defer_loading":true,"input_examples":[{}]}],"betas":["claude-code-20250219","advanced-tool-use-2025-11-20"]})",
       R"({"has":{"/anthropic_beta":["tool-search-tool-2025-10-19"],"/tools/0/defer_loading":true},"lacks":["/tools/0/input_examples"],"dropped":["anthropic-beta","tools[].input_examples"]})"},
      {"tool_search_at_vertex", "messages", "vertex-anthropic", "claude-sonnet-5",
       "{" MESSAGES R"(,"tools":[{"name":"f","input_schema":{"type":"object"},"defer_loading":true,"input_examples":[{}]}],"betas":["claude-code-20250219","advanced-tool-use-2025-11-20"]})",
       R"({"has":{"/tools/0/defer_loading":true},"lacks":["/tools/0/input_examples"],"header":{"anthropic-beta":"claude-code-20250219,tool-search-tool-2025-10-19"},"dropped":["tools[].input_examples"]})"},
      {"compaction_at_bedrock", "messages", "bedrock", "anthropic.claude-sonnet-5", "{" MESSAGES R"(,"compaction":{"type":"auto"},"betas":["compact-2026-09-04"]})",
       R"({"has":{"/anthropic_beta":["compact-2026-09-04"],"/compaction/type":"auto"},"dropped":[]})"},
      {"compaction_at_mantle", "messages", "bedrock-mantle", "anthropic.claude-sonnet-5", "{" MESSAGES R"(,"compaction":{"type":"auto"},"betas":["compact-2026-09-04"]})",
       R"({"lacks":["/compaction"],"header":{"anthropic-beta":""},"dropped":["anthropic-beta","compaction"]})"},
      {"a_budget_of_tasks_at_bedrock", "messages", "bedrock", "anthropic.claude-opus-5",
       "{" MESSAGES R"(,"output_config":{"effort":"high","task_budget":{"tokens":9}},"betas":["task-budgets-2026-03-13"]})",
       R"({"has":{"/output_config":{"effort":"high"}},"dropped":["anthropic-beta","output_config.task_budget"]})"},
      {"an_unknown_beta_at_vertex", "messages", "vertex-anthropic", "claude-opus-5", "{" MESSAGES R"(,"diagnostics":{},"betas":["cache-diagnosis-2026-04-07"]})",
       R"({"lacks":["/diagnostics"],"header":{"anthropic-beta":""},"dropped":["anthropic-beta","diagnostics"]})"},
      {"every_beta_at_anthropic", "messages", "anthropic", "claude-opus-5", "{" MESSAGES R"(,"betas":["anything-2027-01-01"]})", R"({"header":{"anthropic-beta":"anything-2027-01-01"},"dropped":[]})"},
      {"a_tool_that_vertex_does_not_run", "messages", "vertex-anthropic", "claude-opus-5", "{" MESSAGES R"(,"tools":[{"type":"code_execution_20250825","name":"c"}]})", R"({"skipped":"tools"})"},
      {"a_tool_that_bedrock_does_not_run", "messages", "bedrock", "anthropic.claude-opus-5", "{" MESSAGES R"(,"tools":[{"type":"web_search_20250305","name":"c"}]})", R"({"skipped":"tools"})"},
  };
}

#undef HI
#undef MESSAGES
#undef TOOL
#undef FORCED
#undef THOUGHT

}  // namespace photofinish::proxy::rules
