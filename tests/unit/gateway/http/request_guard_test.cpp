#include "gateway/http/request_guard.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace photofinish::gateway {
namespace {

using std::string_literals::operator""s;
using proxy::body_kind;
const auto name_of = [](const auto& info) { return info.param.name; };

guarded_request accepted(const std::string& head) {
  static std::string kept;  // the parsed request contains views into this string
  kept = head;
  auto verdict = guard_request(kept);
  if (const refusal* why = std::get_if<refusal>(&verdict)) {
    ADD_FAILURE() << why->status << " " << why->message;
    return {};
  }
  return std::get<guarded_request>(std::move(verdict));
}

TEST(RequestGuard, ReadsAPlainRequest) {
  const guarded_request request = accepted(
      "POST /v1/chat/completions?a=b HTTP/1.1\r\nHost: localhost:7777\r\nContent-Length: 12\r\nX: y\r\n\r\n");
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/v1/chat/completions?a=b");
  EXPECT_EQ(request.version, proxy::http_version::v1_1);
  EXPECT_EQ(request.host, "localhost:7777");
  EXPECT_EQ(request.framing.kind, body_kind::length);
  EXPECT_EQ(request.framing.length, 12u);
  EXPECT_TRUE(request.keep_alive);
  EXPECT_FALSE(request.expects_continue);
  EXPECT_EQ(request.fields.size(), 3u);
}

TEST(RequestGuard, ReadsAChunkedRequest) {
  EXPECT_EQ(accepted("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n").framing.kind,
            body_kind::chunked);
}

TEST(RequestGuard, IgnoresUpgrades) {
  const guarded_request request = accepted(
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: "
      "x\r\n\r\n");
  EXPECT_TRUE(request.keep_alive);
  EXPECT_EQ(request.framing.kind, body_kind::none);
}

struct alive_case {
  std::string name;
  std::string head;
  bool keep_alive;
};
void PrintTo(const alive_case& one, std::ostream* out) { *out << one.name; }

class KeepAlive : public testing::TestWithParam<alive_case> {};

TEST_P(KeepAlive, FollowsVersionAndConnection) {
  EXPECT_EQ(accepted(GetParam().head).keep_alive, GetParam().keep_alive);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, KeepAlive,
    testing::Values(
        alive_case{"v1_1", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", true},
        alive_case{"v1_1_close", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false},
        alive_case{"v1_1_close_in_a_list", "GET / HTTP/1.1\r\nHost: a\r\nConnection: x ,, CLOSE\r\n\r\n",
                   false},
        alive_case{"v1_1_close_in_a_second_field",
                   "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", false},
        alive_case{"v1_1_close_is_a_whole_word", "GET / HTTP/1.1\r\nHost: a\r\nConnection: closet\r\n\r\n",
                   true},
        alive_case{"v1_0", "GET / HTTP/1.0\r\n\r\n", false},
        alive_case{"v1_0_keep_alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true},
        alive_case{"v1_0_both", "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false}),
    name_of);

struct expect_case {
  std::string name;
  std::string head;
  bool expects;
};
void PrintTo(const expect_case& one, std::ostream* out) { *out << one.name; }

class ExpectContinue : public testing::TestWithParam<expect_case> {};

TEST_P(ExpectContinue, CountsOnlyBeforeABody) {
  EXPECT_EQ(accepted(GetParam().head).expects_continue, GetParam().expects);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ExpectContinue,
    testing::Values(
        expect_case{"length",
                    "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", true},
        expect_case{"capitals",
                    "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 5\r\n\r\n", true},
        expect_case{
            "chunked",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n", true},
        expect_case{"no_body", "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", false},
        expect_case{"empty_body",
                    "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n", false},
        expect_case{"v1_0", "POST / HTTP/1.0\r\nExpect: anything\r\nContent-Length: 5\r\n\r\n", false}),
    name_of);

TEST(RequestGuard, TakesTargetsInOriginForm) {
  for (const char* target : {"/", "/v1/models/groq%2Fopenai/x", "/v1/models/groq/openai/gpt-oss-120b",
                             "/a?b=c&d=[e]", "//a", "/a;b=c,d@e:f", "/~%7e"})
    EXPECT_EQ(accepted("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n").target, target);
  EXPECT_EQ(accepted("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").target, "*");
}

TEST(RequestGuard, TakesHttp10WithoutAHost) { EXPECT_EQ(accepted("GET / HTTP/1.0\r\n\r\n").host, ""); }

struct refused_case {
  std::string name;
  std::string head;
  int status;
};
void PrintTo(const refused_case& one, std::ostream* out) { *out << one.name; }

class RequestGuardRefuses : public testing::TestWithParam<refused_case> {};

TEST_P(RequestGuardRefuses, WithTheRightStatus) {
  const auto verdict = guard_request(GetParam().head);
  const refusal* why = std::get_if<refusal>(&verdict);
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(why->status, GetParam().status) << why->message;
  EXPECT_FALSE(why->message.empty());
}

const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n";
const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";

INSTANTIATE_TEST_SUITE_P(
    RequestLines, RequestGuardRefuses,
    testing::Values(refused_case{"empty", "", 400},
                    refused_case{"tls_hello", "\x16\x03\x01\x02\x00\r\n\r\n"s, 400},
                    refused_case{"no_version", "GET /\r\nHost: a\r\n\r\n", 400},
                    refused_case{"two_spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"space_in_target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"space_at_the_end", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
                    refused_case{"space_at_the_start", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"method_no_token", "GE(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"connect", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501},
                    refused_case{"connect_to_a_path", "CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
                    refused_case{"absolute_form", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"authority_form", "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"star_with_get", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"fragment", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"backslash", "GET /a\\b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"quote", "GET /\" HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"nul_escape", "GET /a%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"half_escape", "GET /a%4 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"no_escape", "GET /a%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"raw_utf8", "GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"tab_in_target", "GET /\ta HTTP/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"http_2", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
                    refused_case{"http_2_preface", "PRI * HTTP/2.0\r\n\r\n", 505},
                    refused_case{"http_1_2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
                    refused_case{"http_0_9", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505},
                    refused_case{"http_1_10", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400},
                    refused_case{"http_small", "GET / http/1.1\r\nHost: a\r\n\r\n", 400},
                    refused_case{"http_2_short", "GET / HTTP/2\r\nHost: a\r\n\r\n", 400}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Hosts, RequestGuardRefuses,
    testing::Values(refused_case{"none", "GET / HTTP/1.1\r\n\r\n", 400},
                    refused_case{"two", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", 400},
                    refused_case{"two_on_1_0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400},
                    refused_case{"empty_value", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
                    refused_case{"list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400},
                    refused_case{"user", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400},
                    refused_case{"path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
                    refused_case{"space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Smuggling, RequestGuardRefuses,
    testing::Values(
        refused_case{"cl_te", post + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        refused_case{"te_cl", post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n", 400},
        refused_case{"cl_zero_te", post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        refused_case{"cl_cl", post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 400},
        refused_case{"cl_list", post + "Content-Length: 5, 5\r\n\r\n", 400},
        refused_case{"cl_plus", post + "Content-Length: +5\r\n\r\n", 400},
        refused_case{"cl_overflow", post + "Content-Length: 18446744073709551621\r\n\r\n", 400},
        refused_case{"te_xchunked", post + "Transfer-Encoding: xchunked\r\n\r\n", 400},
        refused_case{"te_chunked_gzip", post + "Transfer-Encoding: chunked, gzip\r\n\r\n", 400},
        refused_case{"te_gzip_chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
        refused_case{"te_twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                     400},
        refused_case{"te_second_field_identity",
                     post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n", 400},
        refused_case{"te_on_1_0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        refused_case{"te_space_before_colon", post + "Transfer-Encoding : chunked\r\n\r\n", 400},
        refused_case{"te_folded", post + "Transfer-Encoding:\r\n chunked\r\n\r\n", 400},
        refused_case{"te_behind_bare_lf", post + "X: y\nTransfer-Encoding: chunked\r\n\r\n", 400},
        refused_case{"te_behind_bare_cr", post + "X: y\rTransfer-Encoding: chunked\r\n\r\n", 400},
        refused_case{"te_with_vertical_tab", post + "Transfer-Encoding: \vchunked\r\n\r\n", 400},
        refused_case{"nul_in_value", post + "X: a\0b\r\n\r\n"s, 400},
        refused_case{"second_request_behind", get + "\r\nGET /admin HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        refused_case{"unfinished", get, 400}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Others, RequestGuardRefuses,
    testing::Values(
        refused_case{"unknown_expectation", post + "Expect: 200-ok\r\nContent-Length: 5\r\n\r\n", 417},
        refused_case{"two_expectations", post + "Expect: 100-continue, x\r\nContent-Length: 5\r\n\r\n", 417},
        refused_case{"body_too_large", post + "Content-Length: 33554433\r\n\r\n", 413},
        refused_case{"head_too_large", get + "X: " + std::string(70'000, 'x') + "\r\n\r\n", 431}),
    name_of);

TEST(RequestGuard, RefusesTooManyFields) {
  std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int count = 0; count < 128; ++count) head += "X: y\r\n";
  const auto verdict = guard_request(head + "\r\n");
  ASSERT_TRUE(std::holds_alternative<refusal>(verdict));
  EXPECT_EQ(std::get<refusal>(verdict).status, 431);
}

TEST(RequestGuard, TakesTheLargestAllowedBody) {
  EXPECT_EQ(accepted(post + "Content-Length: 33554432\r\n\r\n").framing.length, 33554432u);
}

TEST(IsAuthority, KnowsHostsAndPorts) {
  for (const char* good : {"localhost", "localhost:7777", "127.0.0.1", "[::1]", "[::1]:80", "a-b.c_d",
                           "a:", "a:65535", "[::ffff:127.0.0.1]:1"})
    EXPECT_TRUE(is_authority(good)) << good;
  for (const char* bad : {"",    ":80",    "a:b",     "a:65536", "a:-1", "a:1:2",    "::1",           "[::1",
                          "[]",  "[::1]x", "[::1]80", "[g]",     "a b",  "a,b",      "a@b",           "a/b",
                          "a?b", "a#b",    "a%41",    "a\\b",    "a\tb", "\xc3\xa4", "a:999999999999"})
    EXPECT_FALSE(is_authority(bad)) << bad;
}

}  // namespace
}  // namespace photofinish::gateway
