#include "proxy/json/tolerant_json.hpp"

#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

struct taming_case {
  const char* name;
  std::string_view json;
  std::string_view strict;
};

class Taming : public testing::TestWithParam<taming_case> {};

TEST_P(Taming, MakesItReadableWithoutMovingAByte) {
  EXPECT_EQ(strict_json(GetParam().json), GetParam().strict);
  EXPECT_EQ(GetParam().json.size(), GetParam().strict.size());
}

TEST_P(Taming, TheParserTakesWhatTheLibraryAloneRefuses) {
  const test::padded_bytes bytes(GetParam().json);
  simdjson::dom::parser strict;
  EXPECT_NE(strict.parse(bytes.view().data(), bytes.view().size(), false).error(), simdjson::SUCCESS);
  tolerant_parser tolerant;
  EXPECT_EQ(tolerant.parse(bytes.view()).error(), simdjson::SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Taming,
    testing::Values(
        taming_case{"Above64Bits", R"({"seed":18446744073709551616,"n":1})", R"({"seed":0                   ,"n":1})"},
        taming_case{"Below64Bits", R"([-9223372036854775809])", R"([0                   ])"},
        taming_case{"AboveADouble", R"([1e999, -2.5E+400])", R"([0    , 0        ])"},
        taming_case{"HighHalf", R"({"content":"\ud83d"})", R"({"content":"\uFFFD"})"},
        taming_case{"LowHalf", R"({"content":"\uDE00!"})", R"({"content":"\uFFFD!"})"},
        taming_case{"HighHalfBeforeALetter", R"(["\ud83d\u0041"])", R"(["\uFFFD\u0041"])"},
        taming_case{"TwoHighHalvesAndALow", R"(["\ud83d\ud83d\ude00"])", R"(["\uFFFD\ud83d\ude00"])"},
        taming_case{"InAKey", R"({"\udfff":1})", R"({"\uFFFD":1})"},
        taming_case{"DigitsInStringsStay", R"(["99999999999999999999\"9", 99999999999999999999])",
                    R"(["99999999999999999999\"9", 0                   ])"}),
    [](const auto& tested) { return tested.param.name; });

struct broken_case {
  const char* name;
  std::string_view json;
};

class BrokenJson : public testing::TestWithParam<broken_case> {};

TEST_P(BrokenJson, StaysBroken) {
  const test::padded_bytes bytes(GetParam().json);
  tolerant_parser parser;
  EXPECT_NE(parser.parse(bytes.view()).error(), simdjson::SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BrokenJson,
    testing::Values(broken_case{"LeadingZero", "[00]"}, broken_case{"LeadingZeroOfALongNumber", "[0123456789012345678901234]"},
                    broken_case{"NoFraction", "[1.]"}, broken_case{"NoExponent", "[1e]"}, broken_case{"Plus", "[+1]"},
                    broken_case{"TwoSigns", "[--18446744073709551616]"}, broken_case{"Letters", "[18446744073709551616x]"},
                    broken_case{"ShortEscape", R"(["\ud8"])"}, broken_case{"NoHex", R"(["\ud8zz"])"},
                    broken_case{"UnknownEscape", R"(["\q"])"}, broken_case{"Unclosed", R"(["\ud83d)"},
                    broken_case{"BackslashAtTheEnd", R"(["\)"}, broken_case{"LongNumberAndNoEnd", "[18446744073709551616"},
                    broken_case{"BadUtf8", "[\"\\ud83d\xC3\"]"}),
    [](const auto& tested) { return tested.param.name; });

TEST(TolerantParser, ReadsTheRestOfAStrictCopy) {
  const test::padded_bytes bytes(R"({"nonce":123456789012345678901234567890,"choices":[{"delta":{"content":"a\ud83d"}}]})");
  tolerant_parser parser;
  simdjson::dom::element root;
  ASSERT_EQ(parser.parse(bytes.view()).get(root), simdjson::SUCCESS);
  EXPECT_EQ(root["choices"].at(0)["delta"]["content"].get_string().value(), "a\xEF\xBF\xBD");
}

struct cut_case {
  std::string_view raw;  // the text of a JSON string, including its escapes
  unsigned low_first, high_last;
};

TEST(EdgeHalves, AreThoseAtTheEdges) {
  for (const auto& [raw, low_first, high_last] :
       {cut_case{R"(a\ud83d)", 0, 0xD83D}, {R"(\uDE00b)", 0xDE00, 0}, {R"(\ude00\ud83d)", 0xDE00, 0xD83D}, {R"(\ud83d)", 0, 0xD83D},
        {R"(\ude00)", 0xDE00, 0}, {R"(a\ud83d\ude00)", 0, 0}, {R"(\ud83d\ude00a)", 0, 0}, {R"(\ud83db)", 0, 0}, {R"(b\ude00)", 0, 0},
        {R"(a\\ud83d)", 0, 0}, {R"(a\\\ud83d)", 0, 0xD83D}, {R"(\\ude00)", 0, 0}, {R"(\u0041)", 0, 0}, {"", 0, 0}, {"ud83d", 0, 0}}) {
    EXPECT_EQ(halves_of(raw).low_first, low_first) << raw;
    EXPECT_EQ(halves_of(raw).high_last, high_last) << raw;
    const std::string json = R"({"\ud83d":[7,{"k":"\ud83d"},null,"x"],"t":")" + std::string(raw) + R"(","u":"\ude00"})";
    const test::padded_bytes bytes(json);
    tolerant_parser parser;
    simdjson::dom::element root;
    ASSERT_EQ(parser.parse(bytes.view()).get(root), simdjson::SUCCESS) << raw;
    const auto halves = [&](std::string_view key) { return parser.halves().of(root[key].get_string().value()); };
    EXPECT_EQ(halves("t").low_first, low_first) << raw;
    EXPECT_EQ(halves("t").high_last, high_last) << raw;
    EXPECT_EQ(halves("u").low_first, 0xDE00u) << raw;
  }
}

TEST(EdgeHalves, AreOfTheLastTextAlone) {
  tolerant_parser parser;
  for (const std::string_view json : {R"(["\ud83d"])", R"(["a"])", R"(["\ud83d"])", R"([1e999,"b"])"}) {
    const test::padded_bytes bytes(json);
    ASSERT_EQ(parser.parse(bytes.view()).error(), simdjson::SUCCESS);
    EXPECT_EQ(parser.halves().empty(), json.find("ud83d") == std::string_view::npos) << json;
  }
}

TEST(TolerantParser, ReadsOneTextAfterAnother) {
  tolerant_parser parser;
  for (const std::string_view json : {"[1e999]", "[1]", R"(["\ud83d"])", "[2]"}) {
    const test::padded_bytes bytes(json);
    EXPECT_EQ(parser.parse(bytes.view()).error(), simdjson::SUCCESS) << json;
  }
}

}  // namespace
}  // namespace photofinish::proxy
