#include "proxy/json/values/inline_refs.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

std::optional<std::string> inline_all(const std::string& schema) {
  std::size_t bytes_left = inlinable_bytes(schema);
  return inline_refs(schema, bytes_left);
}

json inlined(const std::string& schema) {
  const auto made = inline_all(schema);
  return made ? json::parse(*made) : json();
}

TEST(InlineRefs, WhatIsNamedStandsInItsPlace) {
  EXPECT_EQ(inlined(R"({"type":"object","properties":{"a":{"$ref":"#/$defs/p"},"b":[{"$ref":"#/definitions/q~1r"}]},
                       "$defs":{"p":{"type":"integer"}},"definitions":{"q/r":{"$ref":"#/$defs/p"}}})"),
            json::parse(R"({"type":"object","properties":{"a":{"type":"integer"},"b":[{"type":"integer"}]}})"));
}

TEST(InlineRefs, WhatStandsNextToARefIsKeptAndComesFirst) {
  EXPECT_EQ(inlined(R"({"properties":{"a":{"$ref":"#/$defs/p","description":"mine"}},"$defs":{"p":{"type":"integer","description":"its"}}})"),
            json::parse(R"({"properties":{"a":{"description":"mine","type":"integer"}}})"));
  EXPECT_EQ(inlined(R"({"$ref":"#/$defs/p","$defs":{"p":{"type":"object"}}})"), json::parse(R"({"type":"object"})"));
}

TEST(InlineRefs, APropertyMayBeCalledLikeTheDefinitions) {
  EXPECT_EQ(inlined(R"({"properties":{"definitions":{"$ref":"#/$defs/p"}},"$defs":{"p":{}}})"), json::parse(R"({"properties":{"definitions":{}}})"));
}

TEST(InlineRefs, WhatCannotBeWrittenStaysAsItIs) {
  EXPECT_FALSE(inline_all(R"({"type":"object"})"));
  EXPECT_FALSE(inline_all(R"({"properties":{"a":{"$ref":"#/$defs/p"}},"$defs":{"p":{"properties":{"next":{"$ref":"#/$defs/p"}}}}})")) << "it contains itself";
  EXPECT_FALSE(inline_all(R"({"properties":{"a":{"$ref":"#"}}})"));
  EXPECT_FALSE(inline_all(R"({"properties":{"a":{"$ref":"#/$defs/none"}}})"));
  EXPECT_FALSE(inline_all(R"({"properties":{"a":{"$ref":"https://example.com/schema"}}})"));
  EXPECT_FALSE(inline_all("7"));
}

// Each part of the schema refers to the next part twice. If all references were replaced by copies, there would be 2^40 copies of the last
// part.
TEST(InlineRefs, OneThatGrowsWithoutEndIsGivenUp) {
  std::string schema = R"({"properties":{"a":{"$ref":"#/$defs/p0"}},"$defs":{)";
  for (int i = 0; i < 40; ++i) {
    const std::string next = R"({"$ref":"#/$defs/p)" + std::to_string(i + 1) + "\"}";
    schema += "\"p" + std::to_string(i) + R"(":{"properties":{"x":)" + next + R"(,"y":)" + next + "}},";
  }
  schema += R"("p40":{"type":"integer"}}})";
  EXPECT_FALSE(inline_all(schema));
}

// All schemas of a request share one limit on the bytes to read. Each reference to a part of a schema counts toward this limit, even if the
// part is empty.
TEST(InlineRefs, AllSchemasOfARequestShareABound) {
  std::size_t bytes_left = 150;
  const std::string schema = R"({"properties":{"a":{"$ref":"#/$defs/p"}},"$defs":{"p":{}}})";
  EXPECT_TRUE(inline_refs(schema, bytes_left));
  EXPECT_FALSE(inline_refs(schema, bytes_left));
}

}  // namespace
}  // namespace photofinish::proxy
