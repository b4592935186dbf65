// Runs many kinds of work in parallel, as a test for the sanitizers: races, clients that leave, scrapes, new configurations, new
// statistics, and a drain. At the end no request may be in flight, and every attempt that began must have ended.
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/running_simulator.hpp"

#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

// Each client thread of this test sends one request after another. In the gateway, the requests of all threads overlap as if 64 clients
// sent them.
constexpr int client_threads = 16;
constexpr int requests_per_thread = 24;
constexpr unsigned seed = 20261121;

class concurrency_test : public gateway_fixture {
 protected:
  concurrency_test() {
    settings.server.workers = 2;
    const std::array<std::uint16_t, 3> ports{steady_.port(), quick_.port(), faulty_.port()};
    const std::array<const char*, 3> names{"steady", "quick", "faulty"};
    for (std::size_t index = 0; index < names.size(); ++index)
      settings.providers[names[index]] = local_provider(names[index], ports[index]);
    add_route("all", {"steady/m;tokens=40;tps=2000;ttft=5ms", "quick/m;tokens=40;tps=2000;ttft=3ms", "faulty/m;status=500"});
    add_route("cut", {"steady/m;tokens=60;tps=2000;reset_after=10", "faulty/m;status=429"});
    add_route("hedge", {"quick/m;ttft=8ms", "steady/m;ttft=4ms"}, racing::race_policy::hedge).race.hedge_delay = 2ms;
    add_route("fall", {"faulty/m;status=503", "quick/m"}, racing::race_policy::fallback);
    start();
  }

  void one_request(std::mt19937& random) {
    constexpr std::array<const char*, 4> routes{"all", "cut", "hedge", "fall"};
    const std::string route = routes[random() % routes.size()];
    test_client client = connect();
    client.post(random() % 3 == 0 ? whole(route) : streamed(route));
    ++asked_;
    switch (random() % 6) {
      case 0: return client.reset();
      case 1: return client.fin();
      case 2:
        std::this_thread::sleep_for(milliseconds(random() % 10));
        return client.reset();
      case 3: client.read_until("content"); return;
      default: ++read_; client.read();
    }
  }

  void run_clients() {
    std::vector<std::jthread> clients;
    for (int index = 0; index < client_threads; ++index)
      clients.emplace_back([this, index] {
        std::mt19937 random(seed + static_cast<unsigned>(index));
        for (int turn = 0; turn < requests_per_thread; ++turn) one_request(random);
      });
  }

  void expect_nothing_in_flight() {
    EXPECT_TRUE(comes_true([this] {
      return metric("photofinish_inflight_requests") == 0 && metric("photofinish_inflight_attempts") == 0;
    }));
  }

  std::atomic<int> asked_{0}, read_{0};

 private:
  tests::running_simulator steady_, quick_, faulty_;
};

TEST_F(concurrency_test, LeavesNothingInFlight) {
  std::atomic<bool> is_over = false;
  std::jthread scraper([&] {
    while (!is_over) get("/metrics"), get("/v1/models"), get("/readyz");
  });
  std::jthread reloader([&] {
    gateway::config changed = settings;
    for (int turn = 0; !is_over; ++turn) {
      changed.routes["all"].race.max_parallel = turn % 2 == 0 ? 3 : 1;
      gateway->reload(changed);
      std::this_thread::sleep_for(3ms);
    }
  });
  run_clients();
  is_over = true;
  scraper.join(), reloader.join();
  expect_nothing_in_flight();
  EXPECT_GT(read_, 0);
  // The gateway does not count a request whose client left before the request was read completely. Every other request has exactly one
  // outcome.
  EXPECT_LE(metric("photofinish_requests_total", {R"(endpoint="chat_completions")"}), asked_);
  EXPECT_GE(metric("photofinish_requests_total", {R"(endpoint="chat_completions")"}), read_);
  // The gateway counts an attempt when the attempt ends. Some attempts had a connection, and all others failed before they had one.
  const double started_on_a_connection = metric("photofinish_upstream_connections_total");
  const double ended = metric("photofinish_attempts_total") - metric("photofinish_attempts_total", {R"(outcome="skipped")"});
  EXPECT_GE(ended, started_on_a_connection);
  EXPECT_GT(started_on_a_connection, 0);
}

TEST_F(concurrency_test, DrainsUnderLoad) {
  std::jthread drainer([&] {
    std::this_thread::sleep_for(100ms);
    gateway->leave();
    gateway->reload(settings);
    gateway->drain();
  });
  std::vector<std::jthread> clients;
  for (int index = 0; index < client_threads; ++index)
    clients.emplace_back([this, index] {
      std::mt19937 random(seed + 100 + static_cast<unsigned>(index));
      try {
        for (int turn = 0; turn < requests_per_thread; ++turn) one_request(random);
      } catch (const std::system_error&) {
        return;  // stops when the server no longer accepts connections
      }
    });
  clients.clear();
  drainer.join();
  EXPECT_TRUE(gateway->is_drained());
}

TEST_F(concurrency_test, IsCutUnderLoad) {
  std::vector<std::jthread> clients;
  for (int index = 0; index < client_threads; ++index)
    clients.emplace_back([this, index] {
      std::mt19937 random(seed + 200 + static_cast<unsigned>(index));
      try {
        for (int turn = 0; turn < requests_per_thread; ++turn) one_request(random);
      } catch (const std::system_error&) {
        return;
      }
    });
  std::this_thread::sleep_for(60ms);
  gateway->cut();
  EXPECT_TRUE(gateway->is_drained());
}

}  // namespace
}  // namespace photofinish::testing
