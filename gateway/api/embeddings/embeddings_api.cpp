#include "gateway/api/embeddings/embeddings_api.hpp"

#include "gateway/api/embeddings/embeddings_writer.hpp"
#include "gateway/api/whole/whole_request.hpp"
#include "proxy/dialects/vector_encoding.hpp"
#include "proxy/json/json_text.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 4> single_embeddings_members{"model", "input", "encoding_format", "dimensions"};

// OpenAI takes 300,000 tokens at a time, and some clients send each as a number.
constexpr std::size_t most_input_values = 500'000;

}  // namespace

std::variant<ask, api_error> embeddings_api::read(std::string text, proxy::tolerant_parser& parser) const {
  const whole_request expected{.format = proxy::wire_format::openai_embeddings,
                               .single = single_embeddings_members,
                               .prompt = "input",
                               .most_values = most_input_values};
  auto read = read_whole_request(std::move(text), expected, parser);
  const auto* const request = std::get_if<ask>(&read);
  const std::string_view encoding = request == nullptr ? "null" : request->body->value_of("encoding_format");
  if (!encoding.empty() && !proxy::json_is_null(encoding) && !proxy::json_is_string(encoding))
    return bad_request("'encoding_format' must be \"float\" or \"base64\"", "encoding_format");
  return read;
}

std::unique_ptr<answer_writer> embeddings_api::writer(const ask& request, answer_identity) const {
  return std::make_unique<embeddings_writer>(proxy::encoding_asked_for(*request.body));
}

}  // namespace photofinish::gateway
