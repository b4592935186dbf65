#include "gateway/ingress/proxy_header.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

using namespace std::string_literals;
using progress = proxy_header::progress;

const std::string begin = "\r\n\r\n\0\r\nQUIT\n"s;

// Reads a PROXY header. Returns "address port", "itself" if the header contains no client address, "more" if the header is incomplete, or
// the error. The unread bytes follow, except after an error.
std::string read(const std::string& bytes) {
  proxy_header header;
  const std::size_t taken = header.take(bytes);
  const std::string left = taken < bytes.size() ? " + " + bytes.substr(taken) : "";
  if (header.at() == progress::more) return "more" + left;
  if (header.at() == progress::broken) return header.problem();
  if (!header.peer()) return "itself" + left;
  const auto& peer = *header.peer();
  std::string text = peer.address == parse_ip("192.0.2.7")     ? "v4"
                     : peer.address == parse_ip("2001:db8::7") ? "v6"
                                                               : "another";
  return text + " " + std::to_string(peer.port) + left;
}

TEST(ProxyHeader, TakesALineAndNothingBehindIt) {
  EXPECT_EQ(read("PROXY TCP4 192.0.2.7 127.0.0.1 56324 443\r\nGET /"), "v4 56324 + GET /");
  EXPECT_EQ(read("PROXY TCP6 2001:db8::7 ::1 0 65535\r\n"), "v6 0");
  EXPECT_EQ(read("PROXY UNKNOWN\r\n"), "itself");
  EXPECT_EQ(read("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\nx"), "itself + x");
  EXPECT_EQ(read("PROXY TCP4 192.0.2.7 127.0.0.1 5"), "more");
}

TEST(ProxyHeader, TakesBytesAndNothingBehindThem) {
  const std::string v4 = "\xC0\0\x02\x07\x7F\0\0\x01\xDC\x04\x01\xBB"s;
  EXPECT_EQ(read(begin + "\x21\x11\0\x0C"s + v4 + "GET /"), "v4 56324 + GET /");
  EXPECT_EQ(read(begin + "\x21\x11\0\x12"s + v4 + "\x05\0\x03xyz+"s), "v4 56324 + +");
  const std::string v6 = "\x20\x01\x0D\xB8"s + std::string(11, '\0') + "\x07" + std::string(15, '\0') + "\x01";
  EXPECT_EQ(read(begin + "\x21\x21\0\x24"s + v6 + "\0\x50\x01\xBB"s), "v6 80");
  EXPECT_EQ(read(begin + "\x20\0\0\0GET"s), "itself + GET");
  EXPECT_EQ(read(begin + "\x20\x11\0\x03***GET"s), "itself + GET") << "a check of health may say anything more";
  EXPECT_EQ(read(begin + "\x21\0\0\x01*"s), "itself");
  EXPECT_EQ(read(begin + "\x21\x11\0\x0C"s + v4.substr(1)), "more");
}

TEST(ProxyHeader, RefusesWhatIsNotOne) {
  EXPECT_EQ(read("GET / HTTP/1.1\r\n"), "is not at the start of the connection");
  EXPECT_EQ(read("\r\n\r\n\r\n"), "is not at the start of the connection");
  EXPECT_EQ(read("proxy TCP4 "), "is not at the start of the connection");
  EXPECT_EQ(read("PROXY TCP4 192.0.2.7 127.0.0.1 56324 443\n"), "ends without CR LF");
  EXPECT_EQ(read("PROXY TCP4 192.0.2.7 127.0.0.1 56324\r\n"), "has too few parts");
  EXPECT_EQ(read("PROXY TCP4  192.0.2.7 127.0.0.1 1 2\r\n"), "contains no valid addresses");
  EXPECT_EQ(read("PROXY TCP4 2001:db8::7 ::1 1 2\r\n"), "contains no valid addresses");
  EXPECT_EQ(read("PROXY TCP6 192.0.2.7 127.0.0.1 1 2\r\n"), "contains no valid addresses");
  for (const std::string port : {"65536", "01", "-1", "", "1x", " 1"})
    EXPECT_EQ(read("PROXY TCP4 192.0.2.7 127.0.0.1 " + port + " 443\r\n").find("PROXY"), std::string::npos) << port;
  EXPECT_EQ(read("PROXY TCP4 192.0.2.7 127.0.0.1 1 2 3\r\n"), "contains no valid ports");
  EXPECT_EQ(read("PROXY UDP4 192.0.2.7 127.0.0.1 1 2\r\n"), "is not for TCP");
  EXPECT_EQ(read("PROXY TCP4 " + std::string(100, '1')), "is longer than 107 bytes");
}

TEST(ProxyHeader, RefusesBrokenBytes) {
  EXPECT_EQ(read(begin + "\x11\x11\0\x0C"s), "has an unknown version or command");
  EXPECT_EQ(read(begin + "\x22\x11\0\x0C"s), "has an unknown version or command");
  EXPECT_EQ(read(begin + "\x21\x11\x08\x01"s), "is longer than 2064 bytes");
  EXPECT_EQ(read(begin + "\x21\x11\0\x0B"s + std::string(11, 'x')), "is too short for its addresses");
  EXPECT_EQ(read(begin + "\x21\x12\0\x0C"s + std::string(12, 'x')), "is not for TCP");
  EXPECT_EQ(read(begin + "\x21\x11\0\x0E"s + std::string(14, 'x')), "ends in the middle of a record");
}

}  // namespace
}  // namespace photofinish::gateway
