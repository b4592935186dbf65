// Simulates OpenAI's Responses API. Rejects a request with status 400 if OpenAI would refuse it, according to OpenAI's documentation,
// clients and users. Answers all other requests successfully.
#pragma once

#include "tests/support/gateway/calling_provider.hpp"
#include "tests/support/gateway/scripted_provider.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {

// An account at a provider of reasoning models. Encrypted reasoning is valid only for the account that encrypted it. An object may answer
// many requests, but only one at a time.
class strict_responses {
 public:
  using json = nlohmann::json;

  // `unique` gives every call its own id; `begin_again` reuses the same ids in each answer.
  enum class call_ids { unique, begin_again };

  // `account` is the name of the account. Two accounts with different names cannot read each other's reasoning.
  explicit strict_responses(upon_results then = upon_results::says_it_is_done, std::string account = "",
                            call_ids ids = call_ids::unique)
      : then_(then), account_(std::move(account)), ids_(ids) {}

  // Returns the reason if OpenAI refuses this request, otherwise an empty string.
  std::string complaint_about(const json& body) const {
    for (const auto& [key, value] : body.items())
      if (!is_one_of(key, {"model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "text", "reasoning", "include",
                           "store", "stream", "max_output_tokens", "metadata", "user", "service_tier", "prompt_cache_key",
                           "prompt_cache_retention", "safety_identifier"}))
        return "Unsupported parameter: '" + key + "' is not supported with this model.";
    if (body.value("store", true)) return "this account keeps nothing";
    if (body.contains("instructions") && !body.at("instructions").is_string()) return "Invalid type for 'instructions'";
    if (body.value("max_output_tokens", 16) < 16) return "Invalid 'max_output_tokens': integer below minimum value.";
    for (const json& tool : body.value("tools", json::array()))
      if (std::string fault = fault_of_tool(tool); !fault.empty()) return fault;
    if (!body.contains("input") || !body.at("input").is_array() || body.at("input").empty()) return "Missing required parameter: 'input'.";
    return fault_of_items(body.at("input"));
  }

  // Refuses an invalid request. Otherwise calls the tools f and g together, or answers with text if the request already contains the
  // results of these calls.
  void answer(provider_call& call) {
    const json body = json::parse(call.request().body);
    if (const std::string fault = complaint_about(body); !fault.empty()) {
      const bool is_foreign = fault.find("could not be verified") != std::string::npos;
      const json error = {{"message", fault}, {"type", "invalid_request_error"}, {"param", nullptr},
                          {"code", is_foreign ? json("invalid_encrypted_content") : json()}};
      return call.answer(400, json{{"error", error}}.dump());
    }
    const json output = output_for(body);
    json whole = json::parse(R"({"object":"response","created_at":1,"model":"gpt-5-pro","status":"completed","error":null,
        "incomplete_details":null,"usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":7,"cache_write_tokens":3},
        "output_tokens":9,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":29}})");
    whole["id"] = "resp_" + std::to_string(encrypted_.size());
    whole["output"] = output;
    if (!body.value("stream", false)) return call.answer(200, whole.dump());
    stream(call, whole);
  }

  const std::set<std::string>& issued() const { return encrypted_; }
  const std::string& last_issued() const { return last_issued_; }
  // Returns the id of the item that contained this encrypted reasoning.
  static std::string item_of(const std::string& blob) { return "rs_" + blob.substr(6, blob.size() - 9); }

  // Streams the response as events. The content of each item is split into several events.
  static void stream(provider_call& call, const json& whole) {
    int number = 0;
    const auto say = [&](const std::string& type, json event) {
      event["type"] = type;
      event["sequence_number"] = number++;
      call.chunk("event: " + type + "\ndata: " + event.dump() + "\n\n");
    };
    json opening = whole;
    opening.update(json::parse(R"({"status":"in_progress","output":[],"usage":null})"));
    call.stream_head();
    json begun = json::object();
    begun["response"] = opening;
    say("response.created", begun);
    say("response.in_progress", begun);
    for (std::size_t at = 0; at < whole.at("output").size(); ++at) stream_item(whole.at("output")[at], at, say);
    json end = json::object();
    end["response"] = whole;
    say("response." + whole.at("status").get<std::string>(), end);
    call.send("0\r\n\r\n");
  }

 private:
  static bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&word](const char* each) { return word == each; });
  }

  static bool is_name(const std::string& name) {
    const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; };
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits);
  }

  static std::string fault_of_tool(const json& tool) {
    if (!is_one_of(tool.value("type", ""), {"function", "custom"})) return "Invalid value: tools[].type";
    if (!is_name(tool.value("name", ""))) return "Invalid 'tools[].name'";
    if (tool.contains("function")) return "Unknown parameter: 'tools[].function'.";
    const bool is_strict = tool.value("strict", true);
    const json schema = tool.value("parameters", json::object());
    if (is_strict && schema.value("additionalProperties", json(true)) != json(false)) return "Invalid schema for function: 'additionalProperties' is required to be supplied and to be false.";
    return {};
  }

  std::string fault_of_items(const json& items) const {
    std::set<std::string> calls, open, thoughts;
    bool thinks = false;
    for (const json& item : items) {
      const std::string type = item.value("type", "message");
      const bool is_said = type == "function_call" || type == "custom_tool_call" || (type == "message" && item.value("role", "") == "assistant");
      if (thinks && !is_said && type != "reasoning") return "Item of type 'reasoning' was provided without its required following item.";
      thinks = type == "reasoning";
      const bool is_output = type == "function_call_output" || type == "custom_tool_call_output";
      const bool is_call = type == "function_call" || type == "custom_tool_call";
      if (!open.empty() && !is_output && !is_call && !thinks) return "No tool output found for function call " + *open.begin() + ".";
      std::string fault;
      if (type == "message") fault = fault_of_message(item);
      else if (type == "reasoning") fault = fault_of_reasoning(item, thoughts);
      else if (is_call) fault = fault_of_call(item, calls, open);
      else if (is_output) fault = fault_of_output(item, open);
      else fault = "Invalid value: input[].type " + type;
      if (!fault.empty()) return fault;
    }
    if (thinks) return "Item of type 'reasoning' was provided without its required following item.";
    return open.empty() ? "" : "No tool output found for function call " + *open.begin() + ".";
  }

  static std::string fault_of_message(const json& item) {
    const std::string role = item.value("role", "");
    if (!is_one_of(role, {"user", "assistant", "system", "developer"})) return "Invalid value: role";
    if (!item.at("content").is_array()) return item.at("content").is_string() ? "" : "Invalid type for 'content'";
    if (item.at("content").empty()) return "Invalid 'content': empty array.";
    for (const json& part : item.at("content")) {
      const std::string type = part.value("type", "");
      const bool fits = role == "assistant" ? is_one_of(type, {"output_text", "refusal"}) : is_one_of(type, {"input_text", "input_image", "input_file"});
      if (!fits) return "Invalid value: '" + type + "' for a message of " + role;
      if (type == "input_image" && !part.value("image_url", json()).is_string()) return "Invalid type for 'image_url'";
      if (type == "input_file" && part.contains("file_data") && !part.contains("filename")) return "Missing required parameter: 'filename'.";
    }
    return {};
  }

  // Accepts reasoning with its original id or without an id, as OpenAI does.
  std::string fault_of_reasoning(const json& item, std::set<std::string>& ids) const {
    if (!item.contains("summary") || !item.at("summary").is_array()) return "Missing required parameter: 'summary'.";
    for (const json& part : item.at("summary"))
      if (part.value("type", "") != "summary_text") return "Invalid value: summary[].type";
    const std::string blob = item.value("encrypted_content", "");
    if (!encrypted_.contains(blob)) return "The encrypted content " + blob.substr(0, 4) + "... could not be verified.";
    if (!item.contains("id")) return {};
    const std::string id = item.at("id");
    if (id != item_of(blob)) return "The encrypted content for item " + id + " could not be verified. Reason: Encrypted content item_id did not match the target item id.";
    return ids.insert(id).second ? "" : "Duplicate item found with id " + id + ".";
  }

  static std::string fault_of_call(const json& item, std::set<std::string>& calls, std::set<std::string>& open) {
    const std::string id = item.value("call_id", "");
    if (id.empty() || id.size() > 64) return "Invalid 'call_id': string too long or empty.";
    if (!calls.insert(id).second) return "Duplicate item found with call_id " + id;
    if (!is_name(item.value("name", ""))) return "Invalid 'input[].name'";
    const bool is_custom = item.at("type") == "custom_tool_call";
    if (!item.value(is_custom ? "input" : "arguments", json()).is_string()) return "Invalid type for 'arguments'";
    if (!is_custom && !json::accept(item.at("arguments").get<std::string>())) return "Invalid 'arguments'";
    open.insert(id);
    return {};
  }

  static std::string fault_of_output(const json& item, std::set<std::string>& open) {
    if (open.erase(item.value("call_id", "")) == 0) return "No tool call found for function call output with call_id " + item.value("call_id", "");
    const json output = item.value("output", json());
    if (output.is_string()) return {};
    if (!output.is_array() || output.empty()) return "Invalid type for 'output'";
    for (const json& part : output)
      if (!is_one_of(part.value("type", ""), {"input_text", "input_image", "input_file"})) return "Invalid value: output[].type";
    return {};
  }

  json output_for(const json& body) {
    const std::string turn = account_ + std::to_string(encrypted_.size());
    const std::string blob = "gAAAA+" + turn + "/==";
    const json include = body.value("include", json::array());
    const bool shows_it = std::find(include.begin(), include.end(), "reasoning.encrypted_content") != include.end();
    const std::string last = body.at("input").back().value("type", "message");
    const bool is_done = then_ == upon_results::says_it_is_done && last == "function_call_output";
    json thought = json::parse(R"({"type":"reasoning","summary":[]})");
    thought["id"] = "rs_" + turn;
    if (body.value("reasoning", json::object()).contains("summary"))
      thought["summary"] = json::parse(R"([{"type":"summary_text","text":"**First**"},{"type":"summary_text","text":"then"}])");
    if (shows_it) thought["encrypted_content"] = blob;
    encrypted_.insert(blob);
    last_issued_ = blob;
    json output = json::array();
    output.push_back(thought);
    if (is_done) {
      output.push_back(json::parse(R"({"type":"message","status":"completed","role":"assistant",
          "content":[{"type":"output_text","text":"It is done","annotations":[],"logprobs":[]}]})"));
      output.back()["id"] = "msg_" + turn;
      return output;
    }
    for (const std::string name : {"f", "g"}) {
      json call = json::parse(R"({"type":"function_call","status":"completed"})");
      call["id"] = "fc_" + name + turn;
      // This id is as long as the ids of real providers, because the gateway does not store reasoning with shorter ids.
      call["call_id"] = ids_ == call_ids::unique ? "call_strict_" + name + turn : name == "f" ? "call_0" : "call_1";
      call["name"] = name;
      call["arguments"] = name == "f" ? json{{"by", account_.empty() ? "responses" : account_}}.dump() : "{}";
      output.push_back(call);
    }
    return output;
  }

  template <class Say>
  static void stream_item(const json& item, std::size_t at, const Say& say) {
    const std::string type = item.at("type");
    json begun = item;
    if (type == "reasoning") begun["summary"] = json::array(), begun["encrypted_content"] = "gAAAAbegun";
    if (type == "message") begun["content"] = json::array();
    if (type == "function_call") begun["arguments"] = "";
    const auto say_item = [&](const char* event, const json& shown) {
      json made = json::object();
      made["output_index"] = at;
      made["item"] = shown;
      say(event, made);
    };
    const auto say_there = [&](const char* event, const char* place, std::size_t number, const json& text) {
      json made = json::object();
      made["output_index"] = at;
      made["item_id"] = item.at("id");
      if (place != nullptr) made[place] = number;
      if (!text.is_null()) made["delta"] = text;
      say(event, made);
    };
    say_item("response.output_item.added", begun);
    for (std::size_t part = 0; type == "reasoning" && part < item.at("summary").size(); ++part) {
      say_there("response.reasoning_summary_part.added", "summary_index", part, nullptr);
      say_there("response.reasoning_summary_text.delta", "summary_index", part, item.at("summary")[part].at("text"));
    }
    if (type == "function_call") {
      const std::string arguments = item.at("arguments");
      say_there("response.function_call_arguments.delta", nullptr, 0, arguments.substr(0, 1));
      say_there("response.function_call_arguments.delta", nullptr, 0, arguments.substr(1));
    }
    if (type == "message") {
      const json& part = item.at("content")[0];
      const bool is_refusal = part.contains("refusal");
      say_there("response.content_part.added", "content_index", 0, nullptr);
      say_there(is_refusal ? "response.refusal.delta" : "response.output_text.delta", "content_index", 0,
                part.at(is_refusal ? "refusal" : "text"));
    }
    say_item("response.output_item.done", item);
  }

  const upon_results then_;
  const std::string account_;
  const call_ids ids_;
  std::set<std::string> encrypted_;
  std::string last_issued_;
};

}  // namespace photofinish::testing
