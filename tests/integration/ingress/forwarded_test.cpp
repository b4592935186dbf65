// Tests which address counts as the caller's address if an HTTP proxy forwards the request. Three features use the caller's address: the
// log, the audit log, and memory limits by address.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <string>
#include <string_view>

namespace photofinish::testing {
namespace {

class forwarded_test : public gateway_fixture {
 protected:
  forwarded_test() {
    add("p", provider);
    add_route("r", {"p/m"});
    settings.server.ingress.trusted_proxies = {gateway::parse_address_range("127.0.0.0/8").range.value()};
  }
  bool logs(std::initializer_list<std::string_view> texts) {
    return comes_true([&] { return !log.lines_with(texts).empty(); });
  }

  captured_log log;
  scripted_provider provider{streams({"hi"})};
};

TEST_F(forwarded_test, ATrustedProxySaysWhoCalls) {
  start();
  ASSERT_EQ(post(streamed("r"), "X-Forwarded-For: 1.1.1.1, 192.0.2.7:4711\r\n").status, 200);
  EXPECT_TRUE(logs({"request id=", "peer=192.0.2.7:4711 ", "endpoint=chat_completions"}));
  ASSERT_EQ(get("/v1/models", "X-Forwarded-For: 2001:db8::7\r\n").status, 200);
  EXPECT_TRUE(logs({"request id=", "peer=2001:db8::7 ", "endpoint=models"}));
  ASSERT_EQ(get("/v1/models", "X-Forwarded-For: unknown\r\n").status, 200);
  EXPECT_TRUE(logs({"request id=", "peer=127.0.0.1:", "forwarded_for=unknown"}));
}

TEST_F(forwarded_test, EachRequestOfItsConnectionHasItsOwnCaller) {
  start();
  test_client proxy = connect();
  for (const char* caller : {"192.0.2.1", "192.0.2.2"}) {
    proxy.send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: " + std::string(caller) + "\r\n\r\n");
    ASSERT_EQ(proxy.read().status, 200);
    EXPECT_TRUE(logs({"peer=" + std::string(caller) + " "}));
  }
  proxy.send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_EQ(proxy.read().status, 200);
  EXPECT_TRUE(logs({"peer=127.0.0.1:", "endpoint=models"})) << "the one before it is forgotten";
}

TEST_F(forwarded_test, OthersThanTrustedProxiesSayNothing) {
  settings.server.ingress.trusted_proxies = {gateway::parse_address_range("10.0.0.0/8").range.value()};
  start();
  ASSERT_EQ(get("/v1/models", "X-Forwarded-For: 192.0.2.7\r\n").status, 200);
  EXPECT_TRUE(logs({"peer=127.0.0.1:", "forwarded_for=192.0.2.7"}));
}

}  // namespace
}  // namespace photofinish::testing
