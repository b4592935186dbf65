// A gateway with two callers whose limits the test sets. Its provider answers when the test permits it.
#pragma once

#include "tests/support/gateway/gateway_fixture.hpp"

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {

class own_limits_test : public gateway_fixture {
 protected:
  own_limits_test() {
    add("a", provider);
    // Each output token costs a dollar, so that costs are whole numbers.
    settings.providers["a"].prices = {{"m", *proxy::parse_prices("0/1000000")}};
    add_route("fast", {"a/m"});
    add_route("deep", {"a/m"});
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}, {"bob", proxy::secret("key-b"), {}}};
    keeping.tick = std::chrono::milliseconds(10);
  }

  gateway::limit_settings& of(std::size_t place) { return settings.access.keys[place].limits; }

  http_response ask(std::string_view key = "key-a", std::string_view route = "fast", std::string_view more = "") {
    return post(streamed(route, more), "Authorization: Bearer " + std::string(key) + "\r\n");
  }
  // Waits until the metric of successful requests has this value. The accounts of the callers are then up to date.
  void wait_for_answers(double count) { expect_metric(count, "photofinish_requests_total", {R"(outcome="ok")"}); }

  int tokens_left() {
    const http_response models = get("/v1/models", "Authorization: Bearer key-a\r\n");
    return std::stoi(models.field_or("x-ratelimit-remaining-tokens", "0"));
  }

  std::atomic<int> output_tokens = 2, input_tokens = 3;
  std::atomic<bool> is_silent = false;  // true if the provider waits before its first token
  std::atomic<bool> is_held = false;    // true if the provider waits after its first token
  scripted_provider provider{[this](provider_call& call) {
    call.stream_head();
    if (!call.wait_until([this] { return !is_silent; })) return;
    call.event(token_chunk("hi"));
    if (!call.wait_until([this] { return !is_held; })) return;
    call.event(finish_chunk());
    call.event(usage_chunk(input_tokens, output_tokens));
    call.event("[DONE]");
  }};
};

}  // namespace photofinish::testing
