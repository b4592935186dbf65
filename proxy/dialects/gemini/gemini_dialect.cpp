#include "proxy/dialects/gemini/gemini_dialect.hpp"

#include "proxy/dialects/gemini/gemini_request.hpp"
#include "proxy/dialects/gemini/gemini_stream.hpp"
#include "proxy/dialects/openai/openai_formats.hpp"
#include "proxy/dialects/provider_head.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/parameters.hpp"

#include <array>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view openai_layer = "/openai";
constexpr std::string_view own_key_header = "x-goog-api-key";  // which the layer's documentation does not name

bool is_conversation(wire_format format) {
  return format == wire_format::openai_chat || format == wire_format::openai_responses ||
         format == wire_format::anthropic_messages || format == wire_format::gemini;
}

}  // namespace

wire_format gemini_dialect::speaks(wire_format asked, const provider&, std::string_view, const client_body&) const {
  return is_conversation(asked) ? wire_format::gemini : asked;
}

std::optional<std::string_view> gemini_dialect::unsupported(const client_body& body, wire_format format,
                                                            const provider& target) const {
  if (format == wire_format::gemini)
    return target.apis.contains(served_api::chat) ? unsupported_params(body, target.behaves, "generationConfig")
                                                  : to_string(served_api::chat);
  if (is_conversation(format)) return "format";  // which was not translated
  return openai_.unsupported(body, format, target);
}

// Google: "Function calling with a response mime type: 'application/json' is unsupported".
std::optional<std::string_view> gemini_dialect::unsupported_by_model(const client_body& body, wire_format format,
                                                                     std::string_view model,
                                                                     const provider& target) const {
  if (format != wire_format::gemini) return openai_.unsupported_by_model(body, format, model, target);
  const model_facts& facts = gemini_facts_of(model);
  if (!facts.takes_prefill && ends_with_model(body)) return "messages";
  const bool is_json = json_find(body.value_of("generationConfig"), "responseMimeType").has_value();
  if (is_json && !body.value_of("tools").empty() && !facts.calls_beside_json) return "response_format";
  return std::nullopt;
}

prepared_request gemini_dialect::prepare(const attempt_request& request) const {
  if (request.format != wire_format::gemini) {
    provider layer = request.target;
    layer.url.path += openai_layer;
    if (layer.key.auth == auth_style::header && layer.key.header == own_key_header) layer.key.auth = auth_style::bearer;
    return openai_.prepare({request.body, request.format, layer, request.model, request.key, request.forwarded,
                            request.shape, request.previous_response});
  }
  const bool is_streamed = request.shape == answer_shape::streamed;
  const std::string_view verb = is_streamed ? "streamGenerateContent?alt=sse" : "generateContent";
  const std::string path = gemini_path(request.model, verb);
  const std::array<header_field, 2> own{{{"content-type", "application/json"},
                                         {"accept", is_streamed ? "text/event-stream" : "application/json"}}};
  prepared_request prepared;
  prepared.head = provider_head(request.target, request.key, path, own, request.forwarded);
  prepared.body = request_body(request.body);
  edit_gemini_body(request, prepared);
  prepared.is_unstreamed = !is_streamed;
  return prepared;
}

std::unique_ptr<dialect_stream> gemini_dialect::open_stream(stream_settings settings) const {
  if (settings.format != wire_format::gemini) return openai_.open_stream(std::move(settings));
  return std::make_unique<gemini_stream>(std::move(settings));
}

}  // namespace photofinish::proxy
