// Measures the cost of counting tokens, for a text in one piece and for the deltas of a stream.
#include "proxy/tokens/byte_pairs.hpp"
#include "proxy/tokens/splitter.hpp"
#include "proxy/tokens/token_counter.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

// Reads the texts whose tokens are counted. The licences, which every Debian system has, are English prose. The source
// code is from this project.
std::string read_all(std::initializer_list<const char*> paths) {
  std::string text;
  for (const char* path : paths) {
    std::ifstream file(path, std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

const std::string& english() {
  static const std::string text = [] {
    const std::string dir = "/usr/share/common-licenses/";
    std::string all;
    for (const char* name : {"GPL-3", "GPL-2", "LGPL-2.1", "GFDL-1.3", "Apache-2.0", "MPL-2.0", "Artistic"})
      all += read_all({(dir + name).c_str()});
    return all;
  }();
  return text;
}

const std::string& code() {
  static const std::string text =
      read_all({PHOTOFINISH_SOURCE_DIR "/racing/race_run.cpp", PHOTOFINISH_SOURCE_DIR "/proxy/json/json_text.cpp",
                PHOTOFINISH_SOURCE_DIR "/gateway/requests/stages/race_stage.cpp", PHOTOFINISH_SOURCE_DIR "/proxy/dialects/openai/stream_state.cpp"});
  return text;
}

const std::string& mixed() {
  static const std::string text = read_all({PHOTOFINISH_SOURCE_DIR "/tests/unit/proxy/tokens/o200k_base_vectors.txt"});
  return text;
}

void report(benchmark::State& state, const std::string& text) {
  if (text.empty()) state.SkipWithError("the text is not here");
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void count(benchmark::State& state, const std::string& text) {
  std::size_t tokens = 0;
  for (auto _ : state) tokens = count_tokens(text);
  state.counters["tokens"] = static_cast<double>(tokens);
  report(state, text);
}
BENCHMARK_CAPTURE(count, english, english());
BENCHMARK_CAPTURE(count, code, code());
BENCHMARK_CAPTURE(count, mixed, mixed());

void split(benchmark::State& state, const std::string& text) {
  for (auto _ : state)
    for (std::string_view rest = text; !rest.empty();) rest.remove_prefix(first_piece(rest).size);
  report(state, text);
}
BENCHMARK_CAPTURE(split, english, english());

void one_letter(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'a');
  for (auto _ : state) benchmark::DoNotOptimize(count_tokens(text));
  report(state, text);
}
BENCHMARK(one_letter)->RangeMultiplier(8)->Range(1 << 11, 1 << 20)->Unit(benchmark::kMicrosecond);

// Counts deltas of five bytes each, as in a stream of tokens.
void deltas(benchmark::State& state) {
  const std::string_view text = english();
  constexpr std::size_t delta = 5;
  token_counter counter;
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(counter.add(text.substr(at, delta)).size());
    at = at + 2 * delta < text.size() ? at + delta : 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(deltas);

}  // namespace
}  // namespace photofinish::proxy

BENCHMARK_MAIN();
