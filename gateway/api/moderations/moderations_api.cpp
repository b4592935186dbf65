#include "gateway/api/moderations/moderations_api.hpp"

#include "gateway/api/whole/whole_request.hpp"
#include "gateway/api/whole/whole_writer.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 2> single_moderations_members{"model", "input"};

// OpenAI's own default: a route of that name serves clients that name no model.
constexpr std::string_view default_model = "omni-moderation-latest";

}  // namespace

std::variant<ask, api_error> moderations_api::read(std::string text, proxy::tolerant_parser& parser) const {
  const whole_request expected{proxy::wire_format::openai_moderations, single_moderations_members, "input",
                               default_model};
  return read_whole_request(std::move(text), expected, parser);
}

std::unique_ptr<answer_writer> moderations_api::writer(const ask& request, answer_identity) const {
  return std::make_unique<whole_writer>(request.format);
}

}  // namespace photofinish::gateway
