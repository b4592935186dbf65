#include "proxy/json/repeated_member.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

std::string repeated_in(std::string json) {
  json.reserve(json.size() + readable_behind);
  tolerant_parser parser;
  simdjson::dom::element root;
  EXPECT_EQ(parser.parse(json).get(root), simdjson::SUCCESS) << json;
  return find_repeated_member(root);
}

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
  };
  for (const auto& [json, path] : cases) EXPECT_EQ(repeated_in(json), path) << json;
}

TEST(RepeatedMember, NamesOfDifferentObjectsMayBeEqual) {
  for (const char* json : {"{}", "[]", "1", R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]})", R"({"ab":1,"ba":2,"AB":3,"a":4})"})
    EXPECT_EQ(repeated_in(json), "") << json;
}

// So many that their bits meet.
TEST(RepeatedMember, IsFoundAmongMany) {
  for (const int count : {2, 15, 16, 17, 64, 1000}) {
    std::string json = "{";
    for (int each = 0; each < count; ++each) json += "\"name" + std::to_string(each) + "\":{},";
    EXPECT_EQ(repeated_in(json + R"("last":0})"), "") << count;
    EXPECT_EQ(repeated_in(json + R"("name1":0})"), "name1") << count;
  }
}

}  // namespace
}  // namespace photofinish::proxy
