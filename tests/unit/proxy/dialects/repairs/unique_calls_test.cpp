#include "proxy/dialects/repairs/unique_calls.hpp"

#include <gtest/gtest.h>

namespace photofinish::proxy {
namespace {

std::string unique(std::string_view json, std::string_view answer_id = "r7") {
  std::string into;
  return std::string(with_unique_calls(json, answer_id, into));
}

TEST(UniqueCalls, ACountedIdGetsTheAnswersOne) {
  EXPECT_EQ(unique(R"({"item":{"type":"function_call","call_id":"call_0","name":"f"}})"),
            R"({"item":{"type":"function_call","call_id":"call_r7_0","name":"f"}})");
  EXPECT_EQ(unique(R"([{"call_id" : "call_0"},{"call_id":"call_12"}])"), R"([{"call_id" : "call_r7_0"},{"call_id":"call_r7_12"}])");
}

TEST(UniqueCalls, OtherIdsAndTextsStay) {
  for (const char* json : {R"({"call_id":"call_abc"})", R"({"call_id":"call_"})", R"({"call_id":"call_12345"})", R"({"call_id":"fc_0"})", R"({"call_id":null})",
                           R"({"call_id":"call_0)", R"({"call_id")", R"({"id":"call_0"})", R"({"text":"\"call_id\":\"call_0\""})", R"({"call_id":"call_0x"})"})
    EXPECT_EQ(unique(json), json);
  EXPECT_EQ(unique(R"({"call_id":"call_0"})", ""), R"({"call_id":"call_0"})") << "an answer without an id";
}

}  // namespace
}  // namespace photofinish::proxy
