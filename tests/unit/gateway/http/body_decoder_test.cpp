// Tests the decoding of compressed bodies (Content-Encoding). The decoded body must be complete. Each step and the whole body must stay
// within their limits.
#include "gateway/http/body_decoder.hpp"

#include <gtest/gtest.h>

#include <zlib.h>

#include <random>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using progress = body_decoder::progress;
constexpr int zlib_bits = 15, raw_bits = -15, gzip_bits = 15 + 16;
constexpr std::size_t roomy = 64u << 20;

std::string encode(std::string_view text, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct decoded {
  progress end;
  std::string text;
  std::size_t steps = 0;
};

decoded decode(content_coding coding, std::string encoded, std::size_t max_bytes = roomy) {
  body_decoder decoder(coding, std::move(encoded), max_bytes);
  decoded got{progress::more, {}, 0};
  while (got.end == progress::more) {
    const std::size_t before = decoder.decoded_bytes();
    got.end = decoder.step();
    ++got.steps;
    EXPECT_LE(decoder.decoded_bytes() - before, body_decoder::step_out_bytes);
    EXPECT_LE(decoder.decoded_bytes(), max_bytes + 1);
  }
  if (got.end == progress::done) got.text = std::move(decoder).take();
  return got;
}

std::string long_text() {
  std::mt19937_64 random(7);
  std::string text;
  while (text.size() < 700'000) text += std::to_string(random()) + (random() % 2 == 0 ? std::string(300, 'x') : " ");
  return text;
}

TEST(BodyDecoder, GivesBackWhatWasEncoded) {
  for (const std::string& text : {std::string("{}"), std::string(), long_text()}) {
    EXPECT_EQ(decode(content_coding::gzip, encode(text, gzip_bits)).text, text);
    EXPECT_EQ(decode(content_coding::deflate, encode(text, zlib_bits)).text, text);
    EXPECT_EQ(decode(content_coding::deflate, encode(text, raw_bits)).text, text);
    EXPECT_EQ(decode(content_coding::gzip, encode(text, gzip_bits)).end, progress::done);
  }
}

TEST(BodyDecoder, TakesSmallStepsOfALongBody) {
  const std::string text = long_text();
  const std::string encoded = encode(text, gzip_bits);
  const std::size_t steps = decode(content_coding::gzip, encoded).steps;
  EXPECT_GE(steps, text.size() / body_decoder::step_out_bytes);
  EXPECT_GE(steps, encoded.size() / body_decoder::step_in_bytes);
}

TEST(BodyDecoder, ABombEndsAtTheLimit) {
  const std::string bomb = encode(std::string(200u << 20, '\0'), gzip_bits);
  ASSERT_LT(bomb.size(), 300u << 10);
  constexpr std::size_t limit = 1u << 20;
  const decoded got = decode(content_coding::gzip, bomb, limit);
  EXPECT_EQ(got.end, progress::too_large);
  EXPECT_LE(got.steps, limit / body_decoder::step_out_bytes + 2);
}

TEST(BodyDecoder, ABodyOfJustTheLimitFits) {
  const std::string text(1'000, 'x');
  EXPECT_EQ(decode(content_coding::gzip, encode(text, gzip_bits), 1'000).end, progress::done);
  EXPECT_EQ(decode(content_coding::gzip, encode(text, gzip_bits), 999).end, progress::too_large);
}

TEST(BodyDecoder, ManyTinyFilesBehindEachOtherAreManySteps) {
  std::string files;
  for (int i = 0; i < 20'000; ++i) files += encode("", gzip_bits);
  const std::size_t bytes = files.size();
  const decoded got = decode(content_coding::gzip, std::move(files));
  EXPECT_EQ(got.end, progress::done);
  EXPECT_GE(got.steps, bytes / body_decoder::step_in_bytes);
}

TEST(BodyDecoder, FilesOfGzipMayFollowEachOther) {
  EXPECT_EQ(decode(content_coding::gzip, encode("one ", gzip_bits) + encode("two", gzip_bits)).text, "one two");
}

TEST(BodyDecoder, WhatIsDamagedCutOrSomethingElseIsTold) {
  const std::string good = encode(long_text(), gzip_bits);
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(~flipped[good.size() / 2]);
  std::string wrong_sum = good;
  wrong_sum[good.size() - 6] = static_cast<char>(wrong_sum[good.size() - 6] ^ 1);
  const std::vector<std::string> bad{R"({"model":"m"})", "x", good.substr(0, good.size() - 1), good.substr(0, 5),
                                     flipped, wrong_sum, good + "garbage", encode("zlib", zlib_bits)};
  for (const std::string& each : bad) EXPECT_EQ(decode(content_coding::gzip, each).end, progress::damaged);
  for (const std::string& each : {std::string(R"({"model":"m"})"), encode("x", zlib_bits) + "y", encode("x", gzip_bits)})
    EXPECT_EQ(decode(content_coding::deflate, each).end, progress::damaged);
}

std::optional<content_coding> coding_of(std::vector<proxy::header_field> fields) { return read_content_coding(fields); }

TEST(ContentCoding, IsReadFromItsHeader) {
  EXPECT_EQ(coding_of({}), content_coding::identity);
  EXPECT_EQ(coding_of({{"content-encoding", ""}}), content_coding::identity);
  EXPECT_EQ(coding_of({{"content-encoding", "Identity"}}), content_coding::identity);
  EXPECT_EQ(coding_of({{"content-encoding", "GZIP"}}), content_coding::gzip);
  EXPECT_EQ(coding_of({{"content-encoding", "deflate"}}), content_coding::deflate);
  for (const char* other : {"br", "zstd", "gzip, gzip", "deflate, gzip", "gzip;q=1", "*"})
    EXPECT_EQ(coding_of({{"content-encoding", other}}), std::nullopt) << other;
  EXPECT_EQ(coding_of({{"content-encoding", "gzip"}, {"content-encoding", "gzip"}}), std::nullopt);
}

}  // namespace
}  // namespace photofinish::gateway
