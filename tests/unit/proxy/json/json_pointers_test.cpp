#include "proxy/json/values/json_pointers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

constexpr std::string_view text = R"({"$defs":{"a":{"x":1},"b/c":[2,{"y":3}],"d~e":4,"f\u0067":5},"a":6,"a":7})";

TEST(JsonPointers, NameParts) {
  json_pointers parts(text);
  EXPECT_EQ(parts.find("#"), text);
  EXPECT_EQ(parts.find("#/$defs/a"), R"({"x":1})");
  EXPECT_EQ(parts.find("#/$defs/a/x"), "1");
  EXPECT_EQ(parts.find("#/$defs/b~1c/1/y"), "3");
  EXPECT_EQ(parts.find("#/$defs/d~0e"), "4");
  EXPECT_EQ(parts.find("#/$defs/fg"), "5");
  EXPECT_EQ(parts.find("#/a"), "6") << "the first of two counts, as for other readers";
}

TEST(JsonPointers, LeadNowhere) {
  json_pointers parts(text);
  for (const char* pointer : {"", "/a", "#a", "#/b", "#/a/x", "#/$defs/b~1c/2", "#/$defs/b~1c/x", "#/$defs/b~1c/1x",
                              "https://example.com/#/a"})
    EXPECT_FALSE(parts.find(pointer)) << pointer;
}

TEST(JsonPointers, HaveABoundOfSteps) {
  std::string deep = "1", pointer = "#";
  for (int depth = 0; depth < 33; ++depth) {
    deep = R"({"a":)" + deep + "}";
    pointer += "/a";
  }
  json_pointers parts(deep);
  EXPECT_TRUE(parts.find(pointer.substr(0, pointer.size() - 2)));
  EXPECT_FALSE(parts.find(pointer));
}

// Resolving all pointers must not parse the text again for each pointer. Otherwise this test would take a minute.
TEST(JsonPointers, ManyPointersReadTheTextOnce) {
  std::string many = R"({"$defs":{)";
  for (int each = 0; each < 100'000; ++each) many += "\"p" + std::to_string(each) + R"(":{},)";
  many += R"("last":{}}})";
  json_pointers parts(many);
  for (int each = 0; each < 100'000; ++each) ASSERT_TRUE(parts.find("#/$defs/p" + std::to_string(each)));
}

}  // namespace
}  // namespace photofinish::proxy
