#include "proxy/json/values/object_schema.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

json made_of(const json& schema) { return json::parse(argument_schema(schema.dump())); }

// The gateway does not change the bytes of a simple schema, because prompt caches depend on them.
TEST(ObjectSchema, APlainSchemaIsNotTouched) {
  const std::string plain = R"({ "properties" : {"b":{},"a":{"anyOf":[{},{}]}}, "type" : "object" })";
  EXPECT_EQ(argument_schema(plain), plain);
  EXPECT_EQ(argument_schema(""), any_object_schema);
  EXPECT_EQ(argument_schema("5"), any_object_schema);
  EXPECT_EQ(argument_schema(R"({"type":"string"})"), any_object_schema);
  for (const char* const lost : {R"({"type":"array"})", R"({"type":["string","null"]})", R"({"$ref":"https://example.com/s"})",
                                 R"({"$ref":"#"})", R"({"anyOf":[{"type":"array"}],"type":"array"})"})
    EXPECT_TRUE(loses_arguments(lost)) << lost;
  for (const char* const kept : {"", "{}", R"({"type":"object"})", R"({"type":["object","null"]})",
                                 R"({"properties":{"a":{}}})", R"({"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{}}}}})",
                                 R"({"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]})"})
    EXPECT_FALSE(loses_arguments(kept)) << kept;
}

TEST(ObjectSchema, WhatIsNotMergedStays) {
  const json made = made_of(json::parse(R"({"title":"T","description":"D","additionalProperties":false,"$defs":{"x":{}},
      "anyOf":[{"properties":{"a":{}}}]})"));
  EXPECT_EQ(made, json::parse(R"({"type":"object","properties":{"a":{}},"title":"T","description":"D",
      "additionalProperties":false,"$defs":{"x":{}}})"));
}

TEST(ObjectSchema, APropertyThatTwoPartsDemandMustBeBoth) {
  const json made = made_of(json::parse(R"({"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"minLength":1}}},
      {"properties":{"a":{}}}]})"));
  EXPECT_EQ(made.at("properties").at("a"), json::parse(R"({"allOf":[{"type":"string"},{"minLength":1}]})"));
}

TEST(ObjectSchema, AReferenceThatLeadsNowhereIsLeftOut) {
  for (const char* ref : {"#/$defs/missing", "https://example.com/schema", "#anchor", "#/anyOf/7"})
    EXPECT_EQ(made_of({{"$ref", ref}, {"properties", {{"a", json::object()}}}}),
              json::parse(R"({"type":"object","properties":{"a":{}}})"));
}

// A schema with references may require reading far more bytes than it contains. A schema with alternatives may require writing far more
// bytes than it contains. Both numbers must be limited.
TEST(ObjectSchema, ALongSchemaIsReadAndWrittenInBounds) {
  json large = {{"type", "object"}, {"properties", json::object()}};
  for (int each = 0; each < 500; ++each) large["properties"]["p" + std::to_string(each)] = {{"type", "string"}};
  json schema = {{"$defs", {{"large", large}}}, {"anyOf", json::array()}};
  for (int each = 0; each < 3000; ++each) schema["anyOf"].push_back({{"$ref", "#/$defs/large"}});
  EXPECT_LT(made_of(schema).dump().size(), 2 * schema.dump().size());
  json kinds = {{"anyOf", json::array()}}, demands = {{"allOf", json::array()}};
  for (int each = 0; each < 3000; ++each) {
    const json part = {{"properties", {{"a", {{"const", each}}}}}};
    kinds["anyOf"].push_back(part);
    demands["allOf"].push_back(part);
  }
  EXPECT_EQ(made_of(kinds).at("properties").at("a"), json::object());
  EXPECT_LT(made_of(demands).dump().size(), demands.dump().size());
}

TEST(ObjectSchema, APartOfASchemaIsMergedOnlyWhereItIsAnObject) {
  json_pointers none("{}");
  std::size_t bytes_left = readable_bytes(none.root());
  EXPECT_EQ(merge_schema(R"({"allOf":[{"type":"string"},{"minLength":1}]})", none, bytes_left).json, "");
  EXPECT_FALSE(merge_schema(R"({"allOf":[{"properties":{"a":{}}}]})", none, bytes_left).has_lost);
  EXPECT_TRUE(merge_schema(R"({"anyOf":[{"properties":{"a":{}}},{}]})", none, bytes_left).has_lost);
  bytes_left = 3;
  EXPECT_EQ(merge_schema(R"({"properties":{"a":{}}})", none, bytes_left).json, "");
}

}  // namespace
}  // namespace photofinish::proxy
