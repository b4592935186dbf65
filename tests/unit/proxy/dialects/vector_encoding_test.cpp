#include "proxy/dialects/vector_encoding.hpp"

#include "proxy/json/base64.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;
constexpr auto floats = vector_encoding::floats;
constexpr auto base64 = vector_encoding::base64;

// Decodes a base64 embedding as a client does: the bytes are float32 numbers.
std::vector<float> decoded(const json& value) {
  const std::string bytes = base64_decoded(value.get<std::string>());
  std::vector<float> numbers(bytes.size() / 4);
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * 4);
  return numbers;
}

std::string answer_of(const std::string& embedding) {
  return R"({"object":"list","data":[{"object":"embedding","index":0,"embedding":)" + embedding +
         R"(}],"model":"m","usage":{"prompt_tokens":1,"total_tokens":1}})";
}

std::string converted(const std::string& answer, vector_encoding to) {
  const auto out = encoded_as(answer, to);
  EXPECT_TRUE(out.has_value()) << answer;
  return out ? *out : std::string();
}

TEST(VectorEncoding, NumbersBecomeTheBytesOfTheirFloats) {
  // struct.pack("<3f", 0.25, -1.5, 3)
  EXPECT_EQ(converted(answer_of("[0.25, -1.5,3 ]"), base64), answer_of(R"("AACAPgAAwL8AAEBA")"));
  EXPECT_EQ(converted(answer_of("[]"), base64), answer_of(R"("")"));
}

TEST(VectorEncoding, BytesBecomeTheShortestNumbers) {
  EXPECT_EQ(converted(answer_of(R"("AACAPgAAwL8AAEBA")"), floats), answer_of("[0.25,-1.5,3]"));
  EXPECT_EQ(converted(answer_of(R"("")"), floats), answer_of("[]"));
  EXPECT_EQ(converted(answer_of(R"("zczMPQ==")"), floats), answer_of("[0.1]"));
  EXPECT_EQ(converted(answer_of(R"("\/\/8\u002fPw==")"), floats), converted(answer_of(R"("//8/Pw==")"), floats));
}

TEST(VectorEncoding, EveryFloatComesBackBitByBit) {
  const std::uint64_t seed = 7;
  std::mt19937_64 random(seed);
  json list = json::array();
  std::vector<float> all;
  while (all.size() < 20'000) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    all.push_back(value);
    list.push_back(value);  // the JSON writer writes this number as a double with all digits
  }
  const std::string as_base64 = converted(answer_of(list.dump()), base64);
  EXPECT_EQ(decoded(json::parse(as_base64)["data"][0]["embedding"]), all) << "seed " << seed;
  const std::string as_floats = converted(as_base64, floats);
  std::vector<float> back;
  const json parsed = json::parse(as_floats);
  for (const json& number : parsed["data"][0]["embedding"]) back.push_back(number.get<float>());
  EXPECT_EQ(back, all) << "seed " << seed;
  EXPECT_EQ(converted(as_floats, base64), as_base64);
}

TEST(VectorEncoding, NumbersThatRoundToNothingAreNothing) {
  const auto embedding = json::parse(converted(answer_of("[1e-60,-1e-400,0.10000000000000000555]"), base64))["data"][0]["embedding"];
  EXPECT_EQ(decoded(embedding), (std::vector<float>{0.0f, -0.0f, 0.1f}));
}

TEST(VectorEncoding, AllElseStaysAsItIs) {
  const std::string before = R"( { "x": 1e400, "data" : [ {"embedding" : )", between = R"(,"index":0} , {"i":1, "embedding":)",
                    after = R"(}, 7 , {"none":[1]}] ,"embedding":[1.0], "usage":null } )";
  EXPECT_EQ(converted(before + "[0.25]" + between + "[3]" + after, base64),
            before + R"("AACAPg==")" + between + R"("AABAQA==")" + after);
}

TEST(VectorEncoding, ThoseThatAreInItAlreadyStay) {
  const std::string mixed = R"({"data":[{"embedding":"zczMPQ=="},{"embedding":[0.1]}]})";
  EXPECT_EQ(converted(mixed, base64), R"({"data":[{"embedding":"zczMPQ=="},{"embedding":"zczMPQ=="}]})");
  EXPECT_EQ(converted(mixed, floats), R"({"data":[{"embedding":[0.1]},{"embedding":[0.1]}]})");
}

TEST(VectorEncoding, WhatIsNoListOfNumbersCannotBeGiven) {
  for (const char* text : {"[null]", "[\"1\"]", "[[1]]", "{}", "null", "[1e39]", "[1,true]"})
    EXPECT_FALSE(encoded_as(answer_of(text), base64)) << text;
  // Invalid embeddings in base64: 2 bytes, invalid characters, NaN, and infinity.
  for (const char* text : {R"("AAA=")", R"("!!!!")", R"("AADAfw==")", R"("AACAfw==")", "null"})
    EXPECT_FALSE(encoded_as(answer_of(text), floats)) << text;
}

TEST(VectorEncoding, IsKnownAtFirstSight) {
  EXPECT_EQ(encoding_at_first_sight(answer_of("[0.25]")), floats);
  EXPECT_EQ(encoding_at_first_sight(answer_of(R"("zczMPQ==")")), base64);
  EXPECT_EQ(encoding_at_first_sight(R"({"object":"embedding", "embedding" : [)"), floats);
  EXPECT_EQ(encoding_at_first_sight(R"({"data":[]})"), std::nullopt);
  EXPECT_EQ(encoding_at_first_sight(R"({"data":[{"embedding":null}]})"), std::nullopt);
  EXPECT_EQ(encoding_at_first_sight(R"({"pad":")" + std::string(5000, 'x') + R"(","data":[{"embedding":[1]}]})"), std::nullopt);
}

TEST(VectorEncoding, GrowsNoMoreThanIsCounted) {
  std::string shortest = "0", longest;
  for (int count = 0; count < 3000; ++count) shortest += ",0";
  const std::string grown = converted(answer_of("[" + shortest + "]"), base64);
  EXPECT_LE(grown.size(), most_encoded_bytes(shortest.size()) + 300);
  // Each of these numbers is long in JSON: -1.5409…e-38.
  for (int count = 0; count < 3000; ++count) longest.append("\xAD\xC5\x27\x80", 4);
  const std::string text = answer_of("\"" + base64_encoded(longest, base64_padding::wanted) + "\"");
  EXPECT_LE(converted(text, floats).size(), most_encoded_bytes(text.size()));
}

TEST(VectorEncoding, NoughtKeepsItsSignInReadersThatKnowIntegers) {
  EXPECT_EQ(converted(answer_of(R"("AAAAgAAAAAA=")"), floats), answer_of("[-0.0,0]"));
}

TEST(VectorEncoding, AMemberThatIsThereTwiceIsNotConverted) {
  EXPECT_FALSE(encoded_as(R"({"data":[{"embedding":[1],"embedding":[2]}]})", base64).has_value());
  EXPECT_FALSE(encoded_as(R"({"data":[{"embedding":[1]}],"data":[]})", base64).has_value());
}

TEST(VectorEncoding, AnotherTypeOfNumbersIsTheProvidersOwn) {
  const auto asked = [](std::string text) { return encoding_asked_for(client_body(std::move(text))); };
  EXPECT_EQ(asked(R"({})"), floats);
  EXPECT_EQ(asked(R"({"encoding_format":null})"), floats);
  EXPECT_EQ(asked(R"({"encoding_format":"base64"})"), base64);
  EXPECT_EQ(asked(R"({"encoding_format":"int8"})"), std::nullopt);
  EXPECT_EQ(asked(R"({"output_dtype":"int8"})"), std::nullopt);
  EXPECT_EQ(asked(R"({"output_dtype":"float","encoding_format":"float"})"), floats);
}

}  // namespace
}  // namespace photofinish::proxy
