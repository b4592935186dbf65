#include "gateway/commands/bench/bench_outcome.hpp"

#include <iostream>
#include <utility>

namespace photofinish::gateway {

bench::series_figures figures_of(std::string group, std::string name, const bench::level_report& level) {
  const auto part = [&level](std::string_view tag, double bench::distribution::* value) {
    const bench::metric* found = level.find(tag);
    return found && found->spread ? std::optional((*found->spread).*value) : std::nullopt;
  };
  const bench::metric* errors = level.find("request_error_rate");
  return {.group = std::move(group),
          .name = std::move(name),
          .ttft_p50 = part("time_to_first_token", &bench::distribution::p50),
          .ttft_p95 = part("time_to_first_token", &bench::distribution::p95),
          .speed_p50 = part("output_token_throughput_per_user", &bench::distribution::p50),
          .speed_p5 = part("output_token_throughput_per_user", &bench::distribution::p5),
          .finish_p50 = part("request_latency", &bench::distribution::p50),
          .error_percent = errors != nullptr ? std::optional(errors->avg) : std::nullopt};
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
