#include "tests/integration/clouds/gpt_cloud.hpp"

namespace photofinish::testing {
namespace {

using nlohmann::json;

// Returns how a cloud numbers its tool calls. At Bedrock's mantle, the numbers start again in each answer.
strict_responses::call_ids ids_at(const std::string& preset) {
  return preset == "bedrock-mantle" ? strict_responses::call_ids::begin_again : strict_responses::call_ids::unique;
}

}  // namespace

gpt_cloud::gpt_cloud(const cloud_target& at)
    : cloud_stand_in(at), responses_(upon_results::says_it_is_done, at.preset, ids_at(at.preset)) {}

std::string gpt_cloud::fault_of_body(const received_request&, const json& body) const {
  if (body.value("model", "") != at().model) return "The model does not exist";
  return responses_.complaint_about(body);
}

void gpt_cloud::answer(provider_call& call) {
  const bool has_results = json::parse(call.request().body).at("input").back().value("type", "") == "function_call_output";
  responses_.answer(call);
  if (!has_results) keep_reasoning(responses_.last_issued());
}

void gpt_cloud::refuse(provider_call& call, const std::string& fault) const {
  const json error{{"message", fault}, {"type", "invalid_request_error"}, {"param", nullptr}, {"code", nullptr}};
  call.answer(400, json{{"error", error}}.dump());
}

}  // namespace photofinish::testing
