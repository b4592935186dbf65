// Tests the rules for the addresses that may connect, and load balancers that report their client's address.
#include "tests/integration/ingress/front_fixture.hpp"

#include <string>
#include <string_view>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;
using namespace std::string_literals;

gateway::address_range range(std::string_view text) { return gateway::parse_address_range(text).range.value(); }

const std::string probe = "GET /v1/models HTTP/1.0\r\n\r\n";
const std::string line_for_documentation = "PROXY TCP4 192.0.2.7 127.0.0.1 56324 443\r\n";
// A binary PROXY header with the same address as the text header, and with a second record, such as the unique id of HAProxy.
const std::string bytes_for_documentation =
    "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x12\xC0\0\x02\x07\x7F\0\0\x01\xDC\x04\x01\xBB\x05\0\x03xyz"s;

class addresses : public front_fixture {
 protected:
  void expect_header_from(std::string_view trusted) {
    settings.server.ingress.proxy_protocol = true;
    settings.server.ingress.trusted_proxies = {range(trusted)};
  }
  bool is_served(const std::string& bytes) const {
    return sent_and_read(gateway->port(), bytes).find(" 200 OK") != std::string::npos;
  }
};

TEST_F(addresses, OutsideOfAllowFromGetNotAByte) {
  settings.server.ingress.allow_from = {range("10.0.0.0/8")};
  settings.server.admin = gateway::listen_address{"127.0.0.1", 0};
  start();
  EXPECT_EQ(sent_and_read(gateway->port(), probe), "");
  EXPECT_TRUE(has_refused("address", 1)) << "read at the admin address, which is for all";
  settings.server.ingress.allow_from.push_back(range("127.0.0.1"));
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([&] { return is_served(probe); })) << "a reload is enough";
}

TEST_F(addresses, AHeaderOfEitherVersionIsTakenOff) {
  expect_header_from("127.0.0.0/8");
  start();
  EXPECT_TRUE(is_served(line_for_documentation + probe));
  EXPECT_TRUE(is_served(bytes_for_documentation + probe));
  EXPECT_TRUE(is_served("PROXY UNKNOWN\r\n" + probe));
  EXPECT_TRUE(is_served("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"s + probe)) << "a balancer's own check of health";
}

TEST_F(addresses, TheHeadersAddressIsTheOneThatAllowFromIsAskedFor) {
  expect_header_from("127.0.0.0/8");
  settings.server.ingress.allow_from = {range("192.0.2.0/24")};
  start();
  EXPECT_TRUE(is_served(line_for_documentation + probe));
  EXPECT_TRUE(is_served(bytes_for_documentation + probe));
  EXPECT_EQ(sent_and_read(gateway->port(), "PROXY TCP4 198.51.100.1 127.0.0.1 5 443\r\n" + probe), "");
  EXPECT_TRUE(has_refused("address", 1));
  EXPECT_FALSE(is_served("PROXY UNKNOWN\r\n" + probe)) << "then the balancer's own address counts";
}

TEST_F(addresses, WithoutAHeaderOrWithABrokenOneThereIsNoAnswer) {
  expect_header_from("127.0.0.0/8");
  start();
  const std::string broken[] = {probe,
                                "PROXY TCP4 192.0.2.7 127.0.0.1 56324\r\n" + probe,
                                "PROXY TCP4 192.0.2.7 127.0.0.1 56324 443\n" + probe,
                                "PROXY " + std::string(200, 'x'),
                                "\r\n\r\n\0\r\nQUIT\n\x31\x11\0\x0C"s + probe,
                                "\r\n\r\n\0\r\nQUIT\n\x21\x11\xFF\xFF"s + probe};
  for (const std::string& each : broken) EXPECT_EQ(sent_and_read(gateway->port(), each), "") << each;
  EXPECT_TRUE(has_refused("proxy_header", std::size(broken)));
}

TEST_F(addresses, AHeaderFromSomeoneElseThanABalancerIsNotBelieved) {
  expect_header_from("10.0.0.0/8");
  start();
  EXPECT_EQ(sent_and_read(gateway->port(), line_for_documentation + probe), "");
  EXPECT_TRUE(has_refused("proxy_header", 1));
}

TEST_F(addresses, AHeaderMayComeByteByByteAndATlsClientBehindIt) {
  expect_header_from("127.0.0.0/8");
  start();
  test_client slow(gateway->port());
  for (const char each : line_for_documentation) {
    slow.send({&each, 1});
    std::this_thread::sleep_for(1ms);
  }
  slow.get("/v1/models");
  EXPECT_EQ(slow.read().status, 200);
  const test_authority authority;
  show(authority.issue());
  gateway->reload(settings);
  const tls_client_options options{.ca_file = authority.pem_file(), .preamble = bytes_for_documentation};
  EXPECT_TRUE(comes_true([&] { return ask(options) == "HTTP/1.1 200 OK"; }));
}

TEST_F(addresses, WhoSendsHalfAHeaderIsCutInTime) {
  expect_header_from("127.0.0.0/8");
  settings.limits.header_timeout = 200ms;
  start();
  EXPECT_EQ(sent_and_read(gateway->port(), line_for_documentation.substr(0, 20)), "");
  EXPECT_TRUE(has_refused("late", 1));
}

}  // namespace
}  // namespace photofinish::testing
