#include "gateway/api/messages/token_count.hpp"

#include "gateway/api/json_body.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "proxy/tokens/byte_pairs.hpp"
#include "proxy/tokens/token_counter.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 4> counted_members{"model", "messages", "system", "tools"};

// The number of tokens that a model's template adds to each turn, and before the answer.
constexpr std::uint64_t of_a_turn = 4;
constexpr std::uint64_t of_the_answer = 3;

// The maximum number of tokens of an image after scaling. The actual number is unknown, because the gateway does not
// decode images.
constexpr std::uint64_t of_an_image = 1'600;

// The estimated number of bytes per token of a PDF file. The estimate assumes about 60 kB and 2,000 tokens per page.
constexpr std::size_t document_bytes_a_token = 30;

// The maximum length in bytes of a text that is counted exactly, about 250,000 tokens. The tokens of longer texts are
// extrapolated. At this length, the count takes 12 ms for English and 0.13 s for one long word of random letters. It
// runs on a thread that other requests also need.
constexpr std::size_t most_counted = 1u << 20;

// Estimates the input tokens of a conversation, as if no tokens were cached. The text is counted with the tokenizer
// o200k_base, even if the model has another tokenizer.
class input_estimate {
 public:
  void add(const proxy::conversation& said) {
    for (const proxy::turn& each : said.turns) {
      tokens_ += of_a_turn;
      for (const proxy::block& block : said.blocks_of(each)) add(said, block);
    }
    count(said.output.schema);
  }

  // Counts the tokens of a text. The punctuation of JSON text is also counted.
  void count(std::string_view text) {
    const std::size_t room = most_counted - counted_bytes_;
    const std::string_view seen = text.substr(0, room);
    counted_ += proxy::count_tokens(seen, proxy::token_counter::max_piece_at_once);
    counted_bytes_ += seen.size();
    uncounted_bytes_ += text.size() - seen.size();
  }

  std::uint64_t tokens() const {
    const double rate = counted_bytes_ == 0 ? 0 : static_cast<double>(counted_) / static_cast<double>(counted_bytes_);
    return tokens_ + counted_ + static_cast<std::uint64_t>(static_cast<double>(uncounted_bytes_) * rate);
  }

 private:
  void add(const proxy::conversation& said, const proxy::block& block) {
    add_text(block.text);
    add_text(block.name);
    if (proxy::json_is_string(block.arguments)) add_text(block.arguments);
    else count(block.arguments);
    for (const proxy::block& part : said.parts_of(block)) add(said, part);
    if (block.kind == proxy::block_kind::image) tokens_ += of_an_image;
    if (block.kind == proxy::block_kind::document) tokens_ += block.media.data.size() * 3 / 4 / document_bytes_a_token;
    if (block.kind == proxy::block_kind::unknown || block.kind == proxy::block_kind::hosted) count(block.raw);
  }

  // Adds the tokens of a JSON string. A huge string is counted in its escaped form, to avoid a copy.
  void add_text(std::string_view text) {
    if (text.empty()) return;
    const std::string_view raw = proxy::json_raw_string(text);
    if (raw.size() > most_counted || raw.find('\\') == std::string_view::npos) count(raw);
    else count(proxy::json_unescape(raw));
  }

  std::uint64_t tokens_ = of_the_answer;  // the tokens of the model's template, in addition to the tokens of the text
  std::uint64_t counted_ = 0;
  std::size_t counted_bytes_ = 0;
  std::size_t uncounted_bytes_ = 0;
};

}  // namespace

std::variant<token_count, api_error> count_request(std::string text, proxy::tolerant_parser& parser) {
  auto read = read_json_body(std::move(text), counted_members, parser);
  if (auto* error = std::get_if<api_error>(&read)) return std::move(*error);
  const proxy::client_body& body = *std::get<json_body>(read).text;
  auto model = read_model(body);
  if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
  const auto said = proxy::read_messages_to_count(body);
  if (const auto* fault = std::get_if<proxy::request_fault>(&said)) return bad_request(fault->message, fault->param);
  input_estimate tokens;
  tokens.add(std::get<proxy::conversation>(said));
  tokens.count(body.value_of("tools"));
  return token_count{std::get<std::string>(std::move(model)),
                     R"({"input_tokens":)" + std::to_string(tokens.tokens()) + "}"};
}

}  // namespace photofinish::gateway
