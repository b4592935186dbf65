#include "gateway/commands/doctor/model_ends.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

TEST(ModelEnds, AreTheDatesOfAList) {
  EXPECT_EQ(read_model_ends(R"({"object":"list","data":[{"id":"gpt-5","object":"model","created":1,"shutdown_date":"2026-12-11"},)"
                            R"({"id":"o3","shutdown_date":"2026-12-11T00:00:00Z"},{"id":"gpt-6.1-sol","shutdown_date":null},{"id":"gpt-6-luna"}]})"),
            (model_ends{{"gpt-5", "2026-12-11"}, {"o3", "2026-12-11"}}));
}

TEST(ModelEnds, WhateverIsNoListHasNone) {
  for (const char* text : {"", "<html>", "[]", "{}", R"({"data":{}})", R"({"data":[1,"x",null,[]]})", R"({"data":[{"shutdown_date":"2026-12-11"}]})",
                           R"({"data":[{"id":7,"shutdown_date":"2026-12-11"}]})", R"({"data":[{"id":"m","shutdown_date":1765411200}]})",
                           R"({"data":[{"id":"m","shutdown_date":"soon"},{"id":"n","shutdown_date":"2026-1-11"},{"id":"o","shutdown_date":"\u001b[2J2026"}]})"})
    EXPECT_TRUE(read_model_ends(text).empty()) << text;
}

}  // namespace
}  // namespace photofinish::gateway
