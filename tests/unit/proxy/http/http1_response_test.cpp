// Tests that the bytes of a connection are parsed as the same response, wherever the bytes are split.
#include "proxy/http/http1_response.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace photofinish::proxy {
namespace {

const std::string chunked =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n1;x=y\r\n,\r\n6\r\n world\r\n0\r\nTrailer: t\r\n\r\n";

// Feeds one piece of the response. As in a worker's read buffer, 64 readable bytes follow the piece.
result<std::string> feed(http1_response& response, std::string piece) {
  piece.reserve(piece.size() + 64);
  auto fed = response.feed(piece);
  if (!fed) return std::move(fed).error();
  std::string body;
  while (auto span = response.next_span()) body += *span;
  return body;
}

TEST(Http1Response, ReadsAChunkedBody) {
  http1_response response;
  EXPECT_EQ(*feed(response, chunked), "hello, world");
  EXPECT_EQ(response.head()->status, 200);
  EXPECT_EQ(response.head()->field("content-type"), "text/event-stream");
  EXPECT_TRUE(response.may_reuse());
}

// Feeds the body in two reads, split at `cut`. After each read, accepts at most `taken` parts of the body, and then overwrites the read
// buffer.
std::string body_kept(std::size_t cut, std::size_t taken) {
  http1_response response;
  std::string body;
  for (std::string piece : {chunked.substr(0, cut), chunked.substr(cut)}) {
    piece.reserve(piece.size() + 64);
    if (piece.empty() || !response.feed(piece)) continue;
    for (std::size_t span = 0; span < taken && response.has_span(); ++span) body += *response.next_span();
    response.keep_unread();
    std::fill(piece.begin(), piece.end(), '#');
    while (auto span = response.next_span()) body += *span;
  }
  EXPECT_TRUE(response.may_reuse());
  return body;
}

TEST(Http1Response, WhatIsUnreadIsKeptThoughItsBufferIsOverwritten) {
  for (std::size_t cut = 0; cut <= chunked.size(); ++cut)
    for (std::size_t taken = 0; taken <= 3; ++taken)
      ASSERT_EQ(body_kept(cut, taken), "hello, world") << "cut at " << cut << ", " << taken << " spans taken";
}

TEST(Http1Response, AnyTwoCutsGiveTheSameBody) {
  for (std::size_t first = 0; first <= chunked.size(); ++first)
    for (std::size_t second = first; second <= chunked.size(); second += 7) {
      http1_response response;
      std::string body;
      for (const auto& piece : {chunked.substr(0, first), chunked.substr(first, second - first), chunked.substr(second)})
        if (!piece.empty()) body += *feed(response, piece);
      ASSERT_EQ(body, "hello, world") << "cut at " << first << " and " << second;
      ASSERT_TRUE(response.may_reuse());
    }
}

TEST(Http1Response, PassesOverInformationalResponses) {
  http1_response response;
  EXPECT_EQ(*feed(response, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + chunked), "hello, world");
  EXPECT_EQ(response.head()->status, 200);
}

TEST(Http1Response, PassesOverAThousandInformationalResponsesAndNoMore) {
  const auto answer_behind = [](int interim) {
    std::string bytes;
    for (int each = 0; each < interim; ++each) bytes += "HTTP/1.1 102 Processing\r\n\r\n";
    http1_response response;
    return feed(response, bytes + chunked);
  };
  EXPECT_EQ(*answer_behind(1000), "hello, world");
  const auto refused = answer_behind(1001);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, failure_kind::bad_stream);
  EXPECT_EQ(refused.error().detail, "more than 1000 informational responses came before the answer");
}

TEST(Http1Response, InformationalResponsesMayBeCutAnywhere) {
  const std::string interim = "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n";
  const std::string bytes = interim + interim + chunked;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    http1_response response;
    std::string body;
    for (const auto& piece : {bytes.substr(0, cut), bytes.substr(cut)})
      if (!piece.empty()) body += *feed(response, piece);
    ASSERT_EQ(body, "hello, world") << "cut at " << cut;
  }
}

TEST(Http1Response, IsNotReusedWhenTheProviderCloses) {
  http1_response response;
  EXPECT_EQ(*feed(response, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok"), "ok");
  EXPECT_TRUE(response.is_complete());
  EXPECT_FALSE(response.may_reuse());
}

TEST(Http1Response, IsNotReusedWithBytesBehindIt) {
  http1_response response;
  EXPECT_EQ(*feed(response, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n"), "ok");
  EXPECT_FALSE(response.may_reuse());
}

TEST(Http1Response, AStatusLineNeedsNoReason) {
  http1_response response;
  EXPECT_EQ(*feed(response, "HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok"), "ok");
  EXPECT_TRUE(response.may_reuse());
}

TEST(Http1Response, AnHttp10ConnectionIsReusedOnlyWhereItSaysSo) {
  http1_response silent, keeping;
  EXPECT_EQ(*feed(silent, "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"), "ok");
  EXPECT_FALSE(silent.may_reuse());
  EXPECT_EQ(*feed(keeping, "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok"), "ok");
  EXPECT_TRUE(keeping.may_reuse());
}

TEST(Http1Response, AnAnswerWithoutContentHasNoBodyWhateverItAnnounces) {
  http1_response response;
  EXPECT_EQ(*feed(response, "HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n"), "");
  EXPECT_TRUE(response.is_complete());
}

TEST(Http1Response, ABodyUntilTheEndIsCompleteAtTheEndOnly) {
  http1_response response;
  EXPECT_EQ(*feed(response, "HTTP/1.1 200 OK\r\n\r\npart"), "part");
  EXPECT_FALSE(response.is_complete());
  EXPECT_TRUE(response.feed_end(http1_response::ending::proper).has_value());
  EXPECT_TRUE(response.is_complete());
}

TEST(Http1Response, AnAbruptEndIsTruncation) {
  http1_response response;
  EXPECT_EQ(*feed(response, "HTTP/1.1 200 OK\r\n\r\npart"), "part");
  EXPECT_FALSE(response.feed_end(http1_response::ending::abrupt).has_value());
}

TEST(Http1Response, AnEndInTheMiddleOfChunksIsTruncation) {
  http1_response response;
  EXPECT_TRUE(feed(response, chunked.substr(0, chunked.size() - 5)).has_value());
  EXPECT_FALSE(response.feed_end(http1_response::ending::proper).has_value());
}

struct bad_response {
  const char* name;
  std::string bytes;
};
class ABadResponse : public ::testing::TestWithParam<bad_response> {};
INSTANTIATE_TEST_SUITE_P(
    Http1Response, ABadResponse,
    ::testing::Values(bad_response{"length_and_chunks", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n"},
                      bad_response{"two_lengths", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 3\r\n\r\nabc"},
                      bad_response{"gzip_chunked", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n"},
                      bad_response{"folded_line", "HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n"},
                      bad_response{"bare_line_feeds", "HTTP/1.1 200 OK\na: b\r\n\r\n"},
                      bad_response{"another_protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"},
                      bad_response{"switched_protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n"},
                      bad_response{"a_line_feed_in_an_extension", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;\n\r\nhello\r\n"},
                      bad_response{"a_chunk_longer_than_it_says", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhello\r\n"},
                      bad_response{"bad_chunk_size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n"},
                      bad_response{"an_endless_head", "HTTP/1.1 200 OK\r\nx: " + std::string(100'000, 'a')}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(ABadResponse, IsABadStream) {
  http1_response response;
  auto fed = feed(response, GetParam().bytes);
  ASSERT_FALSE(fed.has_value());
  EXPECT_EQ(fed.error().kind, failure_kind::bad_stream);
}

}  // namespace
}  // namespace photofinish::proxy
