#include "tests/integration/clouds/claude_cloud.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

using nlohmann::json;

bool drops_blocks(const json& body) {
  const json binding = body.value("thinking", json::object()).value("block_binding", json::object());
  return binding.value("prefix_mismatch_behavior", "") == "drop_block";
}

bool has_results(const json& body) {
  const json& content = body.at("messages").back().at("content");
  return content.is_array() && !content.empty() && content[0].value("type", "") == "tool_result";
}

// Returns the signatures of the thinking blocks in a message.
std::vector<std::string> signatures_in(const json& message) {
  std::vector<std::string> all;
  if (!message.at("content").is_array()) return all;
  for (const json& block : message.at("content"))
    if (block.value("type", "") == "thinking") all.push_back(block.value("signature", ""));
  return all;
}

}  // namespace

json signed_thinking::prefix_of(const json& body, std::size_t messages) {
  json prefix{{"system", body.value("system", json())}, {"tools", body.value("tools", json())}, {"messages", json::array()}};
  for (std::size_t at = 0; at < messages; ++at) prefix["messages"].push_back(body.at("messages")[at]);
  return prefix;
}

std::string signed_thinking::sign(const json& body) {
  const std::string number = std::to_string(prefixes_.size());
  const std::string signature = "EqQBCkYI" + std::string(8 - number.size(), '0') + number;
  messages_.accept(signature);
  prefixes_[signature] = prefix_of(body, body.at("messages").size());
  return signature;
}

bool signed_thinking::fits(const std::string& signature, const json& body, std::size_t message) const {
  const auto made = prefixes_.find(signature);
  return made != prefixes_.end() && made->second == prefix_of(body, message);
}

claude_cloud::claude_cloud(cloud_target at, std::shared_ptr<signed_thinking> thinking)
    : cloud_stand_in(at), thinking_(std::move(thinking)), aws_(at.key) {}

std::string claude_cloud::fault_of_key(const received_request& request) const {
  return is_bedrock() ? aws_.fault_of_signature(request) : cloud_stand_in::fault_of_key(request);
}

// Checks that the request contains the model, the version and the beta features in the places that this cloud expects. Returns the fault,
// or an empty string.
std::string claude_cloud::fault_of_envelope(const received_request& request, const json& body) const {
  const std::string version = request.field("anthropic-version"), betas = request.field("anthropic-beta");
  if (!is_bedrock() && !is_vertex()) {
    if (body.contains("anthropic_version") || body.contains("anthropic_beta")) return "anthropic_version: Extra inputs are not permitted";
    if (body.value("model", "") != at().model) return "model: not found";
    return version == "2023-06-01" ? "" : "anthropic-version: header is required";
  }
  if (!version.empty()) return "anthropic-version: the body tells it";
  if (body.contains("model")) return "model: Extra inputs are not permitted";
  const bool is_streamed = path_of(request) == at().streamed_path;
  if (is_vertex() && body.value("stream", false) != is_streamed) return "stream and the method differ";
  if (is_vertex()) return body.value("anthropic_version", "") == "vertex-2023-10-16" ? "" : "anthropic_version: Field required";
  if (body.contains("stream")) return "extraneous key [stream] is not permitted";
  if (!betas.empty()) return "anthropic-beta: the body tells them";
  return body.value("anthropic_version", "") == "bedrock-2023-05-31" ? "" : "anthropic_version: Field required";
}

std::string claude_cloud::fault_of_body(const received_request& request, const json& body) const {
  if (std::string fault = fault_of_envelope(request, body); !fault.empty()) return fault;
  json plain = body;
  const bool has_beta = !request.field("anthropic-beta").empty() || plain.contains("anthropic_beta");
  plain.erase("anthropic_version");
  plain.erase("anthropic_beta");
  plain["model"] = at().model;
  if (has_beta && plain.contains("thinking")) plain["thinking"].erase("block_binding");
  if (std::string fault = thinking_->messages().fault_of(plain); !fault.empty()) return fault;
  for (std::size_t at = 0; at < body.at("messages").size() && !drops_blocks(body); ++at)
    for (const std::string& signature : signatures_in(body["messages"][at]))
      if (!thinking_->fits(signature, body, at)) return "a thinking block does not match the conversation before it";
  return {};
}

// Removes the signatures from the body. The general rules for requests would reject them, and claude_cloud checks them itself.
json claude_cloud::body_for_rules(const json& body) const {
  if (drops_blocks(body)) return body;
  json cleared = body;
  for (json& message : cleared.at("messages")) {
    if (!message.at("content").is_array()) continue;
    for (json& block : message["content"]) block.erase("signature");
  }
  return cleared;
}

// Returns an id for a tool call. The id has the same prefix as the tool call ids of this cloud.
std::string claude_cloud::call_id(const std::string& name, const std::string& signature) const {
  const std::string prefix = is_vertex() ? "toolu_vrtx_01" : is_bedrock() ? "toolu_bdrk_01" : "toolu_01";
  return prefix + "KqXw" + name + signature.substr(8);
}

json claude_cloud::blocks_for(const json& body) {
  const std::string signature = thinking_->sign(body);
  json blocks = json::array({{{"type", "thinking"}, {"thinking", "hm"}, {"signature", signature}}});
  const bool is_done = has_results(body);
  blocks.push_back({{"type", "text"}, {"text", is_done ? "It is done" : "Looking"}});
  if (is_done) return blocks;
  keep_reasoning(signature);
  blocks.push_back({{"type", "tool_use"}, {"id", call_id("f", signature)}, {"name", "f"}, {"input", {{"by", at().preset}}}});
  blocks.push_back({{"type", "tool_use"}, {"id", call_id("g", signature)}, {"name", "g"}, {"input", json::object()}});
  return blocks;
}

void claude_cloud::answer(provider_call& call) {
  const json body = json::parse(call.request().body);
  const json blocks = blocks_for(body);
  const std::string stop = has_results(body) ? "end_turn" : "tool_use";
  if (wants_stream(call.request(), body)) {
    if (is_bedrock()) return strict_bedrock::stream_claude(call, blocks, stop);
    return stream_message(call, blocks, stop);
  }
  call.answer(200, json{{"id", "msg_1"}, {"type", "message"}, {"role", "assistant"}, {"model", at().model}, {"content", blocks},
                        {"stop_reason", stop}, {"stop_sequence", nullptr}, {"usage", {{"input_tokens", 10}, {"output_tokens", 7}}}}
                       .dump());
}

void claude_cloud::refuse(provider_call& call, const std::string& fault) const {
  if (is_bedrock()) return strict_bedrock::refuse(call, 400, "ValidationException", fault);
  call.answer(400, anthropic_error(fault));
}

}  // namespace photofinish::testing
