// Tests `photofinish health` with a running gateway, without a gateway, and with a server that is not a gateway.
#include "gateway/commands/health.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/scripted_provider.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

namespace photofinish::testing {
namespace {

using gateway::health_question;
using gateway::probe_url;
using tests::table_environment;

std::string url_at(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

struct verdict {
  int code;
  std::string out, err;
};

verdict ask(const health_question& question) {
  std::ostringstream out, err;
  const int code = gateway::run_health(question, out, err);
  return {code, out.str(), err.str()};
}

class Health : public gateway_fixture {
 protected:
  Health() : provider_(streams({"hi"})) {
    add("p", provider_);
    add_route("r", {"p/m"});
    settings.access.keys = {{"team", proxy::secret("door-0123456789"), {}}};
  }

 private:
  scripted_provider provider_;
};

TEST_F(Health, AGatewayThatServesIsHealthyWithoutAKey) {
  start();
  const verdict got = ask({.url = url_at(gateway->port()) + "/v1"});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.out, "ok: " + url_at(gateway->port()) + "/readyz\n");
}

TEST_F(Health, AGatewayThatDrainsIsAliveAndNotReady) {
  start();
  gateway->leave();
  const verdict ready = ask({.url = url_at(gateway->port())});
  EXPECT_EQ(ready.code, 1);
  EXPECT_EQ(ready.err, "error: " + url_at(gateway->port()) + "/readyz: draining (503)\n");
  EXPECT_EQ(ask({.url = url_at(gateway->port()), .path = "/livez"}).code, 0);
}

TEST_F(Health, WithAnAdminAddressTheProbesAreThere) {
  settings.server.admin = gateway::listen_address{"127.0.0.1", 0};
  start();
  EXPECT_EQ(ask({.url = url_at(gateway->admin_port())}).code, 0);
  const verdict elsewhere = ask({.url = url_at(gateway->port())});
  EXPECT_EQ(elsewhere.code, 1);
  EXPECT_NE(elsewhere.err.find("status 404"), std::string::npos) << elsewhere.err;
  EXPECT_NE(elsewhere.err.find("`admin` address"), std::string::npos) << elsewhere.err;
}

TEST(HealthWithoutAGateway, AClosedPortIsOneLineWithTheReason) {
  std::uint16_t port = 0;
  { port = scripted_provider(stays_silent()).port(); }  // a port that was in use until a moment ago, and is free now
  const verdict got = ask({.url = url_at(port)});
  EXPECT_EQ(got.code, 1);
  EXPECT_EQ(got.err.find("error: " + url_at(port) + "/readyz: "), 0u) << got.err;
  EXPECT_NE(got.err.find("refused"), std::string::npos) << got.err;
  EXPECT_EQ(got.err.find('\n'), got.err.size() - 1);
}

TEST(HealthWithoutAGateway, SilenceIsNotWaitedForLong) {
  scripted_provider silent(stays_silent());
  const verdict got = ask({.url = url_at(silent.port()), .patience = milliseconds(50)});
  EXPECT_EQ(got.code, 1);
  EXPECT_NE(got.err.find("no answer within 50 ms"), std::string::npos) << got.err;
}

TEST(HealthWithoutAGateway, AWrongUrlIsOneTooForDockerKeepsTwo) {
  const verdict got = ask({.url = "127.0.0.1:7777"});
  EXPECT_EQ(got.code, 1);
  EXPECT_EQ(got.err.find("error: "), 0u);
}

struct place_case {
  const char* name;
  table_environment table;
  const char* url;
};

class HealthPlace : public ::testing::TestWithParam<place_case> {};

TEST_P(HealthPlace, IsWhereServeListens) {
  EXPECT_EQ(probe_url(std::nullopt, GetParam().table.machine()), GetParam().url);
}

const char* const file = "photofinish.yaml";
INSTANTIATE_TEST_SUITE_P(
    All, HealthPlace,
    ::testing::Values(
        place_case{"Nothing", {}, "http://127.0.0.1:7777"},
        place_case{"Everywhere", {.variables = {{"PHOTOFINISH_LISTEN", "0.0.0.0:7780,[::1]:7"}}}, "http://127.0.0.1:7780"},
        place_case{"EverywhereSix", {.variables = {{"PHOTOFINISH_LISTEN", "[::]:7780"}}}, "http://[::1]:7780"},
        place_case{"File", {.files = {{file, "listen: 10.0.0.7:80\nproviders: {}\n"}}}, "http://10.0.0.7:80"},
        place_case{"VariableBeforeFile",
                   {.variables = {{"PHOTOFINISH_LISTEN", "127.0.0.1:7780"}}, .files = {{file, "listen: 10.0.0.7:80\n"}}},
                   "http://127.0.0.1:7780"},
        place_case{"AdminBeforeAll",
                   {.variables = {{"PHOTOFINISH_LISTEN", "0.0.0.0:7777"}}, .files = {{file, "admin: 0.0.0.0:9464\n"}}},
                   "http://127.0.0.1:9464"},
        place_case{"FileWithFaults", {.files = {{file, "admin: 127.0.0.1:9464\nproviders: {a: 5}\n"}}}, "http://127.0.0.1:9464"},
        place_case{"AddressThatIsNone", {.files = {{file, "listen: 18555\n"}}}, "http://127.0.0.1:7777"},
        place_case{"FileThatIsNotYaml", {.files = {{file, "providers: {broken"}}}, "http://127.0.0.1:7777"},
        place_case{"PortOfTheSystem", {.files = {{file, "admin: 127.0.0.1:0\n"}}}, ""}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace photofinish::testing
