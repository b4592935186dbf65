// Splits the bytes of a provider's stream at chosen positions, passes the pieces to the product, and collects the client's events. Every
// piece has its own memory, which is freed after the next piece, as a socket's buffer would be.
#pragma once

#include "proxy/aws/event_frames.hpp"
#include "proxy/dialects/openai/openai_stream.hpp"
#include "proxy/dialects/sse_parser.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::test {

// A text that is followed by exactly 64 readable bytes of padding. A sanitizer detects reads beyond the padding.
class padded_bytes {
 public:
  explicit padded_bytes(std::string_view bytes) : size_(bytes.size()), bytes_(new char[bytes.size() + 64]) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
    std::memset(bytes_.get() + size_, '#', 64);
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

// The stream as the client receives it. It contains the JSON of each relayed event, and how the stream ended.
struct played_stream {
  std::vector<std::string> json;
  std::vector<std::string> names;  // the names of the events whose JSON is in `json`
  std::vector<proxy::event_kind> kinds;
  std::map<proxy::delta_kind, std::string> said;  // the joined text of all deltas, by kind
  std::size_t ends = 0;
  std::optional<proxy::failure> failed;
  proxy::stream_summary summary;

  std::string text() const {
    std::string lines;
    for (const std::string& line : json) lines += line + "\n";
    return lines;
  }
};

template <class stream_type>
class player_of {
 public:
  template <class... arguments>
  explicit player_of(arguments&&... of_the_stream) : stream_(std::forward<arguments>(of_the_stream)...) {}

  void feed(std::string_view bytes, proxy::instant read_at = {}) {
    auto fed = std::make_unique<padded_bytes>(bytes);
    parser_.feed(fed->view());
    fed_ = std::move(fed);
    while (const auto event = parser_.next()) take(stream_.on_event(*event, read_at));
  }

  void end_body(proxy::instant read_at = {}) {
    stream_.name_unfinished(parser_.unfinished_name());
    take(stream_.on_body_end(parser_.unfinished_data(), read_at));
  }

  // Passes the bytes of a stream in AWS's binary frames to the product's reader. If a frame is invalid, records a failure.
  void feed_frames(std::string_view bytes, proxy::instant read_at = {}) {
    if (played_.failed) return;  // ignores bytes after a failure, as the product's reader does
    auto fed = std::make_unique<padded_bytes>(bytes);
    frames_.feed(fed->view());
    fed_ = std::move(fed);
    while (const auto frame = played_.failed ? std::nullopt : frames_.next()) take(stream_.on_frame(*frame, read_at));
    if (played_.failed || frames_.fault().empty()) return;
    played_.failed.emplace();
    played_.failed->detail = frames_.fault();
  }
  void end_frames(proxy::instant read_at = {}) {
    if (!played_.failed) take(stream_.on_body_end(frames_.unfinished(), read_at));
  }

  // Plays a non-streamed answer.
  void answer(std::string body, proxy::instant read_at = {}) {
    const auto taken = stream_.on_whole(std::move(body));
    if (!taken) played_.failed = taken.error();
    while (!played_.failed && played_.ends == 0) take(stream_.next_of_whole(read_at));
  }

  const played_stream& played() const { return played_; }

 private:
  void take(const proxy::result<std::span<const proxy::stream_event>>& given) {
    if (!given) {
      played_.failed = given.error();
      return;
    }
    for (const proxy::stream_event& event : *given) {
      proxy::add_to(played_.summary, event);
      played_.kinds.push_back(event.kind);
      played_.ends += event.kind == proxy::event_kind::end;
      for (const proxy::delta& each : event.deltas) played_.said[each.kind] += each.text;
      std::string text;
      for (const std::string_view piece : event.json) text += piece;
      if (!text.empty()) played_.names.emplace_back(event.name);
      if (!text.empty()) played_.json.push_back(text);
    }
  }

  std::unique_ptr<padded_bytes> fed_;
  proxy::sse_parser parser_;
  proxy::frame_reader frames_{16u << 20};
  played_stream played_;
  stream_type stream_;
};

class stream_player : public player_of<proxy::openai_stream> {
 public:
  explicit stream_player(proxy::stream_settings settings) : player_of(std::move(settings)) {}
};

inline proxy::stream_settings settings_for_test(proxy::usage_chunk usage = proxy::usage_chunk::unwanted) {
  return {.id = "chatcmpl-invented", .created = 1700000000, .model = "asked-model", .usage = usage};
}

inline played_stream play(const std::vector<std::string_view>& feeds,
                          proxy::usage_chunk usage = proxy::usage_chunk::unwanted) {
  stream_player player(settings_for_test(usage));
  for (const std::string_view bytes : feeds) player.feed(bytes);
  player.end_body();
  return player.played();
}

// Returns a stream with one event for each JSON text, without [DONE].
inline std::string events_of(const std::vector<std::string>& chunks) {
  std::string bytes;
  for (const std::string& chunk : chunks) bytes += "data: " + chunk + "\n\n";
  return bytes;
}

inline played_stream play_chunks(const std::vector<std::string>& chunks,
                                 proxy::usage_chunk usage = proxy::usage_chunk::unwanted) {
  const std::string bytes = events_of(chunks) + "data: [DONE]\n\n";
  return play({bytes}, usage);
}

}  // namespace photofinish::test
