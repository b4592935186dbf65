#include "proxy/aws/event_frames.hpp"

#include "proxy/aws/crc32.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::big_endian;
using test::event_frame_of;
using test::frame_of;
using test::padded_bytes;
using test::raw_header;
using test::text_header;

constexpr std::size_t usual_limit = 1u << 20;

struct heard_frames {
  std::vector<std::string> all;
  std::string fault, unfinished;
  bool operator==(const heard_frames&) const = default;
};

std::string shown(const event_frame& frame) {
  std::string text;
  for (const frame_header& each : frame.headers)
    text.append(each.name).append("=").append(std::to_string(static_cast<int>(each.type))).append(":").append(each.value).append(";");
  return text.append(frame.payload);
}

heard_frames hear(std::string_view bytes, std::size_t piece, std::size_t limit = usual_limit) {
  frame_reader reader(limit);
  heard_frames heard;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const padded_bytes fed(bytes.substr(at, piece));
    reader.feed(fed.view());
    while (const auto frame = reader.next()) heard.all.push_back(shown(*frame));
    if (reader.fault().empty()) heard.unfinished = reader.unfinished();
  }
  heard.fault = reader.fault();
  return heard;
}

heard_frames hear(std::string_view bytes) { return hear(bytes, bytes.size()); }

TEST(EventFrames, GiveTheirHeadersAndPayload) {
  const std::string bytes = event_frame_of("messageStart", R"({"role":"assistant"})");
  frame_reader reader(usual_limit);
  const padded_bytes fed(bytes);
  reader.feed(fed.view());
  const auto frame = reader.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->text(":event-type"), "messageStart");
  EXPECT_EQ(frame->text(":message-type"), "event");
  EXPECT_EQ(frame->text("absent"), "");
  EXPECT_EQ(frame->payload, R"({"role":"assistant"})");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.has_unread());
}

// This frame comes from botocore's own tests, so its bytes do not depend on this project's code.
TEST(EventFrames, ReadsAWrittenOne) {
  const std::string bytes("\x00\x00\x00=\x00\x00\x00 \x07\xfd\x83\x96\x0c" "content-type\x07\x00\x10" "application/json{'foo':'bar'}\x8d\x9c\x08\xb1", 61);
  EXPECT_EQ(hear(bytes).all, std::vector<std::string>{"content-type=7:application/json;{'foo':'bar'}"});
}

TEST(EventFrames, HaveHeadersOfAllTypes) {
  const std::string headers = raw_header("yes", 0, "") + raw_header("no", 1, "") + raw_header("i8", 2, "\xFF") + raw_header("i16", 3, "ab") +
                              raw_header("i32", 4, "abcd") + raw_header("i64", 5, "abcdefgh") + raw_header("bytes", 6, big_endian(3, 2) + "xyz") +
                              raw_header("text", 7, big_endian(0, 2)) + raw_header("time", 8, "12345678") + raw_header("id", 9, "0123456789abcdef");
  EXPECT_EQ(hear(frame_of(headers, "")).all,
            std::vector<std::string>{"yes=0:;no=1:;i8=2:\xFF;i16=3:ab;i32=4:abcd;i64=5:abcdefgh;bytes=6:xyz;text=7:;time=8:12345678;id=9:0123456789abcdef;"});
}

TEST(EventFrames, AnySplitGivesTheSame) {
  std::string bytes = event_frame_of("a", "{}") + frame_of("", "") + event_frame_of("b", std::string(3000, 'x')) + event_frame_of("c", R"({"p":"abc"})");
  const heard_frames whole = hear(bytes);
  ASSERT_EQ(whole.all.size(), 4u);
  for (std::size_t piece = 1; piece < bytes.size(); ++piece) ASSERT_EQ(hear(bytes, piece), whole) << piece;
}

TEST(EventFrames, KeepWhatIsNotYetRead) {
  const std::string bytes = event_frame_of("a", "1") + event_frame_of("b", "2") + event_frame_of("c", "3").substr(0, 20);
  frame_reader reader(usual_limit);
  {
    const padded_bytes fed(bytes);
    reader.feed(fed.view());
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.keep_unread(), event_frame_of("b", "2").size() + 20);
  }
  EXPECT_EQ(reader.next()->payload, "2");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.held_bytes(), 20u);
  const padded_bytes rest(event_frame_of("c", "3").substr(20));
  reader.feed(rest.view());
  EXPECT_EQ(reader.next()->payload, "3");
  EXPECT_EQ(reader.held_bytes(), 0u);
}

TEST(EventFrames, ACutOneIsUnfinished) {
  const std::string bytes = event_frame_of("a", "{}");
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    const heard_frames heard = hear(std::string_view(bytes).substr(0, cut));
    EXPECT_TRUE(heard.all.empty());
    EXPECT_EQ(heard.unfinished, bytes.substr(0, cut));
  }
  EXPECT_EQ(hear(bytes).unfinished, "");
}

TEST(EventFrames, ANamelessChangeOfAnyByteIsFound) {
  const std::string good = event_frame_of("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"text":"hello"}})");
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    EXPECT_TRUE(hear(bad).all.empty()) << at;
    EXPECT_NE(hear(bad).fault, "") << at;
    EXPECT_EQ(hear(bad, 1).fault, hear(bad).fault) << at;
  }
}

struct broken_frame {
  const char* name;
  std::string bytes;
  std::string fault;
};
class BrokenFrames : public ::testing::TestWithParam<broken_frame> {};

std::string with_prelude(std::uint32_t length, std::uint32_t headers) {
  const std::string lengths = big_endian(length, 4) + big_endian(headers, 4);
  return lengths + big_endian(test::slow_crc32(lengths), 4);
}

std::string many_headers() {
  std::string all;
  for (int each = 0; each < 33; ++each) all += raw_header("h" + std::to_string(each), 0, "");
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    EventFrames, BrokenFrames,
    ::testing::Values(broken_frame{"larger_than_the_limit", with_prelude(usual_limit + 1, 0), "larger than"},
                      broken_frame{"four_gigabytes", with_prelude(0xFFFFFFFF, 0), "larger than"},
                      broken_frame{"shorter_than_a_prelude", with_prelude(15, 0), "too short"},
                      broken_frame{"of_no_length", with_prelude(0, 0), "too short"},
                      broken_frame{"headers_behind_its_end", with_prelude(20, 5), "too short"},
                      broken_frame{"large_headers", with_prelude(usual_limit, (128u << 10) + 1), "headers are too large"},
                      broken_frame{"two_of_one_name", frame_of(text_header("a", "1") + text_header("a", "1"), ""), "two headers"},
                      broken_frame{"many_headers", frame_of(many_headers(), ""), "too many"},
                      broken_frame{"unknown_type", frame_of(raw_header("a", 10, ""), ""), "unknown type"},
                      broken_frame{"nameless", frame_of(raw_header("", 0, ""), ""), "no name"},
                      broken_frame{"cut_name", frame_of("\x05" "ab", ""), "no name"},
                      broken_frame{"cut_length", frame_of(std::string("\x01" "a\x07\x00", 4), ""), "cut"},
                      broken_frame{"cut_value", frame_of(raw_header("a", 7, big_endian(9, 2) + "x"), ""), "cut"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(BrokenFrames, EndTheStream) {
  const std::string bytes = GetParam().bytes + event_frame_of("behind", "{}");
  EXPECT_TRUE(hear(bytes).all.empty());
  EXPECT_NE(hear(bytes).fault.find(GetParam().fault), std::string::npos) << hear(bytes).fault;
  EXPECT_EQ(hear(bytes, 1).fault, hear(bytes).fault);
}

TEST(EventFrames, TheirChecksumIsThatOfZlib) {
  EXPECT_EQ(crc32_of("123456789"), 0xCBF43926u);  // the published check value of CRC-32
  std::mt19937 chance(7);
  std::string bytes;
  for (int size = 0; size < 200; ++size) {
    EXPECT_EQ(crc32_of(bytes), test::slow_crc32(bytes));
    bytes += static_cast<char>(chance());
  }
}

}  // namespace
}  // namespace photofinish::proxy
