#include "proxy/dialects/anthropic/anthropic_dialect.hpp"

#include "proxy/dialects/anthropic/message_request.hpp"
#include "proxy/dialects/anthropic/message_stream.hpp"
#include "proxy/dialects/openai/openai_formats.hpp"
#include "proxy/dialects/provider_head.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/parameters.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::string_view version_field = "anthropic-version";
constexpr std::string_view version = "2023-06-01";  // the only version of Anthropic's API so far

constexpr std::array<std::string_view, 2> version_and_betas{version_field, betas_field};

std::string_view version_of(const attempt_request& request) {
  const std::string_view configured = header_value(request.target.headers, version_field);
  const std::string_view asked = header_value(request.forwarded, version_field);
  return !configured.empty() ? configured : !asked.empty() ? asked : version;
}

// Returns the path after Vertex AI's base URL. The path contains the model's name. An unescaped @ separates the name
// from the model's version, as in claude-sonnet-4-5@20250929.
std::string vertex_path(const attempt_request& request) {
  std::string path = "/models/";
  std::string_view model = request.model;
  while (true) {
    const std::size_t at = std::min(model.find('@'), model.size());
    append_percent_encoded(model.substr(0, at), path);
    if (at == model.size()) break;
    path += '@';
    model.remove_prefix(at + 1);
  }
  return path + (request.shape == answer_shape::in_one_piece ? ":rawPredict" : ":streamRawPredict");
}

void edit_vertex_request(const attempt_request& request, const claude_plan& plan, prepared_request& prepared) {
  message_envelope envelope;
  // Vertex AI accepts only this version of Anthropic's API.
  envelope.members.emplace_back("anthropic_version", json_quote("vertex-2023-10-16"));
  envelope.has_stream = true;
  edit_message_request(request, plan, prepared, &envelope);
}

}  // namespace

wire_format anthropic_dialect::speaks(wire_format, const provider&, std::string_view, const client_body&) const {
  return wire_format::anthropic_messages;
}

std::span<const std::string_view> anthropic_dialect::passed_headers(wire_format asked) const {
  if (asked != wire_format::anthropic_messages) return {};
  return version_and_betas;
}

std::optional<std::string_view> anthropic_dialect::unsupported(const client_body& body, wire_format format,
                                                               const provider& target) const {
  if (format == wire_format::anthropic_messages) return unsupported_params(body, target.behaves);
  const openai_format* const other = find_openai_format(format);
  return other == nullptr ? std::string_view("format") : to_string(other->api);
}

std::optional<std::string_view> anthropic_dialect::unsupported_by_model(const client_body& body, wire_format format,
                                                                        std::string_view model,
                                                                        const provider& target) const {
  if (format != wire_format::anthropic_messages) return std::nullopt;
  const model_facts& facts = facts_of(model_at(target, model));
  if (!facts.takes_prefill && ends_with_prefill(body)) return "messages";
  if (refuses_choice(facts, body, target)) return "tool_choice";
  const std::string_view cloud = cloud_of(target);
  if (cloud != "bedrock-mantle" && has_tool_of(facts.refused_tools, body)) return "tools";
  const std::string_view refused = refused_by_cloud(cloud_facts_of(cloud, &target), body);
  return refused.empty() ? std::nullopt : std::optional(refused);
}

prepared_request anthropic_dialect::prepare(const attempt_request& request) const {
  prepared_request prepared;
  const bool is_whole = request.shape == answer_shape::in_one_piece;
  const claude_plan plan = plan_for_claude(request, cloud_of(request.target));
  const std::string betas = plan.header();
  // In a request to Vertex AI, the body contains the API's version, so the version header is omitted.
  const bool says_version = !is_vertex(request.target.url);
  std::vector<header_field> own{{"content-type", "application/json"},
                                {"accept", is_whole ? "application/json" : "text/event-stream"}};
  if (says_version) own.push_back({version_field, version_of(request)});
  if (!betas.empty()) own.push_back({betas_field, betas});
  const std::string path = says_version ? "/messages" : vertex_path(request);
  prepared.head = provider_head(request.target, request.key, path, own, request.forwarded);
  prepared.body = request_body(request.body);
  prepared.is_unstreamed = is_whole;
  if (says_version) edit_message_request(request, plan, prepared);
  else edit_vertex_request(request, plan, prepared);
  std::erase_if(prepared.head.fields, [&](const auto& field) {
    // If no beta feature is sent, the client's own beta header is removed.
    const bool is_lost_beta = betas.empty() && equals_ignoring_case(field.first, betas_field);
    return is_lost_beta || (!says_version && equals_ignoring_case(field.first, version_field));
  });
  return prepared;
}

std::unique_ptr<dialect_stream> anthropic_dialect::open_stream(stream_settings settings) const {
  const json_use use = settings.is_passed() ? json_use::passes : json_use::translated;
  return std::make_unique<message_stream>(settings.parser, use);
}

}  // namespace photofinish::proxy
