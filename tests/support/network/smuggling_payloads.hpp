// Requests and answers that two parsers could interpret differently. Each contains a hidden second request or answer.
#pragma once

#include <string>
#include <vector>

namespace photofinish::testing {

struct payload {
  const char* name;
  std::string bytes;
};

inline std::vector<payload> smuggling_requests() {
  const std::string head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n";
  return {
      {"ChunkSizeThenLineFeed", head + "\r\n5\nhello\r\n0\r\n\r\n"},
      {"LineFeedInAnExtension", head + "\r\n2;\nxx\r\n4c\r\n0\r\n\r\n"},
      {"CarriageReturnInAnExtension", head + "\r\n5;a\rb\r\nhello\r\n0\r\n\r\n"},
      {"LineEndInAQuotedExtension", head + "\r\n5;a=\"\r\nhello\r\n0\r\n\r\n\"\r\n"},
      {"ChunkSizeThatOverflows", head + "\r\n10000000000000005\r\nhello\r\n0\r\n\r\n"},
      {"ChunkSizeWithAPrefix", head + "\r\n0x5\r\nhello\r\n0\r\n\r\n"},
      {"ChunkSizeWithASign", head + "\r\n+5\r\nhello\r\n0\r\n\r\n"},
      {"ChunkLongerThanItSays", head + "\r\n5\r\nhelloworld\r\n0\r\n\r\n"},
      {"ChunkWithoutItsLineEnd", head + "\r\n5\r\nhello0\r\n\r\n"},
      {"ChunkDataThenLineFeed", head + "\r\n5\r\nhello\n0\r\n\r\n"},
      {"ATrailerThatIsARequestLine", head + "\r\n0\r\nGET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"ATrailerWithALineFeed", head + "\r\n0\r\nA: b\nC: d\r\n\r\n"},
      {"ALastChunkThatEndsInALineFeed", head + "\r\n0\r\n\n"},
      {"TwoCodings", head + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n"},
      {"ACodingBehindAVerticalTab",
       "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: \x0b" "chunked\r\n\r\n0\r\n\r\n"},
      {"ACodingInAFoldedLine", "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"},
      {"AHeadOfLineFeeds", "POST / HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n"},
      {"AFieldBehindALineFeed",
       "POST / HTTP/1.1\r\nHost: localhost\r\nX: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"AFieldBehindACarriageReturn", "POST / HTTP/1.1\r\nHost: localhost\r\nX: a\rContent-Length: 50\r\n\r\n"},
      {"ANulInAValue", std::string("POST / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n", 44)},
      {"ALengthList", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5, 5\r\n\r\nhello"},
      {"ALengthWithASign", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: +5\r\n\r\nhello"},
      {"ChunksOnHttp10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
  };
}

inline std::vector<payload> smuggling_answers() {
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
  const std::string event = "d\r\ndata: [DONE]\n\r\n0\r\n\r\n";
  return {
      {"LengthAndChunks", answer + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + event},
      {"TwoLengths", answer + "Content-Length: 0\r\nContent-Length: 5\r\n\r\nhello"},
      {"ALengthWithASign", answer + "Content-Length: +5\r\n\r\nhello"},
      {"AnUnknownCoding", answer + "Transfer-Encoding: xchunked\r\n\r\n" + event},
      {"ChunkSizeThenLineFeed", answer + "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n"},
      {"LineFeedInAnExtension", answer + "Transfer-Encoding: chunked\r\n\r\n5;\n\r\nhello\r\n0\r\n\r\n"},
      {"ChunkSizeThatOverflows", answer + "Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\nhello"},
      {"ChunkLongerThanItSays", answer + "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloworld\r\n0\r\n\r\n"},
      {"AFoldedLine", answer + "A: b\r\n c\r\nContent-Length: 0\r\n\r\n"},
      {"AFieldBehindACarriageReturn", answer + "A: b\rContent-Length: 5\r\n\r\n"},
      {"SwitchedProtocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"},
  };
}

}  // namespace photofinish::testing
