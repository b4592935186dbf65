#include "gateway/api/multipart/image_form_apis.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 4> single_image_fields{"model", "prompt", "stream", "n"};

std::optional<api_error> check_fields(const parsed_request& request) {
  const auto streams = read_stream(*request.body);
  if (const auto* error = std::get_if<api_error>(&streams)) return *error;
  if (std::get<bool>(streams))
    return bad_request("this endpoint does not stream images: omit 'stream'", "stream", "unsupported_parameter");
  return check_field(*request.body, "image");
}

std::variant<parsed_request, api_error> read_image_form(sent_form sent, proxy::wire_format format) {
  auto read = read_form_request(std::move(sent), single_image_fields);
  auto* const request = std::get_if<parsed_request>(&read);
  if (request == nullptr) return read;
  if (auto error = check_fields(*request)) return std::move(*error);
  request->format = format;
  return read;
}

}  // namespace

std::variant<parsed_request, api_error> image_edits_api::read_form(sent_form sent) const {
  auto read = read_image_form(std::move(sent), proxy::wire_format::openai_image_edits);
  if (const auto* request = std::get_if<parsed_request>(&read))
    if (auto error = check_field(*request->body, "prompt")) return std::move(*error);
  return read;
}

std::variant<parsed_request, api_error> image_variations_api::read_form(sent_form sent) const {
  return read_image_form(std::move(sent), proxy::wire_format::openai_image_variations);
}

}  // namespace photofinish::gateway
