#include "gateway/api/audio/speech_api.hpp"

#include "gateway/api/audio/passing_writer.hpp"
#include "proxy/json/json_text.hpp"

#include <array>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 4> single_speech_members{"model", "input", "response_format", "stream_format"};

std::optional<api_error> complete_speech(parsed_request& request) {
  if (!proxy::json_is_string(request.prompt)) return bad_request("'input' must be text", "input");
  const std::string_view form = request.body->value_of("stream_format");
  const bool is_of_events = form == R"("sse")";
  if (!is_of_events && !form.empty() && form != R"("audio")" && !proxy::json_is_null(form))
    return bad_request("'stream_format' must be audio or sse", "stream_format");
  request.form = is_of_events ? answer_form::stream : answer_form::bytes;
  if (is_of_events) request.format = proxy::wire_format::openai_speech_events;
  return std::nullopt;
}

}  // namespace

speech_api::speech_api()
    : whole_api("/audio/speech", metrics::endpoint::audio_speech,
                {proxy::wire_format::openai_speech, single_speech_members, "input"}, &complete_speech) {}

std::unique_ptr<answer_writer> speech_api::writer(const parsed_request& request, answer_identity) const {
  return std::make_unique<passing_writer>(request.format, request.form);
}

}  // namespace photofinish::gateway
