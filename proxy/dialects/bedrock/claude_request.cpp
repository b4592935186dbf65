#include "proxy/dialects/bedrock/claude_request.hpp"

#include "proxy/dialects/anthropic/message_request.hpp"
#include "proxy/dialects/held_words.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/model_facts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view bedrock_version = "bedrock-2023-05-31";  // the only one there is

// All others are 400. LiteLLM's table of betas by provider, version 1.109.1 (November 2026).
constexpr std::array<std::string_view, 13> known_betas{"compact-2026-01-12",
                                                       "computer-use-2025-01-24",
                                                       "computer-use-2025-11-24",
                                                       "context-1m-2025-08-07",
                                                       "context-management-2025-06-27",
                                                       "dangerous-tool-use-2026-09-03",
                                                       "effort-2025-11-24",
                                                       "fine-grained-tool-streaming-2025-05-14",
                                                       "mid-conversation-output-config-2026-07-01",
                                                       "mid-conversation-tool-changes-2026-07-01",
                                                       "thinking-binding-controls-2026-08-01",
                                                       "thinking-display-updates-2026-08-18",
                                                       "tool-search-tool-2025-10-19"};

// Members that Bedrock has no words for, and that make an answer no worse.
constexpr std::array<std::string_view, 4> unknown_to_bedrock{"service_tier", "inference_geo", "speed", "container"};

// Tools that Anthropic's own service runs.
constexpr std::array<std::string_view, 5> hosted_tools{"web_search", "web_fetch", "code_execution", "mcp_toolset",
                                                       "advisor"};

bool has_hosted_tool(std::string_view tools) {
  json_walk walk(json_is_array(tools) ? tools : std::string_view("[]"));
  while (const auto each = walk.next_element()) {
    const std::string_view type = json_raw_string(json_find(*each, "type").value_or(""));
    for (const std::string_view hosted : hosted_tools)
      if (type.starts_with(hosted)) return true;
  }
  return false;
}

bool is_elsewhere(std::string_view block) {
  const auto source = json_find(block, "source");
  return source && json_find(*source, "type") == R"("url")";
}

bool has_media_elsewhere(const client_body& body) {
  const std::string_view messages = body.value_of("messages");
  if (!may_hold(body, "url") || !json_is_array(messages)) return false;
  json_walk walk(messages);
  while (const auto message = walk.next_element()) {
    const std::string_view content = json_find(*message, "content").value_or("[]");
    json_walk blocks(json_is_array(content) ? content : std::string_view("[]"));
    while (const auto block = blocks.next_element()) {
      if (is_elsewhere(*block)) return true;
      const std::string_view inner = json_find(*block, "content").value_or("[]");
      json_walk parts(json_is_array(inner) ? inner : std::string_view("[]"));
      while (const auto part = parts.next_element())
        if (is_elsewhere(*part)) return true;
    }
  }
  return false;
}

// As the body's own list.
std::string list_of_betas(std::string_view asked, std::vector<std::string>& dropped) {
  std::string list;
  bool has_lost = false;
  for (std::string_view each; next_list_member(asked, each);) {
    const bool is_known = std::find(known_betas.begin(), known_betas.end(), each) != known_betas.end();
    has_lost |= !is_known && !each.empty();
    if (is_known) list.append(list.empty() ? "[" : ",").append(json_quote(each));
  }
  if (has_lost) dropped.emplace_back("anthropic-beta");
  return list.empty() ? list : list + "]";
}

}  // namespace

void edit_claude_request(const attempt_request& request, prepared_request& prepared) {
  message_envelope envelope;
  envelope.members.emplace_back("anthropic_version", json_quote(bedrock_version));
  if (std::string betas = list_of_betas(betas_of(request), prepared.dropped); !betas.empty())
    envelope.members.emplace_back("anthropic_beta", std::move(betas));
  envelope.drop_params = unknown_to_bedrock;
  edit_message_request(request, prepared, &envelope);
}

std::optional<std::string_view> unsupported_for_claude(const client_body& body, std::string_view model) {
  if (!facts_of(model).takes_prefill && ends_with_prefill(body)) return "messages";
  if (has_hosted_tool(body.value_of("tools"))) return "tools";
  if (has_media_elsewhere(body)) return "content.source.url";
  return std::nullopt;
}

}  // namespace photofinish::proxy
