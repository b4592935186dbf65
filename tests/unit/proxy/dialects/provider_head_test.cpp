#include "proxy/dialects/provider_head.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

using header_list = std::vector<std::pair<std::string, std::string>>;
using values = std::vector<std::string>;

provider plain_provider() {
  provider target;
  target.name = "lab";
  target.url = {.is_tls = true, .host = "llm.example.com", .port = 443, .path = "/v1"};
  return target;
}

request_head head_for(const provider& target, std::string_view key, const header_list& forwarded = {}) {
  constexpr std::array<header_field, 2> own{{{"accept", "application/json"}, {"x-version", "2023"}}};
  return provider_head(target, secret{std::string(key)}, "/models?page=1", own, forwarded);
}

values values_of(const request_head& head, std::string_view name) {
  values found;
  for (const auto& [field, value] : head.fields)
    if (equals_ignoring_case(field, name)) found.push_back(value);
  return found;
}

TEST(ProviderHead, GoesToTheProviderAndSaysWhoAsks) {
  const request_head head = head_for(plain_provider(), "sk-1");
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.path, "/v1/models?page=1");
  EXPECT_EQ(head.host, "llm.example.com");
  EXPECT_EQ(values_of(head, "accept"), values{"application/json"});
  EXPECT_EQ(values_of(head, "accept-encoding"), values{"identity"});
  EXPECT_EQ(values_of(head, "authorization"), values{"Bearer sk-1"});
  EXPECT_EQ(values_of(head, "user-agent")[0].rfind("photofinish/0", 0), 0u);
}

TEST(ProviderHead, WhatTheApiAsksForIsNotOverwritten) {
  provider target = plain_provider();
  target.headers = {{"X-Version", "2024"}};
  const request_head head = head_for(target, "", {{"accept", "text/plain"}, {"Accept-Encoding", "gzip"}});
  EXPECT_EQ(values_of(head, "x-version"), values{"2023"});
  EXPECT_EQ(values_of(head, "accept"), values{"application/json"});
  EXPECT_EQ(values_of(head, "accept-encoding"), values{"identity"});
}

TEST(ProviderHead, PutsTheKeyWhereTheProviderWantsIt) {
  provider target = plain_provider();
  target.key.auth = auth_style::header;
  target.key.header = "api-key";
  EXPECT_EQ(values_of(head_for(target, "k1"), "api-key"), values{"k1"});
  EXPECT_EQ(values_of(head_for(target, "k1"), "authorization"), values{});
}

TEST(ProviderHead, SendsNoCredentialsWithoutAKeyOrWhereNoneAreWanted) {
  provider target = plain_provider();
  EXPECT_EQ(values_of(head_for(target, ""), "authorization"), values{});
  target.key.auth = auth_style::none;
  EXPECT_EQ(values_of(head_for(target, "k1"), "authorization"), values{});
}

TEST(ProviderHead, AwsCredentialsAreNotInItAndItsApiKeysAre) {
  provider target = plain_provider();
  target.key.auth = auth_style::aws;
  EXPECT_EQ(values_of(head_for(target, "AKIAEXAMPLE:secret"), "authorization"), values{});
  EXPECT_EQ(values_of(head_for(target, "ABSKexample"), "authorization"), values{"Bearer ABSKexample"});
}

TEST(ProviderHead, AHeaderIsSentOnceAndNeverFramesTheMessage) {
  provider target = plain_provider();
  target.headers = {{"X-Team", "search"}, {"User-Agent", "mine/1"}, {"Content-Length", "5"}};
  const request_head head =
      head_for(target, "k", {{"x-team", "other"}, {"Authorization", "Bearer stolen"}, {"x-trace", "7"}, {"Expect", "100-continue"}});
  EXPECT_EQ(values_of(head, "x-team"), values{"search"});
  EXPECT_EQ(values_of(head, "user-agent"), values{"mine/1"});
  EXPECT_EQ(values_of(head, "authorization"), values{"Bearer k"});
  EXPECT_EQ(values_of(head, "x-trace"), values{"7"});
  EXPECT_EQ(values_of(head, "content-length"), values{});
  EXPECT_EQ(values_of(head, "expect"), values{});
}

TEST(ProviderHead, NamesAHostAsUrlsDo) {
  provider target = plain_provider();
  target.url = {.is_tls = false, .host = "::1", .port = 8000, .path = ""};
  EXPECT_EQ(head_for(target, "").host, "[::1]:8000");
  EXPECT_EQ(head_for(target, "").path, "/models?page=1");
  target.url = {.is_tls = false, .host = "lab", .port = 80, .path = ""};
  EXPECT_EQ(head_for(target, "").host, "lab");
}

}  // namespace
}  // namespace photofinish::proxy
