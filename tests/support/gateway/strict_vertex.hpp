// Simulates Google's Vertex AI as the documentation describes it. The path contains project, region, publisher, model and verb. The key is
// a Google access token. The body of a request for Claude contains Vertex's own version field and no model.
#pragma once

#include "tests/support/gateway/strict_anthropic.hpp"
#include "tests/support/gateway/strict_gemini.hpp"

#include <nlohmann/json.hpp>

#include <mutex>
#include <regex>
#include <string>

namespace photofinish::testing {

class strict_vertex {
 public:
  using json = nlohmann::json;

  void answer(provider_call& call) {
    const std::lock_guard guard(guard_);
    const std::string head = call.request().head, path = head.substr(5, head.find(' ', 5) - 5);
    if (!head.starts_with("POST ")) return refuse(call, 405, "Method not allowed");
    if (call.request().field("authorization") != "Bearer token-1")
      return refuse(call, 401, "Request had invalid authentication credentials.");
    static const std::regex form(
        "/v1/projects/my-project/locations/us-east5/(publishers/(anthropic|google)/models/([a-z0-9.@-]+):([a-zA-Z]+)(\\?alt=sse)?|endpoints/openapi/chat/completions)");
    std::smatch parts;
    if (!std::regex_match(path, parts, form)) return refuse(call, 404, "The requested URL " + path + " was not found.");
    if (parts[2] == "anthropic") return answer_as_claude(call, parts[3], parts[4]);
    if (parts[2] == "google") return answer_as_gemini(call, parts[4], parts[5]);
    const json body = json::parse(call.request().body);
    if (body.value("model", "") != "meta/llama-3.3-70b-instruct-maas") return refuse(call, 400, "Malformed publisher model");
    call.stream_head();
    call.event(token_chunk("llama"));
    call.event(finish_chunk());
    call.end();
  }

 private:
  static void refuse(provider_call& call, int status, const std::string& why) {
    call.answer(status, json::array({{{"error", {{"code", status}, {"message", why}, {"status", status == 401 ? "UNAUTHENTICATED" : "INVALID_ARGUMENT"}}}}}).dump());
  }

  void answer_as_claude(provider_call& call, const std::string& model, const std::string& verb) {
    json body = json::parse(call.request().body);
    const bool is_streamed = body.value("stream", false);
    if (verb != (is_streamed ? "streamRawPredict" : "rawPredict")) return refuse(call, 400, "stream and the method differ");
    if (body.contains("model")) return call.answer(400, anthropic_error("model: Extra inputs are not permitted"));
    if (body.value("anthropic_version", "") != "vertex-2023-10-16") return call.answer(400, anthropic_error("anthropic_version: Field required"));
    if (!call.request().field("anthropic-version").empty()) return call.answer(400, anthropic_error("anthropic-version: it stands in the body"));
    body.erase("anthropic_version");
    body["model"] = model;
    const std::string fault = claude_.fault_of(body, !call.request().field("anthropic-beta").empty());
    if (!fault.empty()) return call.answer(400, anthropic_error(fault));
    const json blocks = {{{"type", "text"}, {"text", "claude"}}};
    if (is_streamed) return stream_message(call, blocks, "end_turn");
    call.answer(200, json{{"id", "msg_1"}, {"type", "message"}, {"role", "assistant"}, {"model", model}, {"content", blocks},
                          {"stop_reason", "end_turn"}, {"stop_sequence", nullptr}, {"usage", {{"input_tokens", 3}, {"output_tokens", 2}}}}
                         .dump());
  }

  void answer_as_gemini(provider_call& call, const std::string& verb, const std::string& query) {
    if (verb == "streamGenerateContent" && query == "?alt=sse") return gemini_.answer(call);
    refuse(call, 404, "unknown method");
  }

  std::mutex guard_;
  strict_anthropic claude_{strict_anthropic::place::cloud};
  strict_gemini gemini_;
};

}  // namespace photofinish::testing
