// Tests that every chunked body is either parsed in exactly one way or refused.
#include "proxy/http/chunked_body.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace photofinish::proxy {
namespace {

struct taken {
  std::string data;
  std::string left;  // the bytes that follow the body
  bool is_complete = false;
  bool is_broken = false;

  bool operator==(const taken&) const = default;
};

taken take(std::string_view bytes, std::size_t piece_bytes = std::string_view::npos) {
  chunked_body body;
  taken got;
  while (!bytes.empty() && !body.is_complete() && !body.is_broken()) {
    std::string_view piece = bytes.substr(0, piece_bytes);
    const std::size_t size = piece.size();
    do got.data += body.next(piece);
    while (!piece.empty() && !body.is_complete() && !body.is_broken());
    bytes.remove_prefix(size - piece.size());
  }
  got.left = bytes;
  got.is_complete = body.is_complete();
  got.is_broken = body.is_broken();
  return got;
}

struct chunk_case {
  const char* name;
  std::string bytes;
  std::string data;
};
const auto name_of = [](const auto& tested) { return tested.param.name; };

class ChunkedBodyTakes : public testing::TestWithParam<chunk_case> {};
TEST_P(ChunkedBodyTakes, WholeAndByteByByte) {
  const std::string bytes = GetParam().bytes + "GET / HTTP/1.1";
  const taken wanted{GetParam().data, "GET / HTTP/1.1", true, false};
  EXPECT_EQ(take(bytes), wanted);
  EXPECT_EQ(take(bytes, 1), wanted);
}
INSTANTIATE_TEST_SUITE_P(
    Bodies, ChunkedBodyTakes,
    testing::Values(chunk_case{"Nothing", "0\r\n\r\n", ""},
                    chunk_case{"TwoChunks", "5\r\nhello\r\nA\r\n 123456789\r\n0\r\n\r\n", "hello 123456789"},
                    chunk_case{"LineEndsAsData", "4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"},
                    chunk_case{"LeadingZeros", "0005\r\nhello\r\n000\r\n\r\n", "hello"},
                    chunk_case{"Extensions", "5;a=b;c\r\nhello\r\n0;last=\"yes\"\r\n\r\n", "hello"},
                    chunk_case{"AQuotedQuote", "5;a=\"b\\\"c;\\\\\"\r\nhello\r\n0\r\n\r\n", "hello"},
                    chunk_case{"Trailers", "0\r\nExpires: never\r\nX-Empty:\r\n\r\n", ""}),
    name_of);

class ChunkedBodyRefuses : public testing::TestWithParam<chunk_case> {};
TEST_P(ChunkedBodyRefuses, WholeAndByteByByte) {
  for (const std::size_t piece_bytes : {std::string::npos, std::size_t{1}}) {
    const taken got = take(GetParam().bytes + "\r\n\r\n0\r\n\r\n", piece_bytes);
    EXPECT_TRUE(got.is_broken);
    EXPECT_FALSE(got.is_complete);
    EXPECT_EQ(got.data, GetParam().data);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Smuggling, ChunkedBodyRefuses,
    testing::Values(chunk_case{"NoSize", "\r\n", ""}, chunk_case{"SpaceBeforeTheSize", " 5\r\nhello", ""},
                    chunk_case{"HexPrefix", "0x5\r\nhello", ""}, chunk_case{"Plus", "+5\r\nhello", ""},
                    chunk_case{"Minus", "-5\r\nhello", ""}, chunk_case{"Underscore", "1_0\r\nhello", ""},
                    chunk_case{"SpaceBehindTheSize", "5 \r\nhello", ""},
                    chunk_case{"TwoSizes", "5 5\r\nhello", ""},
                    chunk_case{"ASizeThatOverflows", "10000000000000005\r\nhello", ""},
                    chunk_case{"ALineFeedAlone", "5\nhello", ""},
                    chunk_case{"ACarriageReturnAlone", "5\rhello", ""},
                    chunk_case{"ALineFeedInAnExtension", "2;\nxx", ""},
                    chunk_case{"ACarriageReturnInAnExtension", "5;a\rb\r\nhello", ""},
                    chunk_case{"ALineFeedInQuotes", "5;a=\"\n\"\r\nhello", ""},
                    chunk_case{"ALineEndInQuotes", "5;a=\"\r\n\"\r\nhello", ""},
                    chunk_case{"ANulInAnExtension", std::string("5;\0\r\nhello", 10), ""},
                    chunk_case{"DataThatGoesOn", "5\r\nhelloworld", "hello"},
                    chunk_case{"DataWithoutItsLineEnd", "5\r\nhello0\r\n", "hello"},
                    chunk_case{"DataBehindALineFeed", "5\r\nhello\n0\r\n", "hello"},
                    chunk_case{"ATrailerThatIsARequest", "0\r\nGET /admin HTTP/1.1\r\nHost: a\r\n", ""},
                    chunk_case{"AFoldedTrailer", "0\r\nA: b\r\n c\r\n", ""},
                    chunk_case{"ALineFeedInATrailer", "0\r\nA: b\nC: d\r\n", ""},
                    chunk_case{"AnEndInALineFeed", "0\r\n\n", ""},
                    chunk_case{"AnEndlessExtension", "5;" + std::string(20'000, 'a') + "\r\nhello", ""},
                    chunk_case{"EndlessTrailers", "0\r\nA:" + std::string(20'000, 'a') + "\r\n", ""}),
    name_of);

TEST(ChunkedBody, GivesSpansOfTheBytesThemselves) {
  const std::string bytes = "5\r\nhello\r\n0\r\n\r\n";
  std::string_view rest = bytes;
  chunked_body body;
  EXPECT_EQ(body.next(rest).data(), bytes.data() + 3);
}

}  // namespace
}  // namespace photofinish::proxy
