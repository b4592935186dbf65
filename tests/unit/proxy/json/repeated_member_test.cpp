#include "proxy/json/repeated_member.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

struct repeated_case {
  const char* json;
  const char* path;
};

TEST(RepeatedMember, IsNamedByItsPath) {
  const repeated_case cases[] = {
      {R"({"a":1,"a":2})", "a"},
      {R"({"a":1,"b":2,"c":[{"d":1},{"d":1,"e":{"f":[],"f":[]}}]})", "c[1].e.f"},
      {R"({"messages":[{"content":"a"},{"content":"b","conten\u0074":"c"}]})", "messages[1].content"},
      {R"({"\u0061":1,"\u0061":1})", "a"},
      {R"({"a\ud800":1,"a\ud801":2})", "a\xEF\xBF\xBD"},
      {R"({ "a" : [ [ { "b" : ":", "c" : "}" , "b" : { } } ] ] })", "a[0][0].b"},
      {R"({"a":"\"b\":1","b\\":{"c":1},"b\\":2})", "b\\"},
  };
  for (const auto& [json, path] : cases) EXPECT_EQ(find_repeated_member(json), path) << json;
}

TEST(RepeatedMember, NamesOfDifferentObjectsMayBeEqual) {
  for (const char* json : {"{}", "[]", "1", R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]})", R"({"ab":1,"ba":2,"AB":3,"a":4})"})
    EXPECT_EQ(find_repeated_member(json), "") << json;
}

// A filter detects repeated keys. Some objects in this test have so many members that different keys collide in the filter.
TEST(RepeatedMember, IsFoundAmongMany) {
  for (const int count : {2, 15, 16, 17, 64, 1000}) {
    std::string json = "{";
    for (int each = 0; each < count; ++each) json += "\"name" + std::to_string(each) + "\":{},";
    EXPECT_EQ(find_repeated_member(json + R"("last":0})"), "") << count;
    EXPECT_EQ(find_repeated_member(json + R"("name1":0})"), "name1") << count;
  }
}

// The report of a repeated member names only the first levels of the member's path. Each further level would require reading the rest of
// the value again, and the client chooses the number of levels.
TEST(RepeatedMember, OfADeepValueIsNamedByThePathsBeginning) {
  std::string open, close, path;
  for (int level = 0; level < 500; ++level) {
    open += "{\"a\":";
    close += '}';
    if (level < 16) path += level == 0 ? "a" : ".a";
  }
  EXPECT_EQ(find_repeated_member(open + R"({"x":1,"x":2})" + close), path);
}

}  // namespace
}  // namespace photofinish::proxy
