// The bucket edges of every histogram. A value that is equal to an edge belongs to the bucket below the edge, as for
// Prometheus' `le`. Edges may be added, but no edge is removed within a major version, because queries and alerts use
// the edges. prometheus-cpp writes 16 digits, so that an edge of 0.000075 would become 7.499999999999999e-05. A test
// therefore checks that all edges are written as short numbers. [pure]
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace photofinish::metrics {

// Edges for the time to the first token, in seconds. They include all of OpenTelemetry's edges, and vLLM's edges up to
// 10 s.
inline constexpr std::array<double, 30> ttft_edges{
    0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5,
    0.75,  1,      1.5,   2,    2.5,  3,    4,    5,    7.5, 10,   15,  20,   30,  60,  120};

// Edges for the duration of whole requests. They are the edges for the time to the first token, and further edges up to
// the longest usual total_timeout.
inline constexpr std::array<double, 35> request_edges{
    0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1,   1.5,
    2,     2.5,    3,     4,    5,    7.5,  10,   15,   20,  30,   60,  120,  180, 300, 600, 900,  1800};

// Edges for the time that the gateway itself adds to a request: 50 us to 100 ms.
inline constexpr std::array<double, 17> own_time_edges{0.00005, 0.0001, 0.00015, 0.0002, 0.0003, 0.0005,
                                                       0.00075, 0.001,  0.0015,  0.002,  0.003,  0.005,
                                                       0.0075,  0.01,   0.02,    0.05,   0.1};

// Edges for the time until a store answers. They range from 100 us, for a store in the same rack, to the longest
// timeout plus the time to reconnect.
inline constexpr std::array<double, 16> store_edges{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                    0.05,   0.1,     0.25,   0.5,   1,      2.5,   5,    30};

// Edges for the output speed in tokens per second. Between 50 and 1,500 tokens/s, each edge is at most 27 % above the
// previous edge. A drop of 30 % therefore changes the bucket.
inline constexpr std::array<double, 36> speed_edges{
    1,   2,   5,   10,  15,  20,  25,   30,   40,   50,   60,   75,   90,   110,  135,  165,  200,   250,
    300, 375, 450, 550, 700, 850, 1000, 1250, 1500, 2000, 2500, 3000, 4000, 5000, 6500, 8000, 10000, 12000};

// Edges for the ratio of a measured time to the predicted time.
inline constexpr std::array<double, 16> ratio_edges{0.1, 0.2, 0.3,  0.5, 0.7, 0.8, 0.9, 1,
                                                    1.1, 1.2, 1.35, 1.5, 2,   3,   5,   10};

// OpenTelemetry's own edges for the time to the first token.
inline constexpr std::array<double, 16> otel_ttft_edges{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1,
                                                        0.25,  0.5,   0.75, 1,    2.5,  5,    7.5,  10};
inline constexpr std::array<double, 14> otel_duration_edges{0.01, 0.02, 0.04, 0.08,  0.16,  0.32,  0.64,
                                                            1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92};
inline constexpr std::array<double, 14> otel_token_edges{
    1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864};

// Edges for the time per token. OpenTelemetry's edges begin at 10 ms, which is 100 tok/s. The edges below 10 ms
// distinguish fast providers.
inline constexpr std::array<double, 23> token_time_edges{
    0.0001, 0.00025, 0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01, 0.025,
    0.05,   0.075,   0.1,    0.15,  0.2,    0.3,   0.4,   0.5,   0.75,  1,      2.5};

// Returns the number of edges that are less than the value, which is the index of the value's bucket. The index
// edges.size() stands for the bucket up to infinity. The binary search has no branch that depends on the value, because
// the branch predictor would often guess such a branch wrongly. There must be at least one edge.
constexpr std::size_t bucket_of(std::span<const double> edges, double value) {
  std::size_t first = 0;
  for (std::size_t left = edges.size(); left > 1;) {
    const std::size_t half = left / 2;
    first += edges[first + half - 1] < value ? half : 0;
    left -= half;
  }
  return first + (edges[first] < value ? 1 : 0);
}

}  // namespace photofinish::metrics
