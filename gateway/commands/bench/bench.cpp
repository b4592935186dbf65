#include "gateway/commands/commands.hpp"

#include "gateway/commands/bench/bench_flags.hpp"
#include "gateway/commands/bench/compare.hpp"
#include "gateway/commands/bench/measure_one.hpp"
#include "gateway/commands/bench/scheduled.hpp"
#include "gateway/process/process_environment.hpp"

#include <CLI/CLI.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace bench;

// Raises the limit of open descriptors to the largest value that needs no privilege, because each running request
// needs a connection.
void allow_many_connections() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65'536);
  setrlimit(RLIMIT_NOFILE, &limit);
}

bench_outcome measure_once(const bench_flags& flags, const std::vector<named_target>& targets) {
  return flags.is_comparison() ? compare(flags, targets) : measure_one(flags, targets.front());
}

bench_outcome measure(bench_flags& flags) {
  std::signal(SIGPIPE, SIG_IGN);
  flags.options.mode = flags.is_whole ? answer_mode::whole : answer_mode::stream;
  const std::vector<std::string> wrong_lines = read_prompts(flags);
  if (!wrong_lines.empty()) return wrong_usage(wrong_lines);
  auto found = find_targets(flags, process_environment());
  if (const auto* problem = std::get_if<std::string>(&found)) return wrong_usage({*problem});
  const auto targets = std::get<std::vector<named_target>>(std::move(found));
  for (const named_target& each : targets) warn_of_open_key(each.to);
  allow_many_connections();
  return flags.is_scheduled() ? measure_scheduled(flags, targets, measure_once) : measure_once(flags, targets);
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto flags = std::make_shared<bench_flags>();
  CLI::App* bench = app.add_subcommand("bench", "Measure any OpenAI-compatible endpoint under rising load, or compare "
                                                "several endpoints");
  bench->add_option("URL", flags->urls, "Base URL, optionally with #MODEL: http://127.0.0.1:7777/v1, "
                                        "https://api.groq.com/openai/v1#openai/gpt-oss-120b; several are compared")
      ->required();
  add_bench_options(*bench, *flags);
  bench->footer("Prints percentiles by level. For several URLs or --input-tokens, prints a scorecard with speeds, "
                "prices and a ranking. docs/bench.md explains each figure, and how other tools count.\nCtrl-C ends the "
                "run with the results so far. Exit code 1: no answer, or a level without an answer; 2: wrong usage; "
                "130: Ctrl-C.");
  bench->callback([flags, &exit_code] {
    const bench_outcome outcome = measure(*flags);
    exit_code = exit_code_of(outcome.exit_code, outcome.interrupted_by);
  });
}

}  // namespace photofinish::gateway
