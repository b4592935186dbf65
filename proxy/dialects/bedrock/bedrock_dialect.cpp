#include "proxy/dialects/bedrock/bedrock_dialect.hpp"

#include "proxy/dialects/bedrock/claude_request.hpp"
#include "proxy/dialects/bedrock/claude_stream.hpp"
#include "proxy/dialects/bedrock/converse_request.hpp"
#include "proxy/dialects/bedrock/converse_stream.hpp"
#include "proxy/dialects/openai/openai_formats.hpp"
#include "proxy/dialects/provider_head.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/parameters.hpp"
#include "proxy/providers/url.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::string_view betas_header = "anthropic-beta";
constexpr std::array<std::string_view, 1> betas{betas_header};

// Application profiles and custom models do not say whose they are.
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

constexpr std::string_view mantle_path_of_claude = "/anthropic/v1";

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
  return format == wire_format::bedrock_converse ? unsupported_in_converse(body, model) : std::nullopt;
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
  // They stand in the body.
  std::erase_if(prepared.head.fields, [](const auto& each) { return equals_ignoring_case(each.first, betas_header); });
  prepared.body = request_body(request.body);
  prepared.is_unstreamed = is_whole;
  if (is_invoked) {
    edit_claude_request(request, prepared);
    return prepared;
  }
  prepared.reasoning_left_out = edit_converse_body(*request.body, request.model, request.target.behaves,
                                                   request.reasoning, prepared.body.edits(), prepared.dropped,
                                                   request.foreign);
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
                             .foreign = request.foreign});
}

std::unique_ptr<dialect_stream> bedrock_dialect::open_stream(stream_settings settings) const {
  if (settings.format == wire_format::anthropic_messages) return std::make_unique<claude_stream>(std::move(settings));
  if (settings.format != wire_format::bedrock_converse) return openai_.open_stream(std::move(settings));
  return std::make_unique<converse_stream>(std::move(settings));
}

}  // namespace photofinish::proxy
