// Reads arbitrary bytes as a stream in Gemini's format. The result does not depend on how the bytes are split into reads, and the stream
// either ends exactly once or fails. The arguments of each completed call form a JSON object if the provider sent valid JSON values.
#include "proxy/dialects/gemini/gemini_stream.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace photofinish::fuzz {
namespace {

using player = test::player_of<proxy::gemini_stream>;
using test::played_stream;

proxy::stream_settings settings() { return {.format = proxy::wire_format::gemini, .id = "r"}; }

played_stream play(const pieces& cut) {
  player one(settings());
  for (const std::string_view piece : cut) one.feed(piece);
  one.end_body();
  return one.played();
}

bool same(const played_stream& one, const played_stream& other) {
  return one.kinds == other.kinds && one.said == other.said && one.failed.has_value() == other.failed.has_value() &&
         one.ends == other.ends;
}

void check_end(const played_stream& played) {
  require(played.ends + (played.failed ? 1 : 0) == 1, "a stream ends once, or fails");
  require(played.json.empty(), "nothing of Gemini's JSON passes");
}

// Concatenates the argument pieces of each call in the order of their arrival. Checks that the result is a JSON object.
void check_arguments(std::string_view bytes) {
  proxy::gemini_stream stream(settings());
  proxy::sse_parser parser;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> calls;
  bool has_ended = false;
  const auto take = [&](const proxy::result<std::span<const proxy::stream_event>>& given) {
    if (!given) return;
    for (const proxy::stream_event& event : *given) {
      has_ended |= event.kind == proxy::event_kind::end;
      for (const proxy::delta& each : event.deltas)
        if (each.kind == proxy::delta_kind::call_arguments) calls[{each.choice, each.part}] += each.text;
    }
  };
  const test::padded_bytes fed(bytes);
  parser.feed(fed.view());
  while (const auto event = parser.next()) take(stream.on_event(*event, {}));
  take(stream.on_body_end(parser.unfinished_data(), {}));
  if (!has_ended) return;
  proxy::tolerant_parser parser_of_arguments;
  for (const auto& [place, text] : calls) {
    const test::padded_bytes padded(text);
    simdjson::dom::object object;
    require(parser_of_arguments.parse(padded.view()).get(object) == simdjson::SUCCESS, "a call's arguments are a JSON object");
  }
}

void check_whole(std::string_view bytes) {
  player one(settings());
  one.answer(std::string(bytes));
  check_end(one.played());
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const std::string_view bytes = fuzz::as_text(data, size);
  const test::played_stream whole = fuzz::play({bytes});
  fuzz::require(fuzz::same(fuzz::play(fuzz::at_random(bytes)), whole), "any split gives the same stream");
  fuzz::check_end(whole);
  fuzz::check_arguments(bytes);
  fuzz::check_whole(bytes);
  return 0;
}
