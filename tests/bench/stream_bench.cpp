// Measures the cost of a valid chunk of 316 bytes between the provider's socket and the client: splitting the stream,
// inspecting the chunk, and deciding what to send.
#include "proxy/dialects/bedrock/claude_stream.hpp"
#include "proxy/dialects/bedrock/converse_stream.hpp"
#include "proxy/dialects/openai/openai_stream.hpp"
#include "proxy/dialects/sse_parser.hpp"
#include "proxy/http/http1_response.hpp"
#include "proxy/json/base64.hpp"
#include "proxy/tokens/token_counter.hpp"
#include "tests/support/streams/frames.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

constexpr std::size_t chunk_bytes = 316;

std::string chunk(std::string_view delta) {
  std::string json =
      R"({"id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG","object":"chat.completion.chunk","created":1763700000,"model":"gpt-5.4-mini","service_tier":"default","choices":[{"index":0,"delta":)" +
      std::string(delta) + R"(,"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":")";
  json.append(chunk_bytes - 2 - json.size(), 'x');
  return json += "\"}";
}

// The number of events in one read, as from a fast provider. The benchmark measures the time of a whole read.
constexpr int events_in_a_read = 16;

std::string one_read(const std::string& json) {
  std::string bytes;
  for (int event = 0; event < events_in_a_read; ++event) bytes += "data: " + json + "\n\n";
  bytes.reserve(bytes.size() + 64);
  return bytes;
}

void per_event(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * events_in_a_read);
}

void parse_only(benchmark::State& state) {
  const std::string bytes = one_read(chunk(R"({"content":" finish"})"));
  sse_parser parser;
  for (auto _ : state) {
    parser.feed(bytes);
    while (auto event = parser.next()) benchmark::DoNotOptimize(event->data.data());
  }
  per_event(state);
}
BENCHMARK(parse_only);

void inspect_only(benchmark::State& state) {
  std::string json = chunk(R"({"content":" finish"})");
  json.reserve(json.size() + 64);
  chunk_inspector inspector;
  if (!inspector.inspect(json)) return state.SkipWithError("the chunk is not valid");
  for (auto _ : state)
    for (int event = 0; event < events_in_a_read; ++event) benchmark::DoNotOptimize(inspector.inspect(json).has_value());
  per_event(state);
}
BENCHMARK(inspect_only);

void whole_stream(benchmark::State& state, std::string_view delta) {
  const std::string bytes = one_read(chunk(delta));
  openai_stream stream({.id = "chatcmpl-1", .created = 1, .model = "m"});
  sse_parser parser;
  for (auto _ : state) {
    parser.feed(bytes);
    while (auto event = parser.next()) {
      const auto relayed = stream.on_event(*event, {});
      if (!relayed) return state.SkipWithError("the chunk is not valid");
      benchmark::DoNotOptimize(relayed->data());
    }
  }
  per_event(state);
}
BENCHMARK_CAPTURE(whole_stream, clean, R"({"content":" finish"})");
BENCHMARK_CAPTURE(whole_stream, role_in_each_chunk, R"({"role":"assistant","content":" finish"})");

// Measures the frames of Amazon Bedrock in the same way as other streams. Each frame has two checksums, and padding of
// about thirty letters.
template <class stream_type>
void framed_stream(benchmark::State& state, const std::string& frame, const std::string& first) {
  std::string bytes;
  for (int event = 0; event < events_in_a_read; ++event) bytes += frame;
  bytes.reserve(bytes.size() + 64);
  std::string begun = first;
  begun.reserve(begun.size() + 64);
  stream_type stream(stream_settings{});
  frame_reader frames(1u << 20);
  const auto read = [&](const std::string& some) {
    frames.feed(some);
    while (const auto each = frames.next()) {
      const auto said = stream.on_frame(*each, {});
      if (!said) return false;
      benchmark::DoNotOptimize(said->data());
    }
    return true;
  };
  if (!read(begun)) return state.SkipWithError("the frame is not valid");
  for (auto _ : state)
    if (!read(bytes)) return state.SkipWithError("the frame is not valid");
  per_event(state);
}

constexpr std::string_view padding = R"(,"p":"abcdefghijklmnopqrstuvwxyzABCD"})";

void converse_frames(benchmark::State& state) {
  const std::string delta = R"({"contentBlockIndex":0,"delta":{"text":" finish"})" + std::string(padding);
  framed_stream<converse_stream>(state, test::event_frame_of("contentBlockDelta", delta), test::event_frame_of("messageStart", "{}"));
}
BENCHMARK(converse_frames);

void claude_frames(benchmark::State& state) {
  const auto frame = [](std::string_view json) {
    return test::event_frame_of("chunk", R"({"bytes":")" + base64_encoded(json, base64_padding::wanted) + "\"" + std::string(padding));
  };
  framed_stream<claude_stream>(
      state, frame(R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" finish"}})"),
      frame(R"({"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}})"));
}
BENCHMARK(claude_frames);

// Measures the additional cost of counting the tokens of each event after the gateway has written the event.
void counted_stream(benchmark::State& state) {
  const std::string bytes = one_read(chunk(R"({"content":" finish"})"));
  openai_stream stream({.id = "chatcmpl-1", .created = 1, .model = "m"});
  sse_parser parser;
  token_counter counter;
  for (auto _ : state) {
    parser.feed(bytes);
    while (auto event = parser.next()) {
      const auto relayed = stream.on_event(*event, {});
      if (!relayed) return state.SkipWithError("the chunk is not valid");
      for (const delta& each : relayed->front().deltas) benchmark::DoNotOptimize(counter.add(each.text).size());
    }
  }
  per_event(state);
}
BENCHMARK(counted_stream);

// Measures the most expensive turn of the event loop (docs/decisions/0011-one-read-a-turn.md): a full read of 16 kB, filled with the
// content that takes the longest to process. Each HTTP chunk contains either one unit of this content or many units.
enum class chunking { none, each_unit };

void flood(benchmark::State& state, std::string_view unit, chunking how) {
  constexpr std::size_t read_bytes = 16u << 10;
  std::string bytes;
  while (bytes.size() < read_bytes) {
    bytes += how == chunking::none ? std::string(unit) : "1\r\n" + std::string(unit) + "\r\n";
  }
  bytes.resize(read_bytes);
  bytes.reserve(read_bytes + 64);
  for (auto _ : state) {
    openai_stream stream({.id = "chatcmpl-1", .created = 1, .model = "m"});
    sse_parser parser;
    http1_response response;
    std::string head = "HTTP/1.1 200 OK\r\n";
    if (how == chunking::each_unit) head += "transfer-encoding: chunked\r\n";
    head += "\r\n";
    head.reserve(head.size() + 64);
    if (!response.feed(head) || !response.feed(bytes)) return state.SkipWithError("the response is not valid");
    while (const auto span = response.next_span()) {
      parser.feed(*span);
      while (auto event = parser.next()) benchmark::DoNotOptimize(stream.on_event(*event, {}).has_value());
    }
  }
}
BENCHMARK_CAPTURE(flood, comments, ":\n", chunking::none);
BENCHMARK_CAPTURE(flood, empty_lines, "\n", chunking::none);
BENCHMARK_CAPTURE(flood, pings, "data: {}\n\n", chunking::none);
BENCHMARK_CAPTURE(flood, roles, "data: {\"choices\":[{\"delta\":{}}]}\n\n", chunking::none);
BENCHMARK_CAPTURE(flood, empty_lines_in_chunks_of_a_byte, "\n", chunking::each_unit);

}  // namespace
}  // namespace photofinish::proxy

BENCHMARK_MAIN();
