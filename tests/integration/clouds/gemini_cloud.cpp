#include "tests/integration/clouds/gemini_cloud.hpp"

#include "proxy/json/base64.hpp"

namespace photofinish::testing {
namespace {

using nlohmann::json;

bool brings_responses(const json& body) { return body.at("contents").back().at("parts")[0].contains("functionResponse"); }

std::string response_of(const json& parts, const char* finish) {
  json candidate{{"content", {{"role", "model"}, {"parts", parts}}}, {"index", 0}};
  if (finish != nullptr) candidate["finishReason"] = finish;
  const json usage{{"promptTokenCount", 20}, {"candidatesTokenCount", 5}, {"thoughtsTokenCount", 3}, {"totalTokenCount", 28}};
  return json{{"candidates", {candidate}}, {"usageMetadata", usage}, {"modelVersion", "gemini-3.8-flash"}}.dump();
}

}  // namespace

std::string gemini_cloud::fault_of_body(const received_request&, const json& body) const {
  const bool is_vertex = at().preset == "vertex-gemini";
  if (!is_vertex && body.dump().find("streamFunctionCallArguments") != std::string::npos)
    return "Unknown name \"streamFunctionCallArguments\" at 'tool_config.function_calling_config'";
  if (!is_vertex && body.contains("labels")) return "Unknown name \"labels\"";
  return contents_.complaint_about(body);
}

std::string gemini_cloud::sign() {
  const std::string signature =
      proxy::base64_encoded(at().preset + " has signed thought " + std::to_string(++signed_), proxy::base64_padding::wanted);
  contents_.accept(signature);
  return signature;
}

void gemini_cloud::answer(provider_call& call) {
  const json body = json::parse(call.request().body);
  const std::string signature = sign();
  const json thought{{"text", "Let me think"}, {"thought", true}};
  json said = json::array();
  if (brings_responses(body)) {
    said.push_back({{"text", "It is done"}, {"thoughtSignature", signature}});
  } else {
    keep_reasoning(signature);
    said.push_back({{"functionCall", {{"name", "f"}, {"args", {{"by", at().preset}}}}}, {"thoughtSignature", signature}});
    said.push_back(json{{"functionCall", {{"name", "g"}, {"args", json::object()}}}});
  }
  if (!wants_stream(call.request(), body)) {
    said.insert(said.begin(), thought);
    return call.answer(200, response_of(said, "STOP"));
  }
  call.stream_head();
  call.event(response_of(json::array({thought}), nullptr));
  call.event(response_of(said, nullptr));
  call.event(response_of(json::array({{{"text", ""}}}), "STOP"));
  call.send("0\r\n\r\n");
}

void gemini_cloud::refuse(provider_call& call, const std::string& fault) const {
  call.answer(400, json{{"error", {{"code", 400}, {"message", fault}, {"status", "INVALID_ARGUMENT"}}}}.dump());
}

}  // namespace photofinish::testing
