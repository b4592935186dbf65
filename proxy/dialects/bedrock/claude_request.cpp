#include "proxy/dialects/bedrock/claude_request.hpp"

#include "proxy/dialects/anthropic/message_request.hpp"
#include "proxy/dialects/rare_key_check.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/model_facts.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::string_view bedrock_cloud = "bedrock";  // in models.yaml
constexpr std::string_view bedrock_version = "bedrock-2023-05-31";  // the only one there is

bool is_elsewhere(std::string_view block) {
  const auto source = json_find(block, "source");
  return source && json_find(*source, "type") == R"("url")";
}

bool has_media_elsewhere(const client_body& body) {
  if (!may_hold(body, "url")) return false;
  for (const std::string_view message : json_elements(body.value_of("messages")))
    for (const std::string_view block : json_elements(json_find(message, "content").value_or(""))) {
      if (is_elsewhere(block)) return true;
      for (const std::string_view part : json_elements(json_find(block, "content").value_or("")))
        if (is_elsewhere(part)) return true;
    }
  return false;
}

// As the body's own list.
std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& each : names) list.append(list.empty() ? "[" : ",").append(json_quote(each));
  return list + "]";
}

}  // namespace

void edit_claude_request(const attempt_request& request, prepared_request& prepared) {
  const claude_plan plan = plan_for_claude(request, bedrock_cloud);
  message_envelope envelope;
  envelope.members.emplace_back("anthropic_version", json_quote(bedrock_version));
  if (!plan.betas.empty()) envelope.members.emplace_back("anthropic_beta", list_of(plan.betas));
  edit_message_request(request, plan, prepared, &envelope);
}

std::optional<std::string_view> unsupported_for_claude(const client_body& body, std::string_view model,
                                                       const provider& target) {
  const model_facts& facts = facts_of(model);
  if (!facts.takes_prefill && ends_with_prefill(body)) return "messages";
  if (refuses_choice(facts, body, target)) return "tool_choice";
  const std::string_view refused = refused_by_cloud(cloud_facts_of(bedrock_cloud), body);
  if (!refused.empty()) return refused;
  if (has_media_elsewhere(body)) return "content.source.url";
  return std::nullopt;
}

}  // namespace photofinish::proxy
