#include "gateway/commands/bench/bench_outcome.hpp"

#include <iostream>
#include <utility>

namespace photofinish::gateway {

bench::series_figures figures_of(std::string group, std::string name, const bench::level_report& level) {
  using bench::distribution;
  return {.group = std::move(group),
          .name = std::move(name),
          .ttft_p50 = level.part("time_to_first_token", &distribution::p50),
          .ttft_p95 = level.part("time_to_first_token", &distribution::p95),
          .speed_p50 = level.part("output_token_throughput_per_user", &distribution::p50),
          .speed_p5 = level.part("output_token_throughput_per_user", &distribution::p5),
          .finish_p50 = level.part("request_latency", &distribution::p50),
          .error_percent = level.value("request_error_rate")};
}

bench_outcome wrong_usage(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) std::cerr << "error: " << problem << "\n";
  return {.exit_code = bench_wrong_usage};
}

int exit_code_of(int exit_code, int interrupted_by) {
  constexpr int signal_base = 128;
  return interrupted_by != 0 ? signal_base + interrupted_by : exit_code;
}

}  // namespace photofinish::gateway
