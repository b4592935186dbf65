// Tests that statistics are the same after they are saved and loaded, and that damaged files are refused.
#include "racing/statistics/stats_codec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

const wall_time noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};

stats_window filled() {
  stats_window window;
  std::mt19937 engine(9);
  std::lognormal_distribution<double> draw(0, 2);
  for (int i = 0; i < 5'000; ++i) {
    target_sample sample{.target = "p/" + std::to_string(i % 7), .input_tokens = engine() % 100'000,
                         .concurrency = 1 + engine() % 60};
    if (i % 3 == 0) sample.ttft_at_least_seconds = draw(engine);
    else sample.ttft_seconds = draw(engine);
    if (i % 2 == 0) sample.tokens_per_second = 100 * draw(engine);
    window.add(sample, noon - (i % 3'000) * 1min);
  }
  return window;
}

std::string problem_of(std::string_view bytes) {
  const auto decoded = decode_stats(bytes);
  const auto* problem = std::get_if<std::string>(&decoded);
  return problem ? *problem : "";
}

TEST(StatsCodec, WhatWasKeptComesBackAsItWas) {
  const stats_window before = filled();
  auto decoded = decode_stats(encode(before));
  ASSERT_TRUE(std::holds_alternative<stats_window>(decoded)) << std::get<std::string>(decoded);
  const stats_window& after = std::get<stats_window>(decoded);
  EXPECT_EQ(after.series(), before.series());
  EXPECT_EQ(after.bin_count(), before.bin_count());
  EXPECT_EQ(problem_of(encode(stats_window())), "");
}

TEST(StatsCodec, AFileCutAnywhereIsRefused) {
  const std::string bytes = encode(filled());
  for (std::size_t size = 0; size < bytes.size(); size += 97) EXPECT_NE(problem_of(bytes.substr(0, size)), "") << size;
  EXPECT_NE(problem_of(bytes.substr(0, bytes.size() - 1)), "");
  EXPECT_NE(problem_of(bytes + "x"), "");
}

TEST(StatsCodec, AFlippedBitAnywhereIsRefused) {
  const std::string bytes = encode(filled());
  for (std::size_t at = 0; at < bytes.size(); at += 61) {
    std::string broken = bytes;
    broken[at] = static_cast<char>(broken[at] ^ 0x10);
    EXPECT_NE(problem_of(broken), "") << at;
  }
}

TEST(StatsCodec, SaysWhatIsWrong) {
  EXPECT_EQ(problem_of(""), "is not a photofinish statistics file");
  EXPECT_EQ(problem_of("{\"a\":1}"), "is not a photofinish statistics file");
  EXPECT_EQ(problem_of("photofinish stats 2\n and what not"), "is from another version");
  EXPECT_EQ(problem_of("photofinish stats 1\n"), "is cut short");
  const auto decoded = decode_stats(encode(stats_window({.coarse = 30min})));
  EXPECT_EQ(std::get<std::string>(decoded), "has time slots of a different length");
}

// Appends a valid checksum to invalid data. Another program that can write the file could do the same.
std::string sealed(std::string body) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : body) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  for (int byte = 0; byte < 8; ++byte) body.push_back(static_cast<char>(hash >> (8 * byte)));
  return body;
}

TEST(StatsCodec, NonsenseWithARightChecksumIsRefusedToo) {
  const std::string good = encode(filled());
  const std::string body = good.substr(0, good.size() - 8);
  ASSERT_EQ(sealed(body), good);
  std::mt19937 engine(4);
  int refused = 0;
  for (int turn = 0; turn < 300; ++turn) {
    std::string broken = body;
    for (int flips = 0; flips < 4; ++flips) broken[20 + engine() % (broken.size() - 20)] = static_cast<char>(engine());
    const auto decoded = decode_stats(sealed(std::move(broken)));
    refused += std::holds_alternative<std::string>(decoded);
  }
  EXPECT_GT(refused, 30);
}

}  // namespace
}  // namespace photofinish::racing
