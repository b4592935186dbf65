#include "gateway/commands/bench/bench_outcome.hpp"

#include <iostream>

namespace photofinish::gateway {

bench_outcome wrong_usage(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) std::cerr << "error: " << problem << "\n";
  return {.exit_code = bench_wrong_usage};
}

int exit_code_of(int exit_code, int interrupted_by) {
  constexpr int signal_base = 128;
  return interrupted_by != 0 ? signal_base + interrupted_by : exit_code;
}

}  // namespace photofinish::gateway
