// Tests that workers can write metrics while another thread scrapes them. Run this test under the thread sanitizer to find data races.
#include "metrics/exposition.hpp"

#include "tests/support/by_source.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace photofinish::metrics {
namespace {

using namespace std::chrono_literals;

constexpr int requests_per_worker = 20'000;

// Writes metrics as a worker does: mostly for known targets, sometimes for a new target.
void work(shard& worker) {
  route_series& route = worker.declare_route("fast");
  const client_series& client = worker.client("_none");
  for (int i = 0; i < requests_per_worker; ++i) {
    target_series& target = worker.declare_target("groq", std::to_string(i / 1000));
    route.cell<names::inflight_requests>().add(1);
    const attempt_observation attempts[] = {{.target = target,
                                             .outcome = attempt_outcome::won,
                                             .ttft = 100ms,
                                             .speed = reported_by_both(decode_sample{100, 500ms})}};
    worker.observe({.route = route, .client = client, .ttft = 110ms, .attempts = attempts});
    route.cell<names::inflight_requests>().sub(1);
  }
}

double requests_shown(const exposition& page) {
  double shown = 0;
  for (const auto& family : page.Collect())
    if (family.name == names::requests_total.name)
      for (const auto& series : family.metric) shown += series.counter.value;
  return shown;
}

TEST(Scrape, SeesCountersOnlyRiseWhileWorkersWriteAndLosesNothing) {
  series_budget budget;
  shard first(budget), second(budget);
  const exposition page({}, {&first, &second});
  std::atomic<int> working{2};
  const auto run = [&](shard& worker) { work(worker), --working; };
  std::jthread one([&] { run(first); });
  std::jthread two([&] { run(second); });

  double last = 0;
  while (working > 0) {
    const double now = requests_shown(page);
    EXPECT_GE(now, last);
    last = now;
    EXPECT_FALSE(page.text().empty());
  }
  one.join();
  two.join();
  EXPECT_EQ(requests_shown(page), 2.0 * requests_per_worker);
}

TEST(Scrape, TwoAtOnceSeeTheSameWhenNobodyWrites) {
  series_budget budget;
  shard worker(budget);
  work(worker);
  const exposition page({}, {&worker});
  double other = 0;
  std::jthread elsewhere([&] { other = requests_shown(page); });
  const double here = requests_shown(page);
  elsewhere.join();
  EXPECT_EQ(here, other);
}

}  // namespace
}  // namespace photofinish::metrics
