// Tests that a client's bytes are parsed as the same requests, wherever the bytes are split.
#include "gateway/http/request_parser.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

using arrived = request_head_parser::arrived;
using unfinished = request_head_parser::unfinished;

const std::string head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n";

TEST(RequestHeadParser, TakesAHeadAndLeavesWhatFollows) {
  const std::string unread = head + "{}GET / HTTP/1.1\r\n";
  request_head_parser parser({});
  const auto seen = parser.look_at(unread);
  ASSERT_TRUE(std::holds_alternative<arrived>(seen));
  EXPECT_EQ(std::get<arrived>(seen).bytes, head.size());
  EXPECT_EQ(std::get<arrived>(seen).request.target, "/v1/chat/completions");
}

TEST(RequestHeadParser, WaitsForTheEmptyLineHoweverTheHeadArrives) {
  request_head_parser parser({});
  for (std::size_t size = 0; size < head.size(); ++size) {
    ASSERT_TRUE(std::holds_alternative<unfinished>(parser.look_at(std::string_view(head).substr(0, size)))) << size;
    EXPECT_EQ(parser.has_begun(), size > 0);
  }
  EXPECT_TRUE(std::holds_alternative<arrived>(parser.look_at(head)));
}

TEST(RequestHeadParser, EmptyLinesInFrontAreNoRequest) {
  request_head_parser parser({});
  EXPECT_TRUE(std::holds_alternative<unfinished>(parser.look_at("\r\n\r\n\r")));
  EXPECT_FALSE(parser.has_begun());
  const std::string unread = "\r\n\r\n" + head;
  const auto seen = parser.look_at(unread);
  ASSERT_TRUE(std::holds_alternative<arrived>(seen));
  EXPECT_EQ(std::get<arrived>(seen).bytes, unread.size());
}

int refused_status(std::string_view unread, const guard_limits& limits = {}) {
  request_head_parser parser(limits);
  const auto seen = parser.look_at(unread);
  const refusal* why = std::get_if<refusal>(&seen);
  return why == nullptr ? 0 : why->status;
}

TEST(RequestHeadParser, ALineThatEndsInALineFeedAloneIsRefusedAtOnce) {
  EXPECT_EQ(refused_status("GET / HTTP/1.1\n"), 400);
  EXPECT_EQ(refused_status("GET / HTTP/1.1\r\nHost: a\n\n"), 400);
  EXPECT_EQ(refused_status("\n"), 400);
}

TEST(RequestHeadParser, AHeadAboveTheLimitIsRefusedBeforeItsEnd) {
  guard_limits limits;
  limits.head.max_bytes = 100;
  const std::string begun = "GET / HTTP/1.1\r\nX: " + std::string(100, 'a');
  EXPECT_EQ(refused_status(begun, limits), 431);
  EXPECT_EQ(refused_status(begun.substr(0, 100), limits), 0);
}

proxy::body_framing with_length(std::uint64_t length) { return {proxy::framing_fault::none, proxy::body_kind::length, length}; }
const proxy::body_framing chunked{proxy::framing_fault::none, proxy::body_kind::chunked, 0};

TEST(RequestBodyParser, TakesItsLengthAndNotAByteMore) {
  request_body_parser parser(with_length(5), 100);
  std::string body;
  EXPECT_EQ(parser.take("he", body), 2u);
  EXPECT_FALSE(parser.is_complete());
  EXPECT_EQ(parser.take("lloGET", body), 3u);
  EXPECT_TRUE(parser.is_complete());
  EXPECT_EQ(parser.take("GET", body), 0u);
  EXPECT_EQ(body, "hello");
}

TEST(RequestBodyParser, ARequestWithoutABodyIsCompleteAtOnce) {
  EXPECT_TRUE(request_body_parser({}, 100).is_complete());
}

TEST(RequestBodyParser, TakesChunksAndNotAByteMore) {
  const std::string bytes = "5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nA: b\r\n\r\n";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    request_body_parser parser(chunked, 100);
    std::string body;
    const std::size_t first = parser.take(bytes.substr(0, cut), body);
    EXPECT_EQ(first, cut);
    EXPECT_EQ(parser.take(bytes.substr(cut) + "GET", body), bytes.size() - cut);
    EXPECT_TRUE(parser.is_complete());
    EXPECT_EQ(body, "hello!");
  }
}

TEST(RequestBodyParser, ChunksMayAddUpToTheLimitAlone) {
  request_body_parser parser(chunked, 6);
  std::string body;
  parser.take("5\r\nhello\r\n1\r\n!\r\n", body);
  EXPECT_EQ(parser.fault(), body_fault::none);
  parser.take("1\r\n!\r\n0\r\n\r\n", body);
  EXPECT_EQ(parser.fault(), body_fault::too_large);
  EXPECT_FALSE(parser.is_complete());
}

TEST(RequestBodyParser, MalformedChunksAreAFault) {
  request_body_parser parser(chunked, 100);
  std::string body;
  parser.take("5\nhello", body);
  EXPECT_EQ(parser.fault(), body_fault::malformed);
}

}  // namespace
}  // namespace photofinish::gateway
