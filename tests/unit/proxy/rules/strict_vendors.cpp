#include "tests/unit/proxy/rules/strict_vendors.hpp"

#include <algorithm>
#include <initializer_list>
#include <regex>
#include <set>
#include <string_view>
#include <vector>

namespace photofinish::proxy::rules {
namespace {

using nlohmann::json;
using words = std::set<std::string>;

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
bool holds_one(const std::string& text, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(), [&text](const char* part) { return holds(text, part); });
}
std::string word(const json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}
json list(const json& object, const char* key) { return object.is_object() ? object.value(key, json::array()) : json::array(); }
bool is_set(const json& body, const char* key) { return body.contains(key) && !body[key].is_null(); }

std::string unsupported(const std::string& param) { return "Unsupported parameter: '" + param + "' is not supported with this model."; }

// OpenAI

// Returns the version of a GPT model as a number, for example 504 for gpt-5.4. Returns 0 for other models.
int gpt_version(const std::string& model) {
  std::smatch found;
  if (holds(model, "gpt-oss") || !std::regex_search(model, found, std::regex("gpt-([5-9])(?:\\.([0-9]))?"))) return 0;
  return std::stoi(found[1]) * 100 + (found[2].matched ? std::stoi(found[2]) : 0);
}

words efforts_of(const std::string& model) {
  const int version = gpt_version(model);
  const words all{"none", "low", "medium", "high", "xhigh", "max"}, no_max{"none", "low", "medium", "high", "xhigh"};
  const words no_none{"low", "medium", "high", "xhigh", "max"};
  if (holds(model, "-pro")) return version == 500 ? words{"high"} : words{"medium", "high", "xhigh"};
  if (holds_one(model, {"6-astra", "6.1-sol", "6.2-", "cyber"})) return no_none;
  if (holds_one(model, {"gpt-5.6", "6-sol", "6-luna", "6.1-terra"})) return all;
  if (holds(model, "-chat")) return {"medium"};
  if (version == 500) return {"minimal", "low", "medium", "high"};
  if (version == 501) return {"none", "low", "medium", "high"};
  return no_max;
}

bool is_openai_host(const std::string& host) {
  return host == "api.openai.com" || host.ends_with(".openai.azure.com") || host.starts_with("bedrock-mantle.");
}

bool has_functions(const json& body) {
  const json tools = list(body, "tools");
  return std::any_of(tools.begin(), tools.end(), [](const json& each) { return word(each, "type") == "function"; });
}

bool forces(const json& choice) {
  if (choice.is_string()) return choice == "required";
  return choice.is_object() && word(choice, "type") != "auto" && word(choice, "type") != "none";
}

std::string tools_with_reasoning(const vendor_request& request, int version, const std::string& effort) {
  if (!has_functions(request.body) || version < 504 || effort == "none") return {};
  const bool is_said = !effort.empty(), is_foundry = request.host.ends_with(".services.ai.azure.com");
  bool is_refused = is_said;
  if (is_openai_host(request.host)) is_refused = true;
  if (is_foundry) is_refused = is_said ? version >= 506 : version >= 600;
  return is_refused ? "Function tools with reasoning_effort are not supported for " + request.model +
                          " in /v1/chat/completions. Please use /v1/responses instead."
                    : "";
}

std::string sampling_fault(const json& body, bool thinks) {
  for (const char* key : {"temperature", "top_p", "frequency_penalty", "presence_penalty", "logit_bias", "logprobs", "top_logprobs"})
    if (thinks && is_set(body, key)) return unsupported(key);
  return {};
}

std::string cache_fault(const json& body, int version) {
  if (version >= 506) return {};
  if (is_set(body, "prompt_cache_options")) return unsupported("prompt_cache_options");
  return holds(body.dump(), "prompt_cache_breakpoint") ? unsupported("prompt_cache_breakpoint") : "";
}

std::string gpt_chat_fault(const vendor_request& request, int version) {
  const json& body = request.body;
  if (holds_one(request.model, {"-pro", "codex"})) return "This model is only supported in v1/responses and not in v1/chat/completions.";
  if (is_set(body, "max_tokens")) return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
  if (body.value("max_completion_tokens", 0) > 128'000) return "max_completion_tokens is too large";
  const std::string effort = word(body, "reasoning_effort");
  if (effort == "max" || (!effort.empty() && !efforts_of(request.model).contains(effort)))
    return "Unsupported value: 'reasoning_effort' does not support '" + effort + "' with this model.";
  for (const json& tool : list(body, "tools"))
    if (word(tool, "type") != "function" && word(tool, "type") != "custom") return "Invalid value: '" + word(tool, "type") + "'.";
  if (std::string fault = tools_with_reasoning(request, version, effort); !fault.empty()) return fault;
  const bool is_off_by_default = version >= 501 && version <= 504;
  if (std::string fault = sampling_fault(body, effort.empty() ? !is_off_by_default : effort != "none"); !fault.empty()) return fault;
  for (const char* key : {"stop", "prediction", "audio"})
    if (is_set(body, key)) return unsupported(key);
  return cache_fault(body, version);
}

std::string gpt_responses_fault(const vendor_request& request, int version) {
  const json& body = request.body;
  const std::string effort = word(body.value("reasoning", json::object()), "effort");
  if (!effort.empty() && !efforts_of(request.model).contains(effort)) return "Unsupported value: 'reasoning.effort' does not support '" + effort + "'.";
  for (const char* key : {"stop", "prediction", "audio", "frequency_penalty", "presence_penalty", "seed", "n", "messages"})
    if (is_set(body, key)) return "Unknown parameter: '" + std::string(key) + "'.";
  const bool is_off_by_default = version >= 501 && version <= 504;
  for (const char* key : {"temperature", "top_p"})
    if ((effort.empty() ? !is_off_by_default : effort != "none") && is_set(body, key)) return unsupported(key);
  return cache_fault(body, version);
}

// The following functions simulate vendors other than OpenAI that use OpenAI's chat API.

std::string unknown_effort(const std::string& effort, const words& taken) {
  return effort.empty() || taken.contains(effort) ? "" : "reasoning_effort: unknown value " + effort;
}

// If a tool's schema contains references, GLM returns the arguments of calls as strings. Clients cannot use such arguments, so the test
// treats this case like a refusal.
std::string ref_fault(const json& body) { return holds(body.value("tools", json::array()).dump(), "$ref") ? "arguments of a $ref come as strings" : ""; }

std::string deepseek_fault(const json& body) {
  if (is_set(body, "max_completion_tokens")) return "max_completion_tokens is ignored silently";
  if (word(body.value("response_format", json::object()), "type") == "json_schema") return "This response_format type is unavailable now";
  const bool thinks = word(body.value("thinking", json::object()), "type") != "disabled";
  if (std::string fault = unknown_effort(word(body, "reasoning_effort"), {"low", "high", "max"}); !fault.empty()) return fault;
  if (thinks && forces(body.value("tool_choice", json()))) return "Thinking mode does not support this tool_choice";
  for (const json& each : list(body, "messages"))
    if (thinks && word(each, "role") == "assistant" && word(each, "reasoning_content").empty())
      return "The reasoning_content in the thinking mode must be passed back to the API.";
  return {};
}

std::string kimi_fault(const json& body) {
  if (word(body.value("thinking", json::object()), "type") == "disabled") return "thinking can not be disabled";
  if (std::string fault = unknown_effort(word(body, "reasoning_effort"), {"low", "high", "max"}); !fault.empty()) return fault;
  if (body.value("temperature", 1.0) != 1) return "invalid temperature: only 1 is allowed for this model";
  for (const char* key : {"top_p", "frequency_penalty", "presence_penalty"})
    if (is_set(body, key)) return "invalid " + std::string(key);
  if (body.value("n", 1) != 1) return "invalid n";
  if (forces(body.value("tool_choice", json()))) return "tool_choice 'required' is not supported";
  const json stop = body.value("stop", json::array());
  if (stop.is_array() && stop.size() > 5) return "stop: at most 5";
  for (const json& each : stop)
    if (each.is_string() && each.get<std::string>().size() > 32) return "stop: at most 32 bytes";
  for (const json& each : list(body, "messages"))
    if (each.contains("tool_calls") && word(each, "reasoning_content").empty()) return "thinking is enabled but reasoning_content is missing";
  return {};
}

std::string glm_fault(const json& body) {
  if (word(body.value("thinking", json::object()), "type") == "disabled") return "please use low, high, or max";
  if (std::string fault = unknown_effort(word(body, "reasoning_effort"), {"low", "high", "max"}); !fault.empty()) return fault;
  if (body.value("max_tokens", 0) > 131'072) return "max_tokens must be at most 131072";
  const bool has_tools = !list(body, "tools").empty();
  if (has_tools && body.value("stream", false) && !body.value("tool_stream", false)) return "arguments come in one piece after minutes";
  return ref_fault(body);
}

std::string grok_fault(const vendor_request& request) {
  const std::string& model = request.model;
  const std::string effort = word(request.body, "reasoning_effort");
  if (holds(model, "4.20")) return effort.empty() ? "" : "This model does not support parameter reasoningEffort.";
  words taken{"low", "medium", "high"};
  if (holds(model, "4.3")) taken.insert("none");
  if (holds(model, "4.7")) taken.insert("xhigh");
  return unknown_effort(effort, taken);
}

std::string mistral_fault(const vendor_request& request) {
  static const std::regex id("^[a-zA-Z0-9]{9}$");
  if (holds(request.model, "magistral") && word(request.body, "reasoning_effort") == "none") return "magistral always thinks";
  if (holds(request.model, "glm-5-3"))
    if (std::string fault = ref_fault(request.body); !fault.empty()) return fault;
  for (const json& message : list(request.body, "messages")) {
    if (message.contains("tool_call_id") && !std::regex_match(word(message, "tool_call_id"), id)) return "Tool call id has to be 9 letters and digits (3280)";
    for (const json& call : list(message, "tool_calls"))
      if (!std::regex_match(word(call, "id"), id)) return "Tool call id has to be 9 letters and digits (3280)";
  }
  return {};
}

std::string minimax_fault(const vendor_request& request) {
  const std::string type = word(request.body.value("thinking", json::object()), "type");
  const bool is_chat = request.path == "/v1/chat/completions";
  if (!is_chat && request.path != "/anthropic/v1/messages") return "404";
  if (is_chat && is_set(request.body, "max_tokens")) return "invalid params (2013): max_tokens";
  if (is_chat && type == "enabled") return "invalid params (2013): thinking.type";
  if (holds(request.model, "M3.1-Flash") && type == "disabled") return "invalid params (2013): thinking cannot be disabled";
  return word(request.body, "reasoning_effort") == "none" ? "invalid params (2013): reasoning_effort" : "";
}

std::string meta_fault(const json& body) {
  if (is_set(body, "tool_choice") && body["tool_choice"] != "auto") return "only tool_choice 'auto' is supported";
  return unknown_effort(word(body, "reasoning_effort"), {"minimal", "low", "medium", "high", "xhigh", "max"});
}

// The library perplexityai 0.46.1 lists the members that Perplexity permits. anomalyco/opencode#32108 shows the error for any other member.
std::string perplexity_fault(const vendor_request& request) {
  static const words known{"background", "input", "instructions", "language_preference", "max_output_tokens", "max_steps", "model", "models", "preset",
                           "previous_response_id", "reasoning", "response_format", "skills", "store", "stream", "tools"};
  if (request.path != "/v1/responses") return "404";
  for (const auto& [key, value] : request.body.items())
    if (!known.contains(key)) return "json: unknown field \"" + key + "\"";
  const json reasoning = request.body.value("reasoning", json::object()), input = request.body.value("input", json());
  for (const auto& [key, value] : reasoning.items())
    if (key != "effort") return "json: unknown field \"" + key + "\"";
  if (!input.is_array()) return "";
  const bool all_typed = std::all_of(input.begin(), input.end(), [](const json& item) { return item.contains("type"); });
  return all_typed ? "" : "input: each item needs a type";
}

std::string oss_fault(const vendor_request& request) {
  const bool is_responses = request.path.ends_with("/responses");
  if (is_responses && holds(request.model, "safeguard")) return "model is not served here";
  const std::string effort = is_responses ? word(request.body.value("reasoning", json::object()), "effort") : word(request.body, "reasoning_effort");
  if (std::string fault = unknown_effort(effort, {"low", "medium", "high"}); !fault.empty()) return fault;
  const bool is_mantle = request.host.starts_with("bedrock-mantle.");
  if (is_responses && is_mantle && forces(request.body.value("tool_choice", json()))) return "Invalid 'tool_choice': Supported options: [\"auto\"]";
  return ref_fault(request.body);
}

std::string mantle_fault(const vendor_request& request) {
  if (!request.host.starts_with("bedrock-mantle.")) return {};
  const bool is_newer = gpt_version(request.model) > 0 || holds_one(request.model, {"grok", "gemma-4"});
  const std::string right = holds(request.model, "anthropic.") ? "/anthropic/v1/" : is_newer ? "/openai/v1/" : "/v1/";
  return request.path.starts_with(right) ? "" : "404 model is not served at " + request.path;
}

std::string qwen_fault(const vendor_request& request) {
  if (holds(request.model, "coder") && forces(request.body.value("tool_choice", json()))) return "tool_choice required is not supported";
  if (request.body.value("max_tokens", 0) > 131'072) return "Range of max_tokens should be [1, 131072]";
  const bool is_off = word(request.body, "reasoning_effort") == "none";
  const bool is_own = request.host.ends_with("aliyuncs.com");
  return is_own && is_off && request.body.value("enable_thinking", true) ? "it thinks unless enable_thinking is false" : "";
}

std::string openai_fault(const vendor_request& request) {
  const int version = gpt_version(request.model);
  const bool is_chat = request.path.ends_with("/chat/completions");
  if (request.host == "api.perplexity.ai") return perplexity_fault(request);
  if (request.host == "api.minimax.io") return minimax_fault(request);
  if (holds(request.model, "gpt-oss")) return oss_fault(request);
  if (version > 0) return is_chat ? gpt_chat_fault(request, version) : gpt_responses_fault(request, version);
  if (holds(request.model, "gpt-4")) return cache_fault(request.body, 400);
  if (holds(request.model, "qwen")) return qwen_fault(request);
  if (request.host == "api.mistral.ai") return mistral_fault(request);
  if (holds(request.model, "grok")) return is_chat ? grok_fault(request) : "";
  if (!is_chat) return {};
  if (request.host == "api.deepseek.com") return deepseek_fault(request.body);
  if (request.host == "api.moonshot.ai") return kimi_fault(request.body);
  if (request.host == "api.z.ai") return glm_fault(request.body);
  if (request.host == "api.meta.ai") return meta_fault(request.body);
  return holds_one(request.model, {"glm-5p3", "GLM-5.3"}) ? ref_fault(request.body) : "";
}

// Claude

bool is_version(const std::string& model, const std::string& name) {
  return std::regex_search(model, std::regex("claude-" + name + "($|@|:|-v|-20)"));
}
bool is_one(const std::string& model, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&model](const char* name) { return is_version(model, name); });
}

bool is_before_5(const std::string& model) { return holds_one(model, {"-4-5", "-4-6", "-4-1", "-4-0", "claude-3"}); }

std::string claude_thinking_fault(const json& body, const std::string& model) {
  const json thinking = body.value("thinking", json::object());
  const std::string type = word(thinking, "type"), effort = word(body.value("output_config", json::object()), "effort");
  const bool has_no_off = is_one(model, {"opus-5-5", "fable-5", "fable-5-1", "fable-5-2", "mythos-5", "mythos-5-1", "mythos-5-2"});
  if ((type == "disabled" || type == "between_tools") && has_no_off) return "thinking cannot be turned off for this model";
  if (type == "disabled" && is_version(model, "sonnet-5-5")) return "use {\"type\":\"between_tools\"} to turn thinking off";
  if (type == "between_tools" && !is_version(model, "sonnet-5-5")) return "thinking.type: unknown value";
  const bool is_off = type == "disabled" || type == "between_tools";
  if (is_off && (effort == "xhigh" || effort == "max") && is_one(model, {"opus-5", "haiku-5-5", "sonnet-5-5"})) return "effort at most high without thinking";
  const bool takes_budget = is_before_5(model), is_adaptive_too = holds(model, "-4-6") || !is_before_5(model);
  if (type == "enabled" && !takes_budget) return "thinking.type.enabled is not supported for this model";
  if (type == "adaptive" && !is_adaptive_too) return "adaptive thinking is not supported on this model";
  words efforts{"low", "medium", "high", "xhigh", "max"};
  if (holds(model, "-4-6")) efforts = {"low", "medium", "high", "max"};
  if (holds(model, "opus-4-5")) efforts = {"low", "medium", "high"};
  if (holds_one(model, {"sonnet-4-5", "haiku-4-5"})) efforts = {};
  return effort.empty() || efforts.contains(effort) ? "" : "output_config.effort: " + effort + " is not supported";
}

struct beta_member {
  const char* beta;
  const char* pointer;  // a text that is permitted in the body only if the request names the beta feature
};
constexpr beta_member beta_members[] = {{"fast-mode-2026-02-01", "\"speed\""}, {"compact-2026-09-04", "\"compaction\":"},
                                        {"task-budgets-2026-03-13", "\"task_budget\""}, {"cache-diagnosis-2026-04-07", "\"diagnostics\""},
                                        {"thinking-binding-controls-2026-08-01", "\"block_binding\""}, {"context-management-2025-06-27", "\"context_management\""}};

std::string beta_fault(const std::string& body, const words& betas) {
  for (const auto& [beta, member] : beta_members)
    if (holds(body, member) != betas.contains(beta) && (holds(body, member) || beta == std::string("thinking-binding-controls-2026-08-01")))
      return std::string(member) + ": Extra inputs are not permitted";
  const bool searches = betas.contains("tool-search-tool-2025-10-19") || betas.contains("advanced-tool-use-2025-11-20");
  if (holds(body, "\"defer_loading\"") && !searches) return "tools.0.defer_loading: Extra inputs are not permitted";
  const bool shows = betas.contains("tool-examples-2025-10-29") || betas.contains("advanced-tool-use-2025-11-20");
  return holds(body, "\"input_examples\"") && !shows ? "tools.0.input_examples: Extra inputs are not permitted" : "";
}

words known_betas(const vendor_request& request) {
  if (request.host.starts_with("bedrock-runtime."))
    return {"compact-2026-01-12", "compact-2026-09-04", "computer-use-2025-11-24", "context-1m-2025-08-07", "context-management-2025-06-27",
            "effort-2025-11-24", "fine-grained-tool-streaming-2025-05-14", "thinking-binding-controls-2026-08-01", "tool-search-tool-2025-10-19"};
  return {"claude-code-20250219", "compact-2026-01-12", "context-1m-2025-08-07", "context-management-2025-06-27", "effort-2025-11-24",
          "interleaved-thinking-2025-05-14", "tool-search-tool-2025-10-19", "tool-examples-2025-10-29", "task-budgets-2026-03-13",
          "thinking-binding-controls-2026-08-01", "compact-2026-09-04"};
}

std::string claude_fault(const vendor_request& request) {
  const json& body = request.body;
  const std::string& model = request.model;
  words betas;
  for (const json& each : list(body, "anthropic_beta")) betas.insert(each.get<std::string>());
  if (const auto header = request.headers.find("anthropic-beta"); header != request.headers.end()) {
    const std::regex comma(" *, *");
    betas.insert(std::sregex_token_iterator(header->second.begin(), header->second.end(), comma, -1), std::sregex_token_iterator());
  }
  if (request.host != "api.anthropic.com")
    for (const std::string& each : betas)
      if (!known_betas(request).contains(each)) return "invalid beta flag: " + each;
  if (std::string fault = beta_fault(body.dump(), betas); !fault.empty()) return fault;
  const std::string choice = word(body.value("tool_choice", json::object()), "type");
  const bool is_unforced = is_one(model, {"opus-5-5", "sonnet-5-5", "fable-5-1", "fable-5-2", "mythos-5-1", "mythos-5-2"});
  if (is_unforced && (choice == "any" || choice == "tool")) return "tool_choice forces tool use is not supported";
  if (std::string fault = claude_thinking_fault(body, model); !fault.empty()) return fault;
  for (const char* key : {"temperature", "top_p", "top_k"})
    if (!is_before_5(model) && is_set(body, key)) return std::string("`") + key + "` is deprecated for this model.";
  const bool refuses_prefill = !is_before_5(model) || holds(model, "-4-6");
  if (refuses_prefill && body["messages"].back()["role"] == "assistant") return "This model does not support assistant message prefill.";
  if (word(body, "speed") == "fast" && !is_one(model, {"opus-4-8", "opus-5", "opus-5-5", "fable-5-2", "mythos-5-2"})) return "speed: fast is not supported";
  for (const json& tool : list(body, "tools"))
    if (is_version(model, "opus-5-5") && word(tool, "type").starts_with("computer_20251124")) return "tools: computer_20251124 is not supported";
  const int most = holds_one(model, {"-4-5"}) ? 64'000 : 128'000;
  if (body.value("max_tokens", 0) > most) return "max_tokens: more than the model's limit";
  const bool binds = is_one(model, {"fable-5-1", "fable-5-2", "mythos-5-2", "opus-5-5", "sonnet-5-5", "haiku-5-5"});
  const bool drops = word(body.value("thinking", json::object()).value("block_binding", json::object()), "prefix_mismatch_behavior") == "drop_block";
  return binds && holds(body.dump(), "\"signature\"") && !drops ? "a thinking block does not match the conversation" : "";
}

// Google

std::string gemini_fault(const vendor_request& request) {
  const json generation = request.body.value("generationConfig", json::object());
  const std::string& model = request.model;
  const bool is_newest = holds_one(model, {"gemini-3.6", "gemini-3.7", "gemini-3.8", "gemini-4", "gemini-3.5-flash-lite"});
  for (const char* key : {"presencePenalty", "frequencyPenalty", "temperature", "topP", "topK"})
    if (is_newest && generation.contains(key)) return "Penalty and sampling are not enabled for this model: " + std::string(key);
  if (is_newest && word(request.body["contents"].back(), "role") == "model") return "Please ensure that the last content is of the role user";
  const std::string tier = word(request.body, "serviceTier");
  const bool is_vertex = request.host.ends_with("aiplatform.googleapis.com");
  if (!tier.empty() && (is_vertex || !words{"standard", "flex", "priority"}.contains(tier))) return "Unknown name \"serviceTier\": " + tier;
  if (holds(model, "gemini-2.0") && !tier.empty()) return "serviceTier is not supported for this model";
  const json thinking = generation.value("thinkingConfig", json());
  if (holds(model, "2.5-flash-image") && !thinking.is_null()) return "Thinking is not enabled for this model";
  if (holds(model, "2.5-pro") && thinking.is_object() && thinking.value("thinkingBudget", 1) == 0) return "Budget 0 is invalid. This model only works in thinking mode.";
  words levels{"low", "medium", "high"};
  if (holds(model, "gemini-3-pro")) levels = {"low", "high"};
  if (holds_one(model, {"gemini-3-flash", "3.1-flash", "3.5-flash", "3.6-flash"})) levels.insert("minimal");
  if (holds(model, "gemini-4-hydrogen")) levels.insert("xhigh");
  const std::string level = word(thinking.is_object() ? thinking : json::object(), "thinkingLevel");
  if (!level.empty() && !levels.contains(level)) return "Thinking level " + level + " is not supported for this model";
  if (holds(model, "gemini-4-argon") && request.body.contains("cachedContent")) return "cachedContent is not supported";
  return holds(model, "gemini-4-argon") && generation.value("maxOutputTokens", 0) > 65'536 ? "maxOutputTokens: at most 65536" : "";
}

std::string converse_fault(const vendor_request& request) {
  const json more = request.body.value("additionalModelRequestFields", json::object());
  const std::string effort = word(more.value("reasoning", json::object()), "effort");
  const bool has_no_none = holds_one(request.model, {"gpt-6.1-sol", "gpt-6-astra"});
  if (has_no_none && effort == "none") return "reasoning.effort: none is not supported";
  const json tier = request.body.value("serviceTier", json());
  if (!tier.is_null() && holds(request.model, "llama")) return "serviceTier is not supported for this model";
  if (!tier.is_null() && !words{"default", "flex", "priority", "reserved"}.contains(word(tier, "type"))) return "serviceTier.type";
  return holds(request.model, "glm-5.3") ? ref_fault(request.body.value("toolConfig", json::object())) : "";
}

}  // namespace

std::string refusal_of(const vendor_request& request) {
  if (std::string fault = mantle_fault(request); !fault.empty()) return fault;
  if (holds(request.path, "ontent")) return gemini_fault(request);  // generateContent, streamGenerateContent
  if (holds(request.path, "/converse")) return converse_fault(request);
  if (holds(request.model, "claude")) return claude_fault(request);
  return openai_fault(request);
}

}  // namespace photofinish::proxy::rules
