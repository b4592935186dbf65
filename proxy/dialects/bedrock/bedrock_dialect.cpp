#include "proxy/dialects/bedrock/bedrock_dialect.hpp"

#include "proxy/dialects/anthropic/message_request.hpp"
#include "proxy/dialects/bedrock/claude_stream.hpp"
#include "proxy/dialects/bedrock/converse_request.hpp"
#include "proxy/dialects/bedrock/converse_stream.hpp"
#include "proxy/dialects/openai/openai_formats.hpp"
#include "proxy/dialects/provider_head.hpp"
#include "proxy/dialects/rare_key_check.hpp"
#include "proxy/dialects/tier_edit.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/parameters.hpp"
#include "proxy/providers/url.hpp"
#include "proxy/words/contains.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::array<std::string_view, 1> betas{betas_field};

// True if the model's name contains the name of Claude's publisher, Anthropic. Names of application inference profiles
// and of custom models do not contain a publisher.
bool is_claude(std::string_view model) { return model.find("anthropic.") != std::string_view::npos; }

std::string guardrail_member(const bedrock_guardrail& of) {
  return R"("guardrailConfig":{"guardrailIdentifier":)" + json_quote(of.id) + R"(,"guardrailVersion":)" +
         json_quote(of.version) + "}";
}

std::string path_of(const attempt_request& request) {
  const bool is_streamed = request.shape == answer_shape::streamed;
  const bool is_invoked = request.format == wire_format::anthropic_messages;
  const std::string_view verb = is_invoked ? (is_streamed ? "invoke-with-response-stream" : "invoke")
                                           : (is_streamed ? "converse-stream" : "converse");
  return "/model/" + percent_encoded(request.model) + "/" + std::string(verb);
}

bool is_of_conversation(wire_format asked) {
  return asked == wire_format::openai_chat || asked == wire_format::openai_responses ||
         asked == wire_format::anthropic_messages;
}

bool is_mantle(const provider& target) { return target.url.host.starts_with("bedrock-mantle."); }

// Sets the service tier of a Converse request. If `drop_params` lists the tier's parameter, does nothing, because
// edit_converse_body() has already removed the parameter.
void edit_converse_tier(const attempt_request& request, prepared_request& prepared) {
  const json_member* const tier = request.body->members().find(converse_tier.name);
  if (tier == nullptr && !request.tier) return;
  if (tier != nullptr && contains(request.target.behaves.drop_params, converse_tier.name)) return;
  edit_tier(request, tier, converse_tier, prepared);
}

constexpr std::string_view mantle_path_of_claude = "/anthropic/v1";

// Claude models, which Bedrock serves by InvokeModel

constexpr std::string_view bedrock_cloud = "bedrock";  // the name of Bedrock in models.yaml
// The only version of Anthropic's API that Bedrock accepts.
constexpr std::string_view bedrock_version = "bedrock-2023-05-31";

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

// Returns the names of the beta features as a JSON list for the request body.
std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& each : names) list.append(list.empty() ? "[" : ",").append(json_quote(each));
  return list + "]";
}

void edit_claude_request(const attempt_request& request, prepared_request& prepared) {
  const claude_plan plan = plan_for_claude(request, bedrock_cloud);
  message_envelope envelope;
  envelope.members.emplace_back("anthropic_version", json_quote(bedrock_version));
  if (!plan.betas.empty()) envelope.members.emplace_back("anthropic_beta", list_of(plan.betas));
  edit_message_request(request, plan, prepared, &envelope);
}

// Returns the name of the first part of a request that Bedrock does not support for Claude models. Examples are media
// with a URL, tools that Anthropic runs itself, and parts that the model refuses.
std::optional<std::string_view> unsupported_for_claude(const client_body& body, std::string_view model,
                                                       const provider& target) {
  const model_facts& facts = facts_of(model_at(target, model));
  if (!facts.takes_prefill && ends_with_prefill(body)) return "messages";
  if (refuses_choice(facts, body, target)) return "tool_choice";
  const std::string_view refused = refused_by_cloud(cloud_facts_of(bedrock_cloud, &target), body);
  if (!refused.empty()) return refused;
  if (has_media_elsewhere(body)) return "content.source.url";
  return std::nullopt;
}

}  // namespace

wire_format bedrock_dialect::speaks(wire_format asked, const provider& target, std::string_view model,
                                    const client_body& body) const {
  if (is_mantle(target) && !(is_claude(model) && is_of_conversation(asked)))
    return openai_.speaks(asked, target, model, body);
  if (!is_of_conversation(asked)) return asked;
  return is_claude(model) ? wire_format::anthropic_messages : wire_format::bedrock_converse;
}

std::span<const std::string_view> bedrock_dialect::passed_headers(wire_format asked) const {
  if (asked != wire_format::anthropic_messages) return {};
  return betas;
}

std::optional<std::string_view> bedrock_dialect::unsupported(const client_body& body, wire_format format,
                                                             const provider& target) const {
  if (format == wire_format::anthropic_messages) return unsupported_params(body, target.behaves);
  if (is_mantle(target)) return openai_.unsupported(body, format, target);
  if (format == wire_format::bedrock_converse) return unsupported_params(body, target.behaves, "inferenceConfig");
  const openai_format* const other = find_openai_format(format);
  return other == nullptr ? std::string_view("format") : to_string(other->api);
}

std::optional<std::string_view> bedrock_dialect::unsupported_by_model(const client_body& body, wire_format format,
                                                                      std::string_view model,
                                                                      const provider& target) const {
  const bool is_of_claude = format == wire_format::anthropic_messages;
  if (is_mantle(target))
    return is_of_claude ? anthropic_.unsupported_by_model(body, format, model, target)
                        : openai_.unsupported_by_model(body, format, model, target);
  if (is_of_claude) return unsupported_for_claude(body, model, target);
  if (format != wire_format::bedrock_converse) return std::nullopt;
  return unsupported_in_converse(body, converse_facts_of(model_at(target, model)));
}

bool bedrock_dialect::stores(const client_body& body, wire_format format, const provider& target) const {
  return is_mantle(target) && openai_.stores(body, format, target);
}

prepared_request bedrock_dialect::prepare(const attempt_request& request) const {
  if (is_mantle(request.target)) return prepare_at_mantle(request);
  prepared_request prepared;
  const bool is_whole = request.shape == answer_shape::in_one_piece;
  std::vector<header_field> own{{"content-type", "application/json"},
                                {"accept", is_whole ? "application/json" : "application/vnd.amazon.eventstream"}};
  const bool is_invoked = request.format == wire_format::anthropic_messages;
  const auto& guardrail = request.target.guardrail;
  if (guardrail && is_invoked) {
    own.push_back({"x-amzn-bedrock-guardrailidentifier", guardrail->id});
    own.push_back({"x-amzn-bedrock-guardrailversion", guardrail->version});
  }
  prepared.head = provider_head(request.target, request.key, path_of(request), own, request.forwarded);
  // The header with the beta features is removed, because the body already contains the beta features.
  std::erase_if(prepared.head.fields, [](const auto& each) { return equals_ignoring_case(each.first, betas_field); });
  prepared.body = request_body(request.body);
  prepared.is_unstreamed = is_whole;
  if (is_invoked) {
    edit_claude_request(request, prepared);
    return prepared;
  }
  const converse_facts& facts = converse_facts_of(model_at(request.target, request.model));
  prepared.reasoning_left_out = edit_converse_body(*request.body, facts, request.target.behaves,
                                                   request.reasoning, prepared.body.edits(), prepared.dropped,
                                                   request.foreign);
  edit_converse_tier(request, prepared);
  if (guardrail) prepared.body.edits().insert_member(request.body->json(), guardrail_member(*guardrail));
  return prepared;
}

prepared_request bedrock_dialect::prepare_at_mantle(const attempt_request& request) const {
  if (request.format != wire_format::anthropic_messages) return openai_.prepare(request);
  provider at_claude = request.target;
  at_claude.url.path = mantle_path_of_claude;
  return anthropic_.prepare({.body = request.body,
                             .format = request.format,
                             .target = at_claude,
                             .model = request.model,
                             .key = request.key,
                             .forwarded = request.forwarded,
                             .shape = request.shape,
                             .reasoning = request.reasoning,
                             .is_translated = request.is_translated,
                             .foreign = request.foreign});
}

std::unique_ptr<dialect_stream> bedrock_dialect::open_stream(stream_settings settings) const {
  if (settings.format == wire_format::anthropic_messages) return std::make_unique<claude_stream>(std::move(settings));
  if (settings.format != wire_format::bedrock_converse) return openai_.open_stream(std::move(settings));
  return std::make_unique<converse_stream>(std::move(settings));
}

}  // namespace photofinish::proxy
