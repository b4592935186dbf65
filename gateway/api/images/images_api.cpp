#include "gateway/api/images/images_api.hpp"

#include "gateway/api/whole/whole_request.hpp"
#include "gateway/api/whole/whole_writer.hpp"
#include "proxy/json/json_text.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 4> single_images_members{"model", "prompt", "stream", "n"};

std::optional<api_error> check_members(const ask& request) {
  if (!proxy::json_is_string(request.prompt)) return bad_request("'prompt' must be text", "prompt");
  if (auto error = check_stream(*request.body)) return error;
  if (request.body->value_of("stream") == "true")
    return bad_request("images are answered in one piece here: leave 'stream' out", "stream", "unsupported_parameter");
  return std::nullopt;
}

}  // namespace

std::variant<ask, api_error> images_api::read(std::string text, proxy::tolerant_parser& parser) const {
  const whole_request expected{proxy::wire_format::openai_images, single_images_members, "prompt"};
  auto read = read_whole_request(std::move(text), expected, parser);
  if (const auto* request = std::get_if<ask>(&read))
    if (auto error = check_members(*request)) return std::move(*error);
  return read;
}

std::unique_ptr<answer_writer> images_api::writer(const ask& request, answer_identity) const {
  return std::make_unique<whole_writer>(request.format);
}

}  // namespace photofinish::gateway
