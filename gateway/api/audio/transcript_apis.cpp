#include "gateway/api/audio/transcript_apis.hpp"

#include "gateway/api/audio/passing_writer.hpp"
#include "gateway/api/unstreamed/whole_writer.hpp"
#include "proxy/words/contains.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::wire_format;

constexpr std::array<std::string_view, 3> single_transcript_fields{"model", "stream", "response_format"};

// True if the client asks for text instead of JSON. The default format is JSON. Unknown values of `response_format`
// pass to the provider.
bool asks_for_text(const proxy::client_body& form) {
  constexpr std::array<std::string_view, 3> texts{"text", "srt", "vtt"};
  return proxy::contains(texts, form.value_of("response_format"));
}

std::variant<parsed_request, api_error> read_transcript_form(sent_form sent) {
  auto read = read_form_request(std::move(sent), single_transcript_fields);
  if (const auto* request = std::get_if<parsed_request>(&read))
    if (auto error = check_field(*request->body, "file")) return std::move(*error);
  return read;
}

}  // namespace

std::variant<parsed_request, api_error> transcriptions_api::read_form(sent_form sent) const {
  auto read = read_transcript_form(std::move(sent));
  auto* const request = std::get_if<parsed_request>(&read);
  if (request == nullptr) return read;
  const auto streams = read_stream(*request->body);
  if (const auto* error = std::get_if<api_error>(&streams)) return *error;
  if (std::get<bool>(streams)) {
    request->form = answer_form::stream;
    request->format = wire_format::openai_transcription_events;
  } else {
    request->format =
        asks_for_text(*request->body) ? wire_format::openai_transcription_text : wire_format::openai_transcription;
  }
  return read;
}

std::unique_ptr<answer_writer> transcriptions_api::writer(const parsed_request& request, answer_identity) const {
  if (request.form == answer_form::stream) return std::make_unique<passing_writer>(request.format, request.form);
  return std::make_unique<whole_writer>(request.format);
}

std::variant<parsed_request, api_error> translations_api::read_form(sent_form sent) const {
  auto read = read_transcript_form(std::move(sent));
  if (auto* const request = std::get_if<parsed_request>(&read))
    request->format =
        asks_for_text(*request->body) ? wire_format::openai_translation_text : wire_format::openai_translation;
  return read;
}

}  // namespace photofinish::gateway
