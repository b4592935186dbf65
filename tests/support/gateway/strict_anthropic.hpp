// Simulates a provider of Anthropic's Messages API. It refuses the same requests as the real provider, and answers with signed thinking.
#pragma once

#include "tests/support/gateway/calling_provider.hpp"
#include "tests/support/gateway/scripted_provider.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {

class strict_anthropic {
 public:
  using json = nlohmann::json;

  // The operator of the simulated model. Cloud operators refuse `cache_control` at the top level of a request. Bedrock also refuses the
  // billing text that Claude Code adds to its requests.
  enum class place { anthropic, cloud, bedrock };
  explicit strict_anthropic(place where = place::anthropic) : where_(where) {}

  // Returns the reason if the provider refuses this request, otherwise an empty string. The provider accepts only
  // signatures that this object issued.
  std::string fault_of(const json& request, bool has_beta = false) const {
    for (const auto& [key, value] : request.items()) {
      const bool is_known = known_members().contains(key) || (key == "cache_control" && where_ == place::anthropic);
      if (!is_known && !has_beta) return key + ": Extra inputs are not permitted";
    }
    if (where_ == place::bedrock && request.dump().find("x-anthropic-billing-header") != std::string::npos)
      return "x-anthropic-billing-header is a reserved keyword and may not be used in the system prompt.";
    if (marks_in(request) > 4) return "A maximum of 4 blocks with cache_control may be provided.";
    if (!request.contains("max_tokens") || !request["max_tokens"].is_number_integer()) return "max_tokens: Field required";
    const std::string model = request.value("model", "");
    if (model.empty()) return "model: Field required";
    const bool is_newest = model.find("-5") != std::string::npos && model.find("-4-5") == std::string::npos;
    if (std::string fault = fault_of_thinking(request, is_newest); !fault.empty()) return fault;
    if (std::string fault = fault_of_tools(request); !fault.empty()) return fault;
    if (!request.contains("messages") || !request["messages"].is_array() || request["messages"].empty())
      return "messages: at least one message is required";
    if (request.contains("system"))
      if (std::string fault = fault_of_texts(request["system"], "system"); !fault.empty()) return fault;
    return fault_of_messages(request, is_newest);
  }

  // Returns a new signature. The thinking of each answer gets its own signature.
  std::string issue() {
    signatures_.insert("sig+/" + std::to_string(signatures_.size() + 1) + "==");
    return *std::prev(signatures_.end());
  }
  void accept(const std::string& signature) { signatures_.insert(signature); }

 private:
  static std::size_t marks_in(const json& value) {
    std::size_t count = value.is_object() && value.contains("cache_control") ? 1 : 0;
    for (const json& each : value)
      if (each.is_structured()) count += marks_in(each);
    return count;
  }

  static const std::set<std::string>& known_members() {
    static const std::set<std::string> known{"model",       "max_tokens",    "messages", "system",   "tools",   "tool_choice",
                                             "temperature", "top_p",         "top_k",    "metadata", "stream",  "thinking",
                                             "stop_sequences", "output_config", "service_tier"};
    return known;
  }

  static std::string fault_of_thinking(const json& request, bool is_newest) {
    for (const char* key : {"temperature", "top_p", "top_k"})
      if (is_newest && request.contains(key)) return std::string("`") + key + "` is deprecated for this model.";
    if (request.value("temperature", 1.0) > 1) return "temperature: range: 0..1";
    const json thinking = request.value("thinking", json::object());
    const std::string type = thinking.value("type", "");
    if (type == "enabled" && is_newest) return "thinking.type.enabled is not supported for this model";
    if (type == "adaptive" && !is_newest) return "adaptive thinking is not supported on this model";
    if (type != "enabled" && type != "adaptive") return {};
    if (type == "enabled") {
      const int budget = thinking.value("budget_tokens", 0);
      if (budget < 1024) return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
      if (budget >= request["max_tokens"]) return "`max_tokens` must be greater than `thinking.budget_tokens`";
    }
    if (request.contains("temperature") && request["temperature"] != 1) return "`temperature` may only be set to 1 when thinking is enabled";
    const std::string choice = request.value("tool_choice", json::object()).value("type", "");
    return choice == "any" || choice == "tool" ? "Thinking may not be enabled when tool_choice forces tool use." : "";
  }

  static std::string fault_of_tools(const json& request) {
    static const std::regex name("^[a-zA-Z0-9_-]{1,128}$");
    for (const json& tool : request.value("tools", json::array())) {
      if (!std::regex_match(tool.value("name", ""), name)) return "tools.0.name: String should match pattern";
      if (tool.value("input_schema", json::object()).value("type", "") != "object") return "tools.0.input_schema.type: Field required";
    }
    return {};
  }

  static bool is_blank(const json& text) {
    return !text.is_string() || text.get<std::string>().find_first_not_of(" \t\r\n") == std::string::npos;
  }

  static std::string fault_of_texts(const json& content, const std::string& where) {
    if (content.is_string()) return content.get<std::string>().empty() ? where + ": must be non-empty" : "";
    if (!content.is_array() || content.empty()) return where + ": must have non-empty content";
    for (const json& each : content)
      if (each.value("type", "") == "text" && is_blank(each.value("text", json())))
        return where + ": text content blocks must contain non-whitespace text";
    return {};
  }

  std::string fault_of_messages(const json& request, bool is_newest) const {
    std::set<std::string> ids, open;
    std::string last_role;
    bool begins_with_thinking = false, is_result_last = false;
    for (const json& message : request["messages"]) {
      const std::string role = message.value("role", "");
      if (last_role.empty() && role != "user") return "messages: first message must use the \"user\" role";
      if (role == last_role) return "messages: roles must alternate between \"user\" and \"assistant\"";
      if (role != "user" && role != "assistant") return "messages: Unexpected role";
      if (std::string fault = fault_of_texts(message.value("content", json()), "messages"); !fault.empty()) return fault;
      const json blocks = message["content"].is_array() ? message["content"] : json::array();
      if (role == "assistant") {
        open.clear();
        const std::string first = blocks.empty() ? "" : blocks[0].value("type", "");
        begins_with_thinking = first == "thinking" || first == "redacted_thinking";
        if (std::string fault = fault_of_answer(blocks, ids, open); !fault.empty()) return fault;
      } else {
        std::set<std::string> waiting = std::exchange(open, {});
        is_result_last = !waiting.empty();
        if (std::string fault = fault_of_results(blocks, waiting); !fault.empty()) return fault;
      }
      last_role = role;
    }
    if (!open.empty()) return "`tool_use` ids were found without `tool_result` blocks immediately after";
    if (last_role == "assistant" && is_newest) return "This model does not support assistant message prefill. The conversation must end with a user message.";
    const bool thinks_by_budget = request.value("thinking", json::object()).value("type", "") == "enabled";
    if (thinks_by_budget && is_result_last && !begins_with_thinking)
      return "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` "
             "message must start with a thinking block";
    return {};
  }

  std::string fault_of_answer(const json& blocks, std::set<std::string>& ids, std::set<std::string>& open) const {
    static const std::regex id("^[a-zA-Z0-9_-]+$");
    for (const json& each : blocks) {
      const std::string type = each.value("type", "");
      if (type == "thinking" && !signatures_.contains(each.value("signature", ""))) return "Invalid `signature` in `thinking` block";
      if (type == "redacted_thinking" && !signatures_.contains(each.value("data", ""))) return "Invalid `data` in `redacted_thinking` block";
      if (type != "tool_use") continue;
      if (!std::regex_match(each.value("id", ""), id)) return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
      if (!each.value("input", json()).is_object()) return "tool_use.input: Input should be a valid dictionary";
      if (!ids.insert(each["id"]).second) return "`tool_use` ids must be unique";
      open.insert(each["id"]);
    }
    return {};
  }

  static std::string fault_of_results(const json& blocks, std::set<std::string>& waiting) {
    bool is_behind = false;
    for (const json& each : blocks) {
      if (each.value("type", "") != "tool_result") {
        is_behind = true;
        continue;
      }
      if (waiting.erase(each.value("tool_use_id", "")) == 0) return "unexpected `tool_use_id` found in `tool_result` blocks";
      if (is_behind) return "`tool_result` blocks must come first";
    }
    return waiting.empty() ? "" : "`tool_use` ids were found without `tool_result` blocks immediately after";
  }

  const place where_;
  std::set<std::string> signatures_;
};

// {"type":"error",…}
inline std::string anthropic_error(const std::string& message, const std::string& type = "invalid_request_error") {
  return nlohmann::json{{"type", "error"}, {"error", {{"type", type}, {"message", message}}}}.dump();
}

// Returns the events with which Anthropic streams an answer that has these blocks.
inline std::vector<nlohmann::json> message_events(const nlohmann::json& blocks, const std::string& stop) {
  using nlohmann::json;
  std::vector<json> events;
  const auto send = [&events](json event) { events.push_back(std::move(event)); };
  send({{"type", "message_start"},
        {"message",
         {{"id", "msg_1"}, {"type", "message"}, {"role", "assistant"}, {"model", "claude-native"}, {"content", json::array()},
          {"stop_reason", nullptr}, {"stop_sequence", nullptr},
          {"usage", {{"input_tokens", 10}, {"cache_creation_input_tokens", 3}, {"cache_read_input_tokens", 5}, {"output_tokens", 1}}}}}});
  send({{"type", "ping"}});
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    json begun = blocks[at];
    const std::string type = begun["type"];
    const auto part = [&](const std::string& kind, const std::string& key, const json& value) {
      send({{"type", "content_block_delta"}, {"index", at}, {"delta", {{"type", kind}, {key, value}}}});
    };
    if (type == "text") begun["text"] = "";
    if (type == "thinking") begun["thinking"] = begun["signature"] = "";
    if (type == "tool_use") begun["input"] = json::object();
    send({{"type", "content_block_start"}, {"index", at}, {"content_block", begun}});
    if (type == "text") part("text_delta", "text", blocks[at]["text"]);
    if (type == "thinking") {
      part("thinking_delta", "thinking", blocks[at]["thinking"]);
      part("signature_delta", "signature", blocks[at]["signature"]);
    }
    if (type == "tool_use") part("input_json_delta", "partial_json", blocks[at]["input"].dump());
    send({{"type", "content_block_stop"}, {"index", at}});
  }
  send({{"type", "message_delta"}, {"delta", {{"stop_reason", stop}, {"stop_sequence", nullptr}}}, {"usage", {{"output_tokens", 7}}}});
  send({{"type", "message_stop"}});
  return events;
}

inline void stream_message(provider_call& call, const nlohmann::json& blocks, const std::string& stop) {
  call.stream_head();
  for (const nlohmann::json& event : message_events(blocks, stop))
    call.chunk("event: " + event["type"].get<std::string>() + "\ndata: " + event.dump() + "\n\n");
  call.send("0\r\n\r\n");
}

// Simulates Claude. It refuses an invalid request. Otherwise it answers with thinking and text, and calls the tools f and g together if the
// request has tools.
class claude_stand_in {
 public:
  using json = nlohmann::json;

  explicit claude_stand_in(upon_results then = upon_results::says_it_is_done) : then_(then) {}

  void answer(provider_call& call) {
    const json request = json::parse(call.request().body);
    std::string signature, fault;
    {
      const std::lock_guard guard(guard_);
      fault = strict_.fault_of(request, !call.request().field("anthropic-beta").empty());
      if (call.request().field("x-api-key").empty()) fault = "x-api-key header is required";
      if (call.request().field("anthropic-version").empty()) fault = "anthropic-version: header is required";
      if (!fault.empty()) faults_.push_back(fault);
      signature = strict_.issue();
    }
    if (!fault.empty()) return call.answer(400, anthropic_error(fault));
    json blocks = json::array({{{"type", "thinking"}, {"thinking", "hm " + signature}, {"signature", signature}}});
    const json last = request["messages"].back()["content"];
    const bool has_results = last.is_array() && last[0].value("type", "") == "tool_result";
    const bool is_done = has_results && then_ == upon_results::says_it_is_done;
    blocks.push_back({{"type", "text"}, {"text", is_done ? "It is done" : "Looking"}});
    if (is_done || !request.contains("tools")) return stream_message(call, blocks, "end_turn");
    for (const char* name : {"f", "g"}) {
      const json input = *name == 'f' ? json{{"by", "claude"}} : json::object();
      blocks.push_back({{"type", "tool_use"}, {"id", "toolu_" + std::to_string(++calls_)}, {"name", name}, {"input", input}});
    }
    stream_message(call, blocks, "tool_use");
  }

  std::vector<std::string> faults() {
    const std::lock_guard guard(guard_);
    return faults_;
  }

 private:
  const upon_results then_;
  std::mutex guard_;
  strict_anthropic strict_;
  std::vector<std::string> faults_;
  std::atomic<int> calls_{0};
};

}  // namespace photofinish::testing
