// Fuzzes the parser of event streams. The parsed events do not depend on how the bytes are split into reads. They equal the events that the
// standard's algorithm finds (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
#include "proxy/dialects/sse_parser.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <optional>
#include <utility>

namespace photofinish::fuzz {
namespace {

using event = std::pair<std::string, std::string>;  // type, data

struct outcome {
  std::vector<event> events;
  std::string unfinished;
  bool is_oversized = false;

  bool operator==(const outcome&) const = default;
};

outcome parse(const pieces& cut, std::size_t limit) {
  proxy::sse_parser parser(limit);
  outcome got;
  std::optional<exact_bytes> fed;
  for (const std::string_view piece : cut) {
    exact_bytes next(piece, 64);
    parser.feed(next.view());
    fed.emplace(std::move(next));
    while (const auto given = parser.next()) got.events.emplace_back(given->type, given->data);
    if (parser.is_oversized()) break;
  }
  got.is_oversized = parser.is_oversized();
  if (!got.is_oversized) got.unfinished = parser.unfinished_data();
  return got;
}

// Parses a complete stream line by line, as the standard describes. The field `error` is the gateway's only addition to the standard.
std::vector<event> parse_by_the_book(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<event> events;
  std::string type, data;
  bool has_data = false;
  while (true) {
    const std::size_t end = text.find_first_of("\r\n");
    if (end == std::string_view::npos) return events;  // the standard ignores a last line without a line end
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + (text.substr(end, 2) == "\r\n" ? 2 : 1));
    if (line.empty()) {
      if (has_data) events.emplace_back(type, data.substr(0, data.size() - 1));
      type.clear(), data.clear(), has_data = false;
      continue;
    }
    const std::size_t colon = line.find(':');
    const std::string_view field = line.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "event") type = value;
    if (field == "error") type = field;
    if (field == "data" || field == "error") has_data = true, data.append(value).append("\n");
  }
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish::fuzz;
  const std::string_view bytes = as_text(data, size);
  for (const std::size_t limit : {std::size_t{16} << 20, std::size_t{48}}) {
    const outcome whole = parse({bytes}, limit);
    require(parse(byte_by_byte(bytes), limit) == whole, "byte by byte gives the same events");
    require(parse(at_random(bytes), limit) == whole, "any split gives the same events");
    if (!whole.is_oversized) require(whole.events == parse_by_the_book(bytes), "the events are the standard's");
  }
  return 0;
}
