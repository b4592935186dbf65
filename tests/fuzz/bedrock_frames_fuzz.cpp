// Fuzzes the reader of AWS's event frames. The parsed events do not depend on how the bytes are split into reads, and the reader accepts no
// more data after an error. Input lines of the form "type JSON" become two kinds of frames: frames of the Converse API, and frames that
// contain events of Anthropic's Messages API. Each stream either ends exactly once or fails.
#include "proxy/aws/event_frames.hpp"
#include "proxy/dialects/bedrock/claude_stream.hpp"
#include "proxy/dialects/bedrock/converse_stream.hpp"
#include "proxy/json/base64.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::fuzz {
namespace {

using test::played_stream;

struct heard_frames {
  std::vector<std::string> all;
  std::string fault, unfinished;
};

heard_frames hear(const pieces& cut) {
  proxy::frame_reader reader(1u << 16);
  heard_frames heard;
  for (const std::string_view piece : cut) {
    const test::padded_bytes fed(piece);
    reader.feed(fed.view());
    while (const auto frame = reader.next()) {
      std::string shown(frame->payload);
      for (const proxy::frame_header& each : frame->headers) shown.append("\n").append(each.name).append("=").append(each.value);
      heard.all.push_back(std::move(shown));
    }
    if (!reader.fault().empty()) break;
  }
  heard.fault = reader.fault();
  if (heard.fault.empty()) heard.unfinished = reader.unfinished();
  return heard;
}

void check_frames(std::string_view bytes) {
  const heard_frames whole = hear({bytes}), cut = hear(at_random(bytes));
  require(whole.all == cut.all && whole.fault == cut.fault && whole.unfinished == cut.unfinished, "any split gives the same frames");
}

// Checks that a valid frame is read, and that a frame with one changed bit is rejected.
void check_written(std::string_view payload) {
  std::string bytes = test::event_frame_of("chunk", payload.substr(0, 4096));
  require(hear({bytes}).all.size() == 1, "a frame is read");
  bytes[payload.size() % bytes.size()] = static_cast<char>(bytes[payload.size() % bytes.size()] ^ 1);
  require(hear({bytes}).all.empty(), "a changed frame is not");
}

template <class stream>
void check_stream(const std::string& bytes) {
  const auto play = [](const pieces& cut) {
    test::player_of<stream> one(proxy::stream_settings{});
    for (const std::string_view piece : cut) one.feed_frames(piece);
    one.end_frames();
    return one.played();
  };
  const played_stream whole = play({bytes}), cut = play(at_random(bytes));
  require(
      whole.kinds == cut.kinds && whole.said == cut.said && whole.json == cut.json && whole.failed.has_value() == cut.failed.has_value(),
      "any split gives the same stream");
  require(whole.ends + (whole.failed ? 1 : 0) == 1, "a stream ends once, or fails");
}

void check_lines(std::string_view text) {
  std::string converse, claude;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view type = line.substr(0, space), json = line.substr(std::min(line.size(), space + 1));
    if (type.size() > 200) continue;
    const bool is_exception = type.ends_with("xception");
    converse += is_exception ? test::exception_frame_of(type, json) : test::event_frame_of(type, json);
    claude += test::event_frame_of("chunk", R"({"bytes":")" + proxy::base64_encoded(json, proxy::base64_padding::wanted) + "\"}");
  }
  check_stream<proxy::converse_stream>(converse);
  check_stream<proxy::claude_stream>(claude);
}

void check_whole(std::string_view bytes) {
  test::player_of<proxy::converse_stream> one(proxy::stream_settings{});
  one.answer(std::string(bytes));
  require(one.played().ends + (one.played().failed ? 1 : 0) == 1, "an answer ends once, or fails");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const std::string_view bytes = fuzz::as_text(data, size);
  fuzz::check_frames(bytes);
  fuzz::check_written(bytes);
  fuzz::check_lines(bytes);
  fuzz::check_whole(bytes);
  return 0;
}
