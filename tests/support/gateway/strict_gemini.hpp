// Simulates Gemini. Rejects a request with status 400 if the real Gemini would refuse it, according to Gemini's documentation and users.
// Answers all other requests successfully.
#pragma once

#include "tests/support/gateway/calling_provider.hpp"
#include "tests/support/gateway/scripted_provider.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>
#include <string>

namespace photofinish::testing {

// A Gemini model that remembers the signatures it has issued. An object may answer many requests, but only one at a time.
class strict_gemini {
 public:
  using json = nlohmann::json;

  explicit strict_gemini(upon_results then = upon_results::says_it_is_done) : then_(then) {}

  // Returns the reason if Gemini refuses this request, otherwise an empty string.
  std::string complaint_about(const json& body) const {
    for (const auto& [key, value] : body.items())
      if (!is_one_of(key, {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent"}))
        return "Unknown name \"" + key + "\"";
    const json generation = body.value("generationConfig", json::object());
    for (const auto& [key, value] : generation.items())
      if (!is_one_of(key, {"maxOutputTokens", "temperature", "topP", "topK", "stopSequences", "seed", "presencePenalty", "frequencyPenalty",
                           "responseMimeType", "responseJsonSchema", "thinkingConfig"}))
        return "Unknown name \"" + key + "\" at 'generation_config'";
    if (std::string fault = tools_fault(body); !fault.empty()) return fault;
    return contents_fault(body.value("contents", json::array()));
  }

  // Refuses an invalid request. Otherwise calls the tools f and g together, or answers with text if the request already contains the
  // results of these calls.
  void answer(provider_call& call) {
    const json body = json::parse(call.request().body);
    if (const std::string fault = complaint_about(body); !fault.empty()) {
      const json error = {{"error", {{"code", 400}, {"message", fault}, {"status", "INVALID_ARGUMENT"}}}};
      return call.answer(400, error.dump());
    }
    const std::string signature = "U0lH+" + std::to_string(signed_.size()) + "/==";
    signed_.insert(signature);
    const bool is_done = then_ == upon_results::says_it_is_done && body.at("contents").back().at("parts")[0].contains("functionResponse");
    call.stream_head();
    call.event(chunk(json::parse(R"([{"text":"Let me think","thought":true}])")));
    if (is_done) {
      call.event(chunk({{{"text", "It is done"}}}));
      call.event(chunk({{{"text", ""}, {"thoughtSignature", signature}}}, "STOP"));
    } else {
      call.event(chunk({{{"functionCall", {{"name", "f"}, {"args", {{"by", "gemini"}}}}}, {"thoughtSignature", signature}},
                        {{"functionCall", {{"name", "g"}}}}}));
      call.event(chunk({{{"text", ""}}}, "STOP"));
    }
    call.send("0\r\n\r\n");
  }

  const std::set<std::string>& issued() const { return signed_; }
  void accept(const std::string& signature) { signed_.insert(signature); }

 private:
  static bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&word](const char* each) { return word == each; });
  }

  static std::string chunk(const json& parts, const char* finish = nullptr) {
    json candidate = {{"content", {{"role", "model"}, {"parts", parts}}}, {"index", 0}};
    if (finish != nullptr) candidate["finishReason"] = finish;
    return json{{"candidates", {candidate}}, {"usageMetadata", {{"promptTokenCount", 20}, {"candidatesTokenCount", 5}, {"thoughtsTokenCount", 3}}}}.dump();
  }

  static std::string tools_fault(const json& body) {
    for (const json& tool : body.value("tools", json::array()))
      for (const json& each : tool.value("functionDeclarations", json::array())) {
        const std::string name = each.value("name", "");
        if (name.empty() || (!std::isalpha(static_cast<unsigned char>(name[0])) && name[0] != '_')) return "Invalid function name";
        const std::string schema = each.value("parameters", json::object()).dump();
        for (const char* word : {"$ref", "$schema", "additionalProperties", "const", "exclusiveMinimum", "propertyNames"})
          if (schema.find(word) != std::string::npos) return "Unknown name \"" + std::string(word) + "\" at 'parameters'";
      }
    return {};
  }

  std::string contents_fault(const json& contents) const {
    if (contents.empty()) return "contents are required";
    std::string last = "model";
    std::vector<std::string> open;  // tool calls whose results must follow in the next entry of `contents`
    for (const json& content : contents) {
      const std::string role = content.value("role", "");
      if (role != "user" && role != "model") return "Please use a valid role: user, model.";
      if (role == last) return "Please ensure that multiturn requests alternate between user and model.";
      if (content.value("parts", json::array()).empty()) return "parts must not be empty";
      if (std::string fault = role == "user" ? user_fault(content, open) : model_fault(content, open); !fault.empty()) return fault;
      last = role;
    }
    return open.empty() ? "" : "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  }

  static std::string user_fault(const json& content, std::vector<std::string>& open) {
    std::vector<std::string> answered;
    for (const json& part : content.at("parts")) {
      if (part.contains("thoughtSignature")) return "A thought signature is not allowed here";
      if (part.contains("text") && part.at("text") == "") return "Unable to submit request because it must have a text parameter";
      if (!part.contains("functionResponse")) continue;
      if (!part.at("functionResponse").value("response", json()).is_object()) return "Invalid value at 'function_response.response'";
      answered.push_back(part.at("functionResponse").value("name", ""));
    }
    if (answered.size() != open.size())
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    if (answered != open) return "function response parts do not match their calls";
    open.clear();
    return {};
  }

  std::string model_fault(const json& content, std::vector<std::string>& open) const {
    for (const json& part : content.at("parts")) {
      const std::string signature = part.value("thoughtSignature", "");
      const bool is_stand_in = signature == "skip_thought_signature_validator";
      if (!signature.empty() && !is_stand_in && !signed_.contains(signature)) return "Corrupted thought signature.";
      if (part.contains("text") && part.at("text") == "" && signature.empty()) return "Unable to submit request because it must have a text parameter";
      if (!part.contains("functionCall")) continue;
      if (!part.at("functionCall").value("args", json()).is_object()) return "Invalid value at 'function_call.args'";
      if (open.empty() && signature.empty()) return "Function call is missing a thought_signature in functionCall parts.";
      open.push_back(part.at("functionCall").value("name", ""));
    }
    return {};
  }

  const upon_results then_;
  std::set<std::string> signed_;
};

}  // namespace photofinish::testing
