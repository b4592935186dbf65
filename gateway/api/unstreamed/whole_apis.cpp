#include "gateway/api/unstreamed/whole_apis.hpp"

#include "gateway/api/unstreamed/whole_writer.hpp"
#include "proxy/dialects/vector_encoding.hpp"
#include "proxy/json/json_text.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 4> single_embeddings_members{"model", "input", "encoding_format", "dimensions"};
constexpr std::array<std::string_view, 4> single_rerank_members{"model", "query", "documents", "top_n"};
constexpr std::array<std::string_view, 2> single_moderations_members{"model", "input"};
constexpr std::array<std::string_view, 4> single_images_members{"model", "prompt", "stream", "n"};

// The maximum number of JSON values in an input. OpenAI accepts 300,000 tokens in one request, and some clients send
// each token as a number.
constexpr std::size_t most_input_values = 500'000;

// OpenAI's default model for moderations. If a route has this name, it serves the clients that name no model.
constexpr std::string_view default_moderations_model = "omni-moderation-latest";

std::optional<api_error> check_embeddings(parsed_request& request) {
  const std::string_view encoding = request.body->value_of("encoding_format");
  if (encoding.empty() || proxy::json_is_null(encoding) || proxy::json_is_string(encoding)) return std::nullopt;
  return bad_request("'encoding_format' must be \"float\" or \"base64\"", "encoding_format");
}

std::optional<api_error> check_rerank(parsed_request& request) {
  if (auto error = check_input(*request.body, "query")) return error;
  if (!proxy::json_is_array(request.prompt)) return bad_request("'documents' must be an array", "documents");
  return std::nullopt;
}

std::optional<api_error> check_nothing(parsed_request&) { return std::nullopt; }

std::optional<api_error> check_images(parsed_request& request) {
  if (!proxy::json_is_string(request.prompt)) return bad_request("'prompt' must be text", "prompt");
  if (auto error = check_stream(*request.body)) return error;
  if (request.body->value_of("stream") == "true")
    return bad_request("this endpoint does not stream images: omit 'stream'", "stream", "unsupported_parameter");
  return std::nullopt;
}

// Writes an answer with embeddings. If the embeddings do not have the requested encoding, the writer converts them.
class embeddings_writer final : public whole_writer {
 public:
  // If `wanted` is empty, the client asked for an encoding that only providers know. Every answer then passes
  // unchanged.
  explicit embeddings_writer(std::optional<proxy::vector_encoding> wanted)
      : whole_writer(proxy::wire_format::openai_embeddings), wanted_(wanted) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override {
    auto added = whole_writer::add(event, to);
    is_other_ = wanted_ && proxy::encoding_at_first_sight(json_) != wanted_;
    return added;
  }

  bool is_long() const override { return is_other_ && json_.size() > proxy::most_converted_in_a_turn; }

  proxy::result<void> make_ready() override {
    if (!is_other_) return {};
    auto converted = proxy::encoded_as(json_, *wanted_);
    if (!converted) return std::move(converted).error();
    json_ = std::move(*converted);
    return {};
  }

  std::size_t held_bytes() const override {
    return json_.size() + (is_other_ ? proxy::most_encoded_bytes(json_.size()) : 0);
  }

 private:
  std::optional<proxy::vector_encoding> wanted_;
  bool is_other_ = false;  // true if the answer may have an encoding other than `wanted_`
};

}  // namespace

std::variant<parsed_request, api_error> whole_api::read(std::string text, proxy::tolerant_parser& parser) const {
  auto read = read_whole_request(std::move(text), expected_, parser);
  if (auto* request = std::get_if<parsed_request>(&read))
    if (auto error = complete_(*request)) return *std::move(error);
  return read;
}

std::unique_ptr<answer_writer> whole_api::writer(const parsed_request& request, answer_identity) const {
  return std::make_unique<whole_writer>(request.format);
}

embeddings_api::embeddings_api()
    : whole_api("/embeddings", metrics::endpoint::embeddings,
                {.format = proxy::wire_format::openai_embeddings,
                 .single = single_embeddings_members,
                 .prompt = "input",
                 .most_values = most_input_values},
                &check_embeddings) {}

std::unique_ptr<answer_writer> embeddings_api::writer(const parsed_request& request, answer_identity) const {
  return std::make_unique<embeddings_writer>(proxy::encoding_asked_for(*request.body));
}

rerank_api::rerank_api()
    : whole_api("/rerank", metrics::endpoint::rerank,
                {proxy::wire_format::openai_rerank, single_rerank_members, "documents"}, &check_rerank) {}

moderations_api::moderations_api()
    : whole_api("/moderations", metrics::endpoint::moderations,
                {proxy::wire_format::openai_moderations, single_moderations_members, "input",
                 default_moderations_model},
                &check_nothing) {}

images_api::images_api()
    : whole_api("/images/generations", metrics::endpoint::images,
                {proxy::wire_format::openai_images, single_images_members, "prompt"}, &check_images) {}

}  // namespace photofinish::gateway
