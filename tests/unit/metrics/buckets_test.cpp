#include "metrics/buckets.hpp"

#include "metrics/names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace photofinish::metrics {
namespace {

TEST(Buckets, ThereAreThirtyForFirstTokensAndThirtySixForSpeed) {
  EXPECT_EQ(ttft_edges.size(), 30u);
  EXPECT_EQ(speed_edges.size(), 36u);
}

TEST(Buckets, EdgesRise) {
  for (const metric* which : names::all)
    EXPECT_TRUE(std::ranges::is_sorted(which->buckets, std::ranges::less_equal{})) << which->name;
}

TEST(Buckets, OpenTelemetrysEdgesAreAmongOurs) {
  EXPECT_TRUE(std::ranges::includes(ttft_edges, otel_ttft_edges));
  EXPECT_TRUE(std::ranges::includes(request_edges, ttft_edges));
}

TEST(Buckets, OwnTimeGoesFromFiftyMicrosecondsToAHundredMilliseconds) {
  EXPECT_EQ(own_time_edges.front(), 50e-6);
  EXPECT_EQ(own_time_edges.back(), 100e-3);
}

TEST(Buckets, ADropOfThirtyPercentMovesABucketAtUsualSpeeds) {
  for (double speed = 50; speed <= 1500; ++speed)
    EXPECT_NE(bucket_of(speed_edges, speed), bucket_of(speed_edges, speed * 0.7)) << speed;
}

TEST(BucketOf, AnEdgeBelongsToItsOwnBucket) {
  for (const metric* which : names::all) {
    const auto edges = which->buckets;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      EXPECT_EQ(bucket_of(edges, edges[i]), i) << which->name;
      EXPECT_EQ(bucket_of(edges, std::nextafter(edges[i], 0)), i) << which->name;
      EXPECT_EQ(bucket_of(edges, std::nextafter(edges[i], 1e300)), i + 1) << which->name;
    }
  }
}

TEST(BucketOf, FindsItsPlaceAmongAnyNumberOfEdges) {
  constexpr std::array<double, 9> edges{1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (std::size_t count = 1; count <= edges.size(); ++count) {
    const std::span<const double> some(edges.data(), count);
    for (double value = 0; value <= 10; value += 0.25) {
      const auto below = std::ranges::count_if(some, [&](double edge) { return edge < value; });
      EXPECT_EQ(bucket_of(some, value), static_cast<std::size_t>(below))
          << count << " edges, value " << value;
    }
  }
}

}  // namespace
}  // namespace photofinish::metrics
