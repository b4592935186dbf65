// Two gateways that share a real redis-server.
#pragma once

#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/network/redis_program.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {

class fleet_fixture : public gateway_fixture {
 protected:
  fleet_fixture() {
    add("a", provider).prices = {{"m", *proxy::parse_prices("0/1000000")}};
    add("b", provider);
    add_route("fast", {"a/m"});
    // An adaptive route. The gateway stores receipts only for adaptive routes.
    add_route("by speed", {"a/m", "b/m"}, racing::race_policy::adaptive);
    settings.server.workers = 1;
    keeping.tick = std::chrono::milliseconds(20);
  }
  void SetUp() override {
    if (!is_installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
    store = std::make_unique<redis_program>();
    settings.store.timeout = std::chrono::milliseconds(2000);
  }
  void use_store(const std::string& url) { settings.store.url = proxy::secret(url); }
  gateway::config named(const std::string& name) {
    gateway::config made = settings;
    made.tracing.resource["service.instance.id"] = name;
    return made;
  }
  void start_two() {
    gateway = std::make_unique<running_gateway>(named("one"), keeping, speaks);
    other = std::make_unique<running_gateway>(named("two"), keeping, speaks);
  }
  void change_over() { std::swap(gateway, other); }
  void ask(int times) {
    for (int each = 0; each < times; ++each) ASSERT_EQ(post(streamed("fast")).status, 200);
  }
  nlohmann::json usage(const std::string& query = "") {
    const http_response got = get("/v1/usage" + query);
    EXPECT_EQ(got.status, 200) << got.body;
    return nlohmann::json::parse(got.body);
  }
  // Returns the sum of the requests in all time buckets. A test that runs at midnight may use two buckets.
  static std::uint64_t requests_of(const nlohmann::json& page) {
    std::uint64_t sum = 0;
    for (const nlohmann::json& bucket : page.at("data"))
      for (const nlohmann::json& row : bucket.at("results")) sum += row.at("num_model_requests").get<std::uint64_t>();
    return sum;
  }
  static std::int64_t nano_usd_of(const nlohmann::json& page) {
    double sum = 0;
    for (const nlohmann::json& bucket : page.at("data"))
      for (const nlohmann::json& row : bucket.at("results")) sum += row.at("cost_usd").get<double>();
    return static_cast<std::int64_t>(sum * 1e9 + 0.5);
  }
  bool becomes(std::uint64_t requests, const std::string& query = "") {
    return comes_true([&] { return requests_of(usage(query)) == requests; });
  }
  bool becomes_whole(std::uint64_t requests) {
    return comes_true([&] {
      const nlohmann::json page = usage();
      return requests_of(page) == requests && page.at("gateway").is_null() && page.at("note").is_null();
    });
  }
  // Returns all keys under which the store has usage rows for days and hours, or lists of such rows.
  std::vector<std::string> usage_keys() {
    std::vector<std::string> all;
    for (const auto& each : store->ask({"KEYS", "pf:stats:usage:[dh]:*"}).list) all.push_back(each.text);
    return all;
  }
  // Waits until each gateway knows the other gateways, so that a report contains the figures of all of them.
  bool is_fleet(std::size_t gateways) {
    return comes_true([&] {
      const nlohmann::json page = usage();
      return page.at("gateway").is_null() && page.at("gateways").size() == gateways;
    });
  }

  scripted_provider provider{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
  std::unique_ptr<redis_program> store;
  std::unique_ptr<running_gateway> other;
};

}  // namespace photofinish::testing
