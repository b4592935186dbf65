// A provider's own stream of Messages: what passes is valid JSON in one line, under a name that fits on a line; the cuts
// between reads change nothing; it ends once, or fails; and the whole message that it adds up to is valid JSON.
#include "gateway/api/messages/passed_messages.hpp"
#include "proxy/dialects/anthropic/message_stream.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <simdjson.h>

#include <string>

namespace photofinish::fuzz {
namespace {

using player = test::player_of<proxy::message_stream>;
using test::played_stream;

played_stream play(const pieces& cut) {
  player one(nullptr);
  for (const std::string_view piece : cut) one.feed(piece);
  one.end_body();
  return one.played();
}

bool same(const played_stream& one, const played_stream& other) {
  return one.json == other.json && one.names == other.names && one.kinds == other.kinds && one.said == other.said &&
         one.failed.has_value() == other.failed.has_value();
}

void check_events(const played_stream& played) {
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

void check_message(const played_stream& played) {
  gateway::passed_whole_message writer;
  std::string batch;
  gateway::outgoing to(batch);
  to.begin_batch();
  for (std::size_t at = 0; at < played.json.size(); ++at) {
    const std::string_view piece = played.json[at];
    (void)writer.add({.spoken = proxy::wire_format::anthropic_messages, .json = {&piece, 1}, .name = played.names[at]}, to);
  }
  writer.end(to);
  const std::string message = to.take().text();
  proxy::json_scan scan;
  require(scan.see(message) && scan.is_complete(), "a whole message is a JSON object");
}

void check(std::string_view bytes) {
  const played_stream whole = play({bytes});
  require(same(play(at_random(bytes)), whole), "any split gives the same stream");
  check_events(whole);
  if (!whole.failed) check_message(whole);
}

// The same bytes in place of a stream.
void check_whole(std::string_view bytes) {
  player one(nullptr);
  one.answer(std::string(bytes));
  check_events(one.played());
  if (!one.played().failed) check_message(one.played());
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const std::string_view bytes = fuzz::as_text(data, size);
  fuzz::check(bytes);
  fuzz::check_whole(bytes);
  return 0;
}
