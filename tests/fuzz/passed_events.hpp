// The checks in this file apply to every stream whose events the gateway passes on unchanged. Each event is valid JSON on one line, and the
// event's name contains no line break. The result does not depend on how the bytes are split into reads. The stream either ends exactly
// once or fails.
#pragma once

#include "proxy/json/tolerant_json.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <simdjson.h>

#include <string>
#include <string_view>

namespace photofinish::fuzz {

using test::played_stream;

template <class Stream>
played_stream play(const pieces& cut) {
  test::player_of<Stream> one(nullptr);
  for (const std::string_view piece : cut) one.feed(piece);
  one.end_body();
  return one.played();
}

inline bool same(const played_stream& one, const played_stream& other) {
  return one.json == other.json && one.names == other.names && one.kinds == other.kinds && one.said == other.said &&
         one.failed.has_value() == other.failed.has_value();
}

inline void check_events(const played_stream& played) {
  require(played.ends + (played.failed ? 1 : 0) == 1, "a stream ends once, or fails");
  proxy::tolerant_parser parser;
  for (const std::string& json : played.json) {
    require(json.find('\n') == std::string::npos, "an event is one line");
    const test::padded_bytes padded(json);
    simdjson::dom::object event;
    require(parser.parse(padded.view()).get(event) == simdjson::SUCCESS, "what is relayed is a valid JSON object");
  }
  for (const std::string& name : played.names)
    require(name.find_first_of("\r\n: ") == std::string::npos, "a name is a word");
}

// Checks the bytes as a stream, and then as the body of a non-streamed answer. If the common checks pass, calls `more` and `more_of_whole`
// for additional checks.
template <class Stream, class More, class MoreOfWhole>
int check_passed(std::string_view bytes, More more, MoreOfWhole more_of_whole) {
  const played_stream stream = play<Stream>({bytes});
  require(same(play<Stream>(at_random(bytes)), stream), "any split gives the same stream");
  check_events(stream);
  if (!stream.failed) more(stream);
  test::player_of<Stream> one(nullptr);
  one.answer(std::string(bytes));
  check_events(one.played());
  if (!one.played().failed) more_of_whole(one.played());
  return 0;
}

}  // namespace photofinish::fuzz
