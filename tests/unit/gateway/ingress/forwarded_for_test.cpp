#include "gateway/ingress/forwarded_for.hpp"

#include "gateway/ingress/socket_address.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

std::string text_of(const std::optional<proxied_peer>& peer) {
  return peer ? address_of(peer->address).to_string() + " " + std::to_string(peer->port) : "none";
}

TEST(ForwardedFor, AnEntryIsAnAddressWithOrWithoutAPort) {
  struct { std::string_view entry, read; } const cases[] = {
      {"192.0.2.1", "192.0.2.1 0"},
      {" 192.0.2.1\t", "192.0.2.1 0"},
      {"192.0.2.1:8080", "192.0.2.1 8080"},
      {"2001:db8::1", "2001:db8::1 0"},
      {"[2001:db8::1]", "2001:db8::1 0"},
      {"[2001:db8::1]:443", "2001:db8::1 443"},
      {"::ffff:192.0.2.1", "192.0.2.1 0"},
      {"", "none"},
      {"unknown", "none"},
      {"_hidden", "none"},
      {"192.0.2.1:", "none"},
      {"192.0.2.1:99999", "none"},
      {"192.0.2.1:-1", "none"},
      {"192.0.2.1:80x", "none"},
      {"192.0.2.256", "none"},
      {"010.0.0.1", "none"},
      {"[192.0.2.1]", "none"},
      {"[2001:db8::1", "none"},
      {"[2001:db8::1]443", "none"},
      {"2001:db8::1]", "none"},
      {"\"192.0.2.1\"", "none"},
      {"192.0.2.1 192.0.2.2", "none"},
  };
  for (const auto& each : cases) EXPECT_EQ(text_of(parse_forwarded(each.entry)), each.read) << each.entry;
}

TEST(ForwardedFor, TheLastEntryThatIsNotATrustedProxyIsTheCaller) {
  const std::vector<address_range> trusted{parse_address_range("10.0.0.0/8").range.value(),
                                           parse_address_range("fd00::/8").range.value()};
  struct { std::string_view name, peer; std::vector<std::string_view> headers; std::string_view caller; } const cases[] = {
      {"a peer that is not trusted says nothing", "192.0.2.9", {"198.51.100.1"}, "none"},
      {"no header", "10.0.0.1", {}, "none"},
      {"one proxy", "10.0.0.1", {"198.51.100.1"}, "198.51.100.1 0"},
      {"what the caller made up stands in front", "10.0.0.1", {"1.1.1.1, 198.51.100.1"}, "198.51.100.1 0"},
      {"two proxies", "10.0.0.1", {"1.1.1.1, 198.51.100.1, 10.0.0.2"}, "198.51.100.1 0"},
      {"headers are read as one list", "10.0.0.1", {"198.51.100.1", "10.0.0.2"}, "198.51.100.1 0"},
      {"a port, and IPv6", "fd00::1", {"[2001:db8::7]:4711"}, "2001:db8::7 4711"},
      {"all are trusted: the first", "10.0.0.1", {"10.0.0.3, 10.0.0.2"}, "10.0.0.3 0"},
      {"garbage at the end", "10.0.0.1", {"198.51.100.1, unknown"}, "none"},
      {"garbage behind a trusted one", "10.0.0.1", {"unknown, 10.0.0.2"}, "none"},
      {"garbage in front is not looked at", "10.0.0.1", {"<script>, 198.51.100.1"}, "198.51.100.1 0"},
      {"an empty value", "10.0.0.1", {""}, "none"},
      {"an empty entry at the end", "10.0.0.1", {"198.51.100.1,"}, "none"},
      {"another peer by IPv4 in IPv6", "::ffff:10.0.0.1", {"198.51.100.1"}, "198.51.100.1 0"},
  };
  for (const auto& each : cases) {
    std::vector<proxy::header_field> fields{{"x-real-ip", "9.9.9.9"}};
    for (const std::string_view value : each.headers) fields.emplace_back("X-Forwarded-For", value);
    EXPECT_EQ(text_of(forwarded_peer(parse_ip(each.peer).value(), fields, trusted)), each.caller) << each.name;
  }
}

TEST(ForwardedFor, ATrustedProxySaysWhetherItWasCalledOverTls) {
  const std::vector<address_range> trusted{parse_address_range("10.0.0.0/8").range.value()};
  const auto is_https = [&trusted](std::string_view peer, const std::vector<std::string>& values) {
    std::vector<proxy::header_field> fields{{"x-forwarded-for", "198.51.100.1"}};
    for (const std::string& each : values) fields.emplace_back("X-Forwarded-Proto", each);
    return is_forwarded_https(parse_ip(peer).value(), fields, trusted);
  };
  EXPECT_TRUE(is_https("10.0.0.1", {"https"}));
  EXPECT_TRUE(is_https("10.0.0.1", {"HTTPS "}));
  EXPECT_TRUE(is_https("10.0.0.1", {"http", "https"})) << "the nearest proxy's is the last";
  EXPECT_TRUE(is_https("10.0.0.1", {"http, https"}));
  EXPECT_FALSE(is_https("10.0.0.1", {"https, http"}));
  EXPECT_FALSE(is_https("10.0.0.1", {"https,"}));
  EXPECT_FALSE(is_https("10.0.0.1", {}));
  EXPECT_FALSE(is_https("10.0.0.1", {"wss"}));
  EXPECT_FALSE(is_https("192.0.2.1", {"https"})) << "a stranger may write anything";
}

TEST(ForwardedFor, NoMoreThanSoManyEntriesAreLookedAt) {
  const std::vector<address_range> trusted{parse_address_range("10.0.0.0/8").range.value()};
  std::string value = "198.51.100.1";
  for (std::size_t each = 0; each < most_forwarded; ++each) value += ", 10.0.0.2";
  const std::vector<proxy::header_field> fields{{"x-forwarded-for", value}};
  EXPECT_EQ(text_of(forwarded_peer(parse_ip("10.0.0.1").value(), fields, trusted)), "10.0.0.2 0");
}

}  // namespace
}  // namespace photofinish::gateway
