// Tests HTTP/2 connections that the gateway dials in advance, to providers that close them immediately.
#include "tests/support/network/http2_fixture.hpp"
#include "tests/support/network/http2_frames.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::peer;
using testing::scripted_server;
namespace h2 = testing::h2;

struct way_to_end {
  std::string name;
  std::function<void(peer&)> end;
};

class http2_dials : public testing::http2_fixture, public ::testing::WithParamInterface<way_to_end> {};

// The gateway pauses between dials to a provider that closes unused connections. Without the pauses, it would open thousands of connections
// a second, for up to five minutes after the last request.
TEST_P(http2_dials, AreNotRepeatedInALoopWhenTheProviderEndsThemUnused) {
  std::atomic<int> connections{0};
  scripted_server server([&](peer& client) {
    if (connections++ > 0) return GetParam().end(client);
    while (client.read_some().find("{}") == std::string::npos) continue;
    client.write(h2::greeting() + h2::ok_head(1) + h2::body(1, "fine", h2::end_stream) + h2::going(1));
    client.read_to_end();
  });
  EXPECT_EQ(ask_one(at(server.port())).text, "fine");
  run_until([&] { return connections == 2; });
  run_for(500ms);  // this time is shorter than the first pause between dials, which lasts a second
  EXPECT_EQ(connections, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Providers, http2_dials,
    ::testing::Values(way_to_end{"ThatClose", [](peer& client) { client.close(); }},
                      way_to_end{"ThatReset", [](peer& client) { client.reset(); }},
                      way_to_end{"ThatSayGoaway",
                                 [](peer& client) {
                                   client.write(h2::greeting() + h2::going(0));
                                   client.read_to_end();
                                 }},
                      way_to_end{"ThatAllowNoStreams",
                                 [](peer& client) {
                                   client.write(h2::setting(h2::max_concurrent_streams, 0) + h2::frame(h2::settings, h2::ack, 0));
                                   client.read_to_end();
                                 }},
                      way_to_end{"ThatBreakTheRules",
                                 [](peer& client) {
                                   client.write("HTTP/1.1 400 Bad Request\r\n\r\n");
                                   client.read_to_end();
                                 }}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace photofinish::proxy
