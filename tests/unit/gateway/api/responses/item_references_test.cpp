// Tests requests whose input refers to items of earlier answers.
#include "gateway/api/responses/item_references.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

std::optional<std::string> item(std::string_view id) {
  if (id == "msg_1") return R"({"type":"message","id":"msg_1","role":"assistant","content":[]})";
  if (id == "big") return R"({"x":")" + std::string(1000, 'x') + R"("})";
  return std::nullopt;
}

std::variant<std::string, api_error> taken(const std::string& body, std::size_t most_bytes = 10'000) {
  return with_items(body, most_bytes, item, [](std::size_t) { return true; });
}

std::string text(const std::string& body) { return std::get<std::string>(taken(body)); }
api_error refused(const std::string& body, std::size_t most_bytes = 10'000) { return std::get<api_error>(taken(body, most_bytes)); }

TEST(ItemReferences, GiveWayToTheItems) {
  EXPECT_EQ(text(R"( {"input" : [ {"type":"item_reference","id":"msg_1"} ,1, {"id":"msg_\u0031","type":"item_reference"}], "n":1e400})"),
            R"( {"input" : [ {"type":"message","id":"msg_1","role":"assistant","content":[]} ,1, {"type":"message","id":"msg_1","role":"assistant","content":[]}], "n":1e400})");
}

TEST(ItemReferences, RoomIsAskedForBeforeItIsTaken) {
  std::size_t asked = 0;
  const std::string body = R"({"input":[{"type":"item_reference","id":"big"},{"type":"item_reference","id":"big"}]})";
  const auto got = with_items(body, 10'000, item, [&asked](std::size_t bytes) { return asked = bytes, bytes < 3000; });
  EXPECT_EQ(std::get<api_error>(got).status, 503);
  EXPECT_EQ(asked, 2 * (body.size() + 2016));
}

TEST(ItemReferences, WhatIsNoReferenceStays) {
  for (const char* body : {R"({"input":"item_reference"})", R"({"input":[{"type":"message","content":"item_reference"}]})",
                           R"({"other":[{"type":"item_reference","id":"msg_1"}]})", R"({"input":[[{"type":"item_reference","id":"msg_1"}]]})",
                           "", "item_reference", R"(["item_reference"])", R"({"input":[{"type":"item_reference","id":"msg_1"})"})
    EXPECT_EQ(text(body), body);
  EXPECT_FALSE(may_refer_to_items(R"({"input":"x"})"));
}

TEST(ItemReferences, AnUnknownOneIsRefusedByName) {
  const api_error error = refused(R"({"input":[1,{"type":"item_reference","id":"msg_9"}]})");
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.param, "input[1].id");
  EXPECT_EQ(error.code, "item_not_found");
  EXPECT_NE(error.message.find("'msg_9'"), std::string::npos);
  EXPECT_EQ(refused(R"({"input":[{"type":"item_reference"}]})").param, "input[0].id");
  EXPECT_EQ(refused(R"({"input":[{"type":"item_reference","id":7}]})").code, "item_not_found");
}

// If a short request body refers to stored items, it must not become a very long request body.
TEST(ItemReferences, TogetherTheyAreNoLongerThanABodyMayBe) {
  std::string body = R"({"input":[1)";
  for (int times = 0; times < 50; ++times) body += R"(,{"type":"item_reference","id":"big"})";
  const api_error error = refused(body + "]}");
  EXPECT_EQ(error.status, 413);
  EXPECT_TRUE(std::holds_alternative<std::string>(taken(body + "]}", 100'000)));
}

TEST(ItemReferences, AreLookedUpABoundedNumberOfTimes) {
  std::string body = R"({"input":[1)";
  for (int times = 0; times < 10'001; ++times) body += R"(,{"type":"item_reference","id":"msg_1"})";
  EXPECT_EQ(refused(body + "]}", 100u << 20).status, 400);
}

}  // namespace
}  // namespace photofinish::gateway
