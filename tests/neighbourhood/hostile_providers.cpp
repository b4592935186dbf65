#include "tests/neighbourhood/hostile_providers.hpp"

#include "tests/support/gateway/scripted_provider.hpp"
#include "tests/support/streams/frames.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace photofinish::neighbourhood {
namespace {

using testing::peer;
using std::chrono::seconds;

constexpr std::size_t mebibyte = 1u << 20;
constexpr std::size_t write_bytes = 64u << 10;  // the size of each write of a flood, in bytes
// This time is longer than the time limits of the gateway, so the gateway closes the connection first.
constexpr seconds longest_wait{30};

const std::string stream_head =
    // The head of an answer without a length. The answer ends when the connection is closed.
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const std::string sound_head = "HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\nconnection: close\r\n\r\n";
const std::string frames_head =
    "HTTP/1.1 200 OK\r\ncontent-type: application/vnd.amazon.eventstream\r\nconnection: close\r\n\r\n";
const std::string json_head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";

std::string repeated(std::string_view piece, std::size_t bytes = write_bytes) {
  std::string all;
  while (all.size() < bytes) all += piece;
  return all;
}

std::string event(std::string_view json) { return "data: " + std::string(json) + "\n\n"; }

// The first event of an answer in Anthropic's Messages API.
const std::string messages_begin =
    "event: message_start\n" +
    event(R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],)"
          R"("stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}})") +
    "event: content_block_start\n" +
    event(R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})");
const std::string messages_piece =
    "event: content_block_delta\n" +
    event(R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}})");

// Events without content that a provider of each dialect may send before its first token.
const std::string gemini_nothing = event(R"({"candidates":[{"content":{"parts":[]}}]})");
const std::string messages_ping = "event: ping\n" + event(R"({"type":"ping"})");
const std::string response_progress =
    "event: response.in_progress\n" +
    event(R"({"type":"response.in_progress","response":{"id":"r","object":"response","output":[]}})");

// Reads one request, and ignores its body. Returns false if the connection has ended.
bool take_request(peer& gateway) {
  std::string seen;
  std::size_t head_end;
  while ((head_end = seen.find("\r\n\r\n")) == std::string::npos) {
    const std::string more = gateway.read_some();
    if (more.empty()) return false;
    seen += more;
  }
  const std::size_t field = seen.find("content-length: ");
  const std::size_t length = field < head_end ? std::stoul(seen.substr(field + 16)) : 0;
  for (std::size_t got = seen.size() - head_end - 4; got < length;) {
    const std::string more = gateway.read_some();
    if (more.empty()) return false;
    got += more.size();
  }
  return true;
}

// A provider that sends `first`, and then repeats `again` as fast as the gateway reads, until the gateway closes the connection.
hostile_provider floods(std::string name, std::string first, std::string again) {
  return {std::move(name), spoken::http1, [first = std::move(first), again = std::move(again)](peer& gateway) {
            if (!take_request(gateway) || !gateway.write(first)) return;
            while (gateway.write(again)) continue;
          }};
}

// A provider that sends `bytes`, and then waits until the gateway closes the connection.
hostile_provider says(std::string name, std::string bytes) {
  return {std::move(name), spoken::http1, [bytes = std::move(bytes)](peer& gateway) {
            if (!take_request(gateway) || !gateway.write(bytes)) return;
            gateway.ends_within(longest_wait);
          }};
}

// A provider that sends `first`, then `piece` several times, then `last`, and closes the connection.
hostile_provider sends(std::string name, std::string first, std::string piece, std::size_t times, std::string last) {
  return {std::move(name), spoken::http1,
          [first = std::move(first), piece = std::move(piece), times, last = std::move(last)](peer& gateway) {
            if (!take_request(gateway) || !gateway.write(first)) return;
            for (std::size_t sent = 0; sent < times; ++sent)
              if (!gateway.write(piece)) return;
            gateway.write(last);
          }};
}

// An engine that runs at most `most` requests at the same time, and refuses further requests. An answer takes 200 ms. The gateway's limit
// is lower than `most`, because the engine notices the end of an attempt later than the gateway does.
hostile_provider has_slots(std::string name, std::size_t most) {
  const std::string body = event(testing::token_chunk("x")) + event(testing::finish_chunk()) + event("[DONE]");
  const std::string answer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + body;
  return {std::move(name), spoken::http1,
          [most, answer, running = std::make_shared<std::atomic<std::size_t>>(0)](peer& gateway) {
            while (take_request(gateway)) {
              const bool has_slot = running->fetch_add(1) < most;
              const bool has_left = gateway.ends_within(std::chrono::milliseconds(200));
              running->fetch_sub(1);
              if (has_left) return;
              gateway.write(has_slot ? answer : "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n");
            }
          }};
}

std::string words() { return repeated("word after word ", mebibyte); }

std::string whole_answer_around(std::string_view content_begins) {
  return R"({"id":"c","object":"chat.completion","created":1763700000,"model":"m","choices":[{"index":0,)"
         R"("finish_reason":"stop","message":{"role":"assistant","content":")" + std::string(content_begins);
}

std::string frame(char type, char flags, std::uint32_t stream, std::string_view payload) {
  const auto byte = [](std::size_t value, int shift) { return static_cast<char>((value >> shift) & 0xff); };
  std::string out{byte(payload.size(), 16), byte(payload.size(), 8), byte(payload.size(), 0), type, flags,
                  byte(stream, 24), byte(stream, 16), byte(stream, 8), byte(stream, 0)};
  out += payload;
  return out;
}

// Sends an endless series of interim responses with status 103 (Early Hints) on the first stream of an HTTP/2 connection.
void flood_interim_responses(peer& gateway) {
  constexpr char headers = 1, settings = 4, end_headers = 4;
  // An HTTP/2 header field with a literal value and the name with index 8 (:status), as in RFC 7541.
  const std::string early_hints{"\x08\x03" "103", 5};
  std::string seen;
  while (seen.size() < 24 + 9) {  // waits for the client's connection preface and the next frame
    const std::string more = gateway.read_some();
    if (more.empty()) return;
    seen += more;
  }
  if (!gateway.write(frame(settings, 0, 0, {}) + frame(settings, 1, 0, {}))) return;
  while (seen.find(std::string{headers, '\x04', 0, 0, 0, 1}) == std::string::npos &&
         seen.find(std::string{headers, '\x05', 0, 0, 0, 1}) == std::string::npos) {
    const std::string more = gateway.read_some();
    if (more.empty()) return;
    seen += more;
  }
  const std::string flood = repeated(frame(headers, end_headers, 1, early_hints));
  while (gateway.write(flood)) continue;
}

}  // namespace

std::vector<hostile_provider> hostile_providers() {
  const std::string token = event(testing::token_chunk("x"));
  const std::string giant_event = event(testing::token_chunk(words() + words() + words() + words()));
  return {
      floods("pings", stream_head, repeated(": ping\n\n")),
      floods("comments", stream_head + token, repeated(": comment\n\n")),
      floods("lines", stream_head, repeated("\n")),
      floods("interims", {}, repeated("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n")),
      floods("roles", stream_head, repeated(event(testing::role_chunk()))),
      floods("tokens", stream_head, repeated(token)),
      floods("sound", sound_head, std::string(write_bytes, '\xff')),
      floods("texts", stream_head, repeated(event(R"({"choices":[{"index":0,"text":"x","finish_reason":null}]})"))),
      floods("numbers", json_head + R"({"object":"list","data":[{"index":0,"embedding":[0)", repeated(",0.123456")),
      floods("pieces", stream_head + messages_begin, repeated(messages_piece)),
      floods("parts", stream_head, repeated(event(R"({"candidates":[{"content":{"role":"model","parts":[{"text":"x"}]}}]})"))),
      floods("frames", frames_head + test::event_frame_of("messageStart", R"({"role":"assistant"})"),
             repeated(test::event_frame_of("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"text":"x"}})"))),
      floods("usages", stream_head, repeated(event(R"({"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":0}})"))),
      floods("nothings", stream_head, repeated(event(R"({"choices":[{"index":0,"delta":{}}]})"))),
      floods("progresses", stream_head, repeated(response_progress)),
      floods("claudepings", stream_head + messages_begin, repeated(messages_ping)),
      floods("partless", stream_head, repeated(gemini_nothing)),
      floods("counts", stream_head, repeated(event(R"({"usageMetadata":{"promptTokenCount":1}})"))),
      floods("unknowns", frames_head, repeated(test::event_frame_of("thing", "{}"))),
      floods("emptytexts", frames_head + test::event_frame_of("messageStart", R"({"role":"assistant"})"),
             repeated(test::event_frame_of("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"text":""}})"))),
      floods("wrappedpings", frames_head, repeated(test::event_frame_of("chunk", R"({"bytes":"eyJ0eXBlIjoicGluZyJ9"})"))),
      {"hints", spoken::http2_in_clear, flood_interim_responses},
      says("silent", {}),
      says("stalled", stream_head + token),
      sends("halved", stream_head + token, {}, 0, {}),
      sends("giants", stream_head, giant_event, 64, event("[DONE]")),
      sends("whole", json_head + whole_answer_around({}), words(), 48, R"("}}]})"),
      sends("bodies", stream_head, event(testing::token_chunk(words())), 57, event("[DONE]")),
      sends("word", stream_head, event(testing::token_chunk(std::string(mebibyte, 'x'))), 7,
            event(testing::finish_chunk()) + event("[DONE]")),
      has_slots("crowded", 15),
      has_slots("narrow", SIZE_MAX),
  };
}

}  // namespace photofinish::neighbourhood
