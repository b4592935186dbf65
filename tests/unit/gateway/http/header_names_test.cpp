#include "gateway/http/header_names.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using namespace std::string_view_literals;

TEST(HeaderNames, NamesAreTokens) {
  for (const std::string_view name : {"x-team", "X_Team", "a", "!#$%&'*+.^`|~"})
    EXPECT_TRUE(is_header_name(name)) << name;
  for (const std::string_view name : {""sv, "a b"sv, "a:"sv, "a\r\n"sv, "ä"sv, "a\0"sv, "(a)"sv})
    EXPECT_FALSE(is_header_name(name)) << name;
}

TEST(HeaderNames, ValuesHoldNoLineBreakAndNoPadding) {
  for (const std::string_view value : {""sv, "a b"sv, "a\tb"sv, "ü"sv})
    EXPECT_TRUE(is_header_value(value)) << value;
  for (const std::string_view value : {"a\r\nb"sv, "a\nb"sv, "a\0b"sv, "\x7F"sv, " a"sv, "a "sv, "\ta"sv})
    EXPECT_FALSE(is_header_value(value)) << value;
}

TEST(HeaderNames, AKeyHoldsNoSpaceAtAll) {
  EXPECT_TRUE(is_sendable_key("sk-a=b/c+d"));
  for (const std::string_view key : {"a b"sv, "a\tb"sv, "a\n"sv}) EXPECT_FALSE(is_sendable_key(key)) << key;
}

TEST(HeaderNames, WhatBelongsToTheConnectionOrToAKeyIsKnown) {
  for (const std::string_view name :
       {"host", "content-length", "transfer-encoding", "connection", "te", "upgrade"})
    EXPECT_TRUE(is_reserved_header(name)) << name;
  for (const std::string_view name :
       {"authorization", "cookie", "x-api-key", "x-provider-key-groq", "x-photofinish-key"})
    EXPECT_TRUE(is_credential_header(name)) << name;
  EXPECT_FALSE(is_reserved_header("x-team") || is_credential_header("x-team"));
}

}  // namespace
}  // namespace photofinish::gateway
