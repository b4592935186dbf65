#include "gateway/api/conversation/input_estimate.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/tokens/byte_pairs.hpp"
#include "proxy/tokens/token_counter.hpp"

namespace photofinish::gateway {
namespace {

// What a model's template puts around a turn, and in front of the answer.
constexpr std::uint64_t of_a_turn = 4;
constexpr std::uint64_t of_the_answer = 3;

// The most that an image is scaled down to; how large it is, only its decoder knows.
constexpr std::uint64_t of_an_image = 1'600;

// A page of a PDF is some 60 kB, and to a model some 2,000 tokens.
constexpr std::size_t document_bytes_a_token = 30;

// Of text: 250,000 tokens; the rest counts in proportion. That takes 12 ms of English, and 0.13 s of letters by chance
// in one word, on a thread for which others wait, too.
constexpr std::size_t most_counted = 1u << 20;

class estimate {
 public:
  void add(const proxy::conversation& said) {
    for (const proxy::turn& each : said.turns) {
      tokens_ += of_a_turn;
      for (const proxy::block& block : said.blocks_of(each)) add(said, block);
    }
    add_json(said.output.schema);
  }

  void add_json(std::string_view value) { count(value); }

  std::uint64_t tokens() const {
    const double rate = counted_bytes_ == 0 ? 0 : static_cast<double>(counted_) / static_cast<double>(counted_bytes_);
    return tokens_ + counted_ + static_cast<std::uint64_t>(static_cast<double>(uncounted_bytes_) * rate);
  }

 private:
  void add(const proxy::conversation& said, const proxy::block& block) {
    add_text(block.text);
    add_text(block.name);
    if (proxy::json_is_string(block.arguments)) add_text(block.arguments);
    else add_json(block.arguments);
    for (const proxy::block& part : said.parts_of(block)) add(said, part);
    if (block.kind == proxy::block_kind::image) tokens_ += of_an_image;
    if (block.kind == proxy::block_kind::document) tokens_ += block.media.data.size() * 3 / 4 / document_bytes_a_token;
    if (block.kind == proxy::block_kind::unknown || block.kind == proxy::block_kind::hosted) add_json(block.raw);
  }

  // A JSON string. A giant one is counted with its escapes: it is not copied.
  void add_text(std::string_view text) {
    if (text.empty()) return;
    const std::string_view raw = proxy::json_raw_string(text);
    if (raw.size() > most_counted || raw.find('\\') == std::string_view::npos) count(raw);
    else count(proxy::json_unescape(raw));
  }

  void count(std::string_view text) {
    const std::size_t room = most_counted - counted_bytes_;
    const std::string_view seen = text.substr(0, room);
    counted_ += proxy::count_tokens(seen, proxy::token_counter::max_piece_at_once);
    counted_bytes_ += seen.size();
    uncounted_bytes_ += text.size() - seen.size();
  }

  std::uint64_t tokens_ = of_the_answer;  // that are no text
  std::uint64_t counted_ = 0;
  std::size_t counted_bytes_ = 0;
  std::size_t uncounted_bytes_ = 0;
};

}  // namespace

std::uint64_t estimate_input(const proxy::conversation& said, std::string_view tools) {
  estimate made;
  made.add(said);
  made.add_json(tools);
  return made.tokens();
}

}  // namespace photofinish::gateway
