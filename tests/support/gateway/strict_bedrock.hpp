// Simulates Amazon Bedrock. Refuses the same requests as the real service, according to AWS's service model, documentation and users.
// Answers all other requests with AWS's binary event frames. Checks the signature of each request by computing it again.
#pragma once

#include "proxy/aws/sigv4.hpp"
#include "proxy/json/base64.hpp"
#include "tests/support/gateway/scripted_provider.hpp"
#include "tests/support/gateway/strict_anthropic.hpp"
#include "tests/support/streams/frames.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {

class strict_bedrock {
 public:
  using json = nlohmann::json;

  // `key` is the only API key or pair of credentials that this provider accepts.
  explicit strict_bedrock(std::string key) : key_(std::move(key)) {}

  // Returns the reason if Converse refuses this body for this model, otherwise an empty string.
  std::string fault_of(const json& body, const std::string& model) const {
    static const std::set<std::string> known{"messages",     "system",     "inferenceConfig", "toolConfig", "additionalModelRequestFields",
                                             "outputConfig", "serviceTier"};
    for (const auto& [key, value] : body.items())
      if (!known.contains(key)) return "Malformed input request: extraneous key [" + key + "] is not permitted";
    const json inference = body.value("inferenceConfig", json::object());
    for (const auto& [key, value] : inference.items())
      if (key != "maxTokens" && key != "temperature" && key != "topP" && key != "stopSequences")
        return "extraneous key [" + key + "] is not permitted";
    if (inference.value("temperature", 0.0) > 1) return "Member must be less than or equal to 1";
    const std::string whole = body.dump();
    std::size_t points = 0;
    for (std::size_t at = whole.find("cachePoint"); at != std::string::npos; at = whole.find("cachePoint", at + 1)) ++points;
    if (points > 4) return "You have specified more than 4 cache points";
    for (const json& each : body.value("system", json::array()))
      if (!each.contains("cachePoint") && is_blank(each.value("text", json()))) return "The text field in the SystemContentBlock object is blank";
    if (std::string fault = fault_of_tools(body); !fault.empty()) return fault;
    return fault_of_messages(body, model);
  }

  // Returns the reason if InvokeModel refuses this body for Claude, otherwise an empty string.
  std::string fault_of_claude(const json& body, const std::string& model, strict_anthropic& messages) const {
    if (body.value("anthropic_version", "") != "bedrock-2023-05-31") return "anthropic_version: Field required";
    for (const char* key : {"model", "stream"})
      if (body.contains(key)) return "Malformed input request: extraneous key [" + std::string(key) + "] is not permitted";
    for (const json& each : body.value("anthropic_beta", json::array()))
      if (each != "context-1m-2025-08-07") return "invalid beta flag";
    json plain = body;
    plain.erase("anthropic_version");
    plain.erase("anthropic_beta");
    plain["model"] = model;
    return messages.fault_of(plain);
  }

  // Returns the reason if the request's signature is invalid, otherwise an empty string.
  std::string fault_of_signature(const received_request& request) const {
    const std::string given = request.field("authorization");
    const auto by = proxy::read_aws_credentials(proxy::secret(key_));
    if (!by) return given == "Bearer " + key_ ? "" : "The security token included in the request is invalid.";
    static const std::regex shape(
        "AWS4-HMAC-SHA256 Credential=([^/]+)/([0-9]{8})/([^/]+)/([^/]+)/aws4_request, SignedHeaders=([^,]+), Signature=[0-9a-f]{64}");
    std::smatch parts;
    if (!std::regex_match(given, parts, shape)) return "Missing Authentication Token";
    if (parts[4] != "bedrock") return "Credential should be scoped to correct service: 'bedrock'.";
    const auto now = std::chrono::system_clock::now();
    const auto signed_at = time_of(request.field("x-amz-date"));
    if (signed_at > now + std::chrono::minutes(5) || signed_at < now - std::chrono::minutes(5))
      return "Signature not yet current, or expired";
    proxy::request_head again{.path = path_of(request), .host = request.field("host"), .fields = {}};
    std::stringstream names(parts[5]);
    for (std::string name; std::getline(names, name, ';');)
      if (name != "host" && !name.starts_with("x-amz-")) again.fields.emplace_back(name, request.field(name));
    proxy::sha256 hash;
    hash.add(request.body);
    proxy::sign_request(again, hash.hex(), *by, {parts[3].str(), parts[4].str()}, signed_at);
    return again.fields.back().second == given ? "" : "The request signature we calculated does not match the signature you provided.";
  }

  static std::string path_of(const received_request& request) {
    const std::size_t from = request.head.find(' ') + 1;
    return request.head.substr(from, request.head.find(' ', from) - from);
  }
  // Returns the model's name from a path "/model/NAME/verb". The colon in the name may be percent-encoded.
  static std::string model_in(const std::string& path) {
    std::string model = path.substr(7, path.rfind('/') - 7);
    for (std::size_t at = model.find("%3A"); at != std::string::npos; at = model.find("%3A")) model.replace(at, 3, ":");
    return model;
  }

  static std::string error(const std::string& message) { return json{{"message", message}}.dump(); }
  static void refuse(provider_call& call, int status, const std::string& type, const std::string& message) {
    call.answer(status, error(message), "x-amzn-errortype: " + type + ":http://internal.amazon.com/coral/com.amazon.bedrock/\r\n");
  }

  // If the request's signature is invalid or `fault` is not empty, refuses the request and returns false.
  bool takes(provider_call& call, const std::string& fault) {
    if (const std::string wrong = fault_of_signature(call.request()); !wrong.empty()) {
      refuse(call, 403, "InvalidSignatureException", wrong);
      return false;
    }
    if (!fault.empty()) refuse(call, 400, "ValidationException", fault);
    return fault.empty();
  }

  static void frames_head(provider_call& call) {
    call.send("HTTP/1.1 200 OK\r\ncontent-type: application/vnd.amazon.eventstream\r\ntransfer-encoding: chunked\r\n\r\n");
  }
  static void frame(provider_call& call, const std::string& type, const json& event) {
    call.chunk(test::event_frame_of(type, event.dump()));
  }

  // Streams an answer in the format of the Converse API, with signed thinking and text. The answer also calls the tool f if the request has
  // tools.
  void stream_converse(provider_call& call, const std::string& by) {
    const json body = json::parse(call.request().body);
    const std::string signature = "bdr+/" + std::to_string(signatures_.size()) + "==";
    signatures_.insert(signature);
    const bool calls = body.contains("toolConfig");
    frames_head(call);
    frame(call, "messageStart", {{"p", "abc"}, {"role", "assistant"}});
    frame(call, "contentBlockDelta", {{"contentBlockIndex", 0}, {"delta", {{"reasoningContent", {{"text", "hm"}}}}}, {"p", "abcdef"}});
    frame(call, "contentBlockDelta", {{"contentBlockIndex", 0}, {"delta", {{"reasoningContent", {{"signature", signature}}}}}});
    frame(call, "contentBlockStop", {{"contentBlockIndex", 0}});
    frame(call, "contentBlockDelta", {{"contentBlockIndex", 1}, {"delta", {{"text", "Looking"}}}});
    frame(call, "contentBlockStop", {{"contentBlockIndex", 1}});
    if (calls) {
      const std::string id = "tooluse_" + std::to_string(signatures_.size());
      frame(call, "contentBlockStart", {{"contentBlockIndex", 2}, {"start", {{"toolUse", {{"toolUseId", id}, {"name", "f"}}}}}});
      frame(call, "contentBlockDelta", {{"contentBlockIndex", 2}, {"delta", {{"toolUse", {{"input", json{{"by", by}}.dump()}}}}}});
      frame(call, "contentBlockStop", {{"contentBlockIndex", 2}});
    }
    frame(call, "messageStop", {{"stopReason", calls ? "tool_use" : "end_turn"}});
    frame(call, "metadata",
          {{"usage",
            {{"inputTokens", 10}, {"outputTokens", 7}, {"totalTokens", 17}, {"cacheReadInputTokens", 5}, {"cacheWriteInputTokens", 3}}},
           {"metrics", {{"latencyMs", 1}}}});
    call.send("0\r\n\r\n");
  }

  // Streams an answer of Claude. Each event is in a separate frame.
  static void stream_claude(provider_call& call, const json& blocks, const std::string& stop) {
    frames_head(call);
    for (const json& event : message_events(blocks, stop))
      frame(call, "chunk", {{"bytes", proxy::base64_encoded(event.dump(), proxy::base64_padding::wanted)}, {"p", "abcdefghij"}});
    call.send("0\r\n\r\n");
  }

  void accept(const std::string& signature) { signatures_.insert(signature); }

 private:
  static std::chrono::sys_seconds time_of(const std::string& text) {
    const auto part = [&text](std::size_t from, std::size_t size) { return text.size() < 16 ? 1 : std::stoi(text.substr(from, size)); };
    const std::chrono::year_month_day day{std::chrono::year(part(0, 4)), std::chrono::month(static_cast<unsigned>(part(4, 2))),
                                          std::chrono::day(static_cast<unsigned>(part(6, 2)))};
    return std::chrono::sys_days(day) + std::chrono::hours(part(9, 2)) + std::chrono::minutes(part(11, 2)) +
           std::chrono::seconds(part(13, 2));
  }

  static bool is_blank(const json& text) {
    return !text.is_string() || text.get<std::string>().find_first_not_of(" \t\r\n") == std::string::npos;
  }

  static std::string fault_of_tools(const json& body) {
    static const std::regex name("[a-zA-Z0-9_-]{1,64}");
    const json config = body.value("toolConfig", json::object());
    if (body.contains("toolConfig") && config.value("tools", json::array()).empty()) return "toolConfig.tools: at least one is required";
    for (const json& tool : config.value("tools", json::array())) {
      const json& spec = tool.at("toolSpec");
      if (!std::regex_match(spec.value("name", ""), name)) return "toolSpec.name failed to satisfy constraint";
      if (spec.contains("description") && spec["description"] == "")
        return "toolSpec.description: Member must have length greater than or equal to 1";
      if (spec.value("inputSchema", json::object()).value("json", json()).value("type", "") != "object")
        return "toolConfig.tools.0.toolSpec.inputSchema.json.type must be object";
    }
    return {};
  }

  std::string fault_of_messages(const json& body, const std::string& model) const {
    std::set<std::string> ids, open, names;
    std::string last;
    bool has_tools = false;
    for (const json& message : body.value("messages", json::array())) {
      const std::string role = message.value("role", "");
      const json content = message.value("content", json::array());
      if (role != "user" && role != "assistant") return "role must be user or assistant";
      if (last.empty() && role != "user") return "A conversation must start with a user message.";
      if (role == last) return "A conversation must alternate between user and assistant roles.";
      if (content.empty()) return "The content field in the Message object is empty.";
      std::set<std::string> waiting = std::exchange(open, {});
      if (std::string fault = fault_of_blocks(content, model, ids, open, waiting, names, has_tools); !fault.empty()) return fault;
      if (!waiting.empty()) return "Expected toolResult blocks for the following Ids";
      last = role;
    }
    if (last.empty()) return "messages is empty";
    if (!open.empty()) return "Expected toolResult blocks for the following Ids";
    return has_tools && !body.contains("toolConfig")
               ? "The toolConfig field must be defined when using toolUse and toolResult content blocks."
               : "";
  }

  std::string fault_of_blocks(const json& content, const std::string& model, std::set<std::string>& ids, std::set<std::string>& open,
                              std::set<std::string>& waiting, std::set<std::string>& names, bool& has_tools) const {
    bool has_document = false, has_text = false;
    for (const json& block : content) {
      if (block.contains("text") && is_blank(block["text"])) return "The text field in the ContentBlock object is blank.";
      if (block.contains("cachePoint") && (block.size() > 1 || &block == &content.front())) return "cachePoint is misplaced";
      has_text |= block.contains("text");
      has_document |= block.contains("document");
      has_tools |= block.contains("toolUse") || block.contains("toolResult");
      std::string fault;
      if (block.contains("document")) fault = fault_of_document(block["document"], names);
      if (block.contains("reasoningContent")) fault = fault_of_reasoning(block["reasoningContent"]);
      if (block.contains("toolUse")) fault = fault_of_call(block["toolUse"], model, ids, open);
      if (block.contains("toolResult")) {
        if (waiting.erase(block["toolResult"].value("toolUseId", "")) == 0)
          return "The number of toolResult blocks exceeds the number of toolUse blocks of previous turn.";
        if (block["toolResult"].value("content", json::array()).empty()) return "toolResult.content is required";
      }
      if (!fault.empty()) return fault;
    }
    return has_document && !has_text ? "A text block is required when a document is provided." : "";
  }

  static std::string fault_of_call(const json& call, const std::string& model, std::set<std::string>& ids, std::set<std::string>& open) {
    static const std::regex id("[a-zA-Z0-9_.:-]{1,64}"), short_id("[a-zA-Z0-9]{9}");
    const std::string given = call.value("toolUseId", "");
    if (!std::regex_match(given, id)) return "toolUse.toolUseId failed to satisfy constraint";
    if (model.find("mistral") != std::string::npos && !std::regex_match(given, short_id))
      return "Tool call id must be a-z, A-Z, 0-9, with a length of 9";
    if (!call.value("input", json()).is_object()) return "The format of the value at toolUse.input is invalid. Provide a json object";
    if (!ids.insert(given).second) return "duplicate toolUse ids";
    open.insert(given);
    return {};
  }

  std::string fault_of_reasoning(const json& content) const {
    if (content.contains("redactedContent"))
      return signatures_.contains(content["redactedContent"]) ? "" : "Invalid data in redactedContent";
    const std::string signature = content.value("reasoningText", json::object()).value("signature", "");
    if (signature.empty()) return "thinking.signature: Field required";
    return signatures_.contains(signature) ? "" : "Invalid signature in reasoningContent";
  }

  static std::string fault_of_document(const json& document, std::set<std::string>& names) {
    static const std::regex letters("[a-zA-Z0-9()\\[\\] -]{1,200}");
    const std::string name = document.value("name", "");
    if (!std::regex_match(name, letters) || name.find("  ") != std::string::npos)
      return "The document file name can only contain alphanumeric characters";
    return names.insert(name).second ? "" : "Document names must be unique";
  }

  std::string key_;
  std::set<std::string> signatures_;
};

}  // namespace photofinish::testing
