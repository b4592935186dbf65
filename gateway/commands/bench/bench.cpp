#include "gateway/commands/bench/bench.hpp"

#include "gateway/bench/load/bench_run.hpp"
#include "gateway/bench/report/table_report.hpp"
#include "gateway/commands/bench/bench_flags.hpp"
#include "gateway/commands/bench/compare.hpp"
#include "gateway/commands/bench/named_endpoints.hpp"
#include "gateway/process/process_environment.hpp"
#include "gateway/process/version.hpp"
#include "proxy/tokens/byte_pairs.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace bench;

constexpr int failed_running = 1;
constexpr int wrong_usage = 2;

int complain(int exit_code, const std::string& what) {
  std::cerr << "error: " << what << "\n";
  return exit_code;
}

// Each request in flight has a connection: as many descriptors as the machine allows without asking.
void allow_many_connections() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65'536);
  setrlimit(RLIMIT_NOFILE, &limit);
}

int report(const output_places& places, bench_outputs& outputs, const bench_run& run) {
  std::ostream& out = places.take_stdout() ? std::cerr : std::cout;
  out << run.report().url << ", " << run.report().model << "\n\n" << write_table(run.report());
  if (!outputs.write(written(run))) return failed_running;
  if (!places.folder.empty()) out << "\nwritten to " << places.folder << ": bench.html, bench.json, bench.csv\n";
  const auto& levels = run.report().levels;
  const bool has_dead_level = std::any_of(levels.begin(), levels.end(), [](const level_report& each) {
    return each.succeeded == 0 && each.failed > 0;
  });
  return levels.empty() || has_dead_level ? failed_running : 0;
}

// One URL has one price of each kind.
std::string take_prices(bench_flags& flags) {
  bench_options& options = flags.options;
  const auto take = [](const char* option, const std::vector<double>& given, std::optional<double>& into) {
    if (given.size() == 1) into = given.front();
    return wrong_count(option, given.size(), 1);
  };
  std::string problem = take("--price-in", flags.prices_in, options.price_in);
  if (problem.empty()) problem = take("--price-out", flags.prices_out, options.price_out);
  return problem.empty() ? take("--price-cached", flags.prices_cached, options.price_cached) : problem;
}

int measure_one(bench_flags& flags, std::vector<named_target> targets) {
  named_target& target = targets.front();
  if (const std::string problem = take_prices(flags); !problem.empty()) return complain(wrong_usage, problem);
  if (!flags.input_tokens.empty()) flags.options.input_tokens = flags.input_tokens.front();
  plan_result planned = make_plan(flags.options, std::random_device{}());
  for (const std::string& problem : planned.problems) complain(wrong_usage, problem);
  if (!planned.problems.empty()) return wrong_usage;
  for (const auto& header : planned.plan.headers) target.to.provider.headers.push_back(header);
  bench_outputs outputs(flags.places);
  if (const std::string problem = outputs.open(); !problem.empty()) return complain(wrong_usage, problem);
  const auto count = [](std::string_view text) { return proxy::count_tokens(text); };
  bench_run run({std::move(planned.plan), std::move(target.to), std::move(target.model), count, version});
  run.run();
  for (const std::string& warning : run.warnings()) std::cerr << "warning: " << warning << "\n";
  const int cut_short = run.interrupted_by() != 0 ? 128 + run.interrupted_by() : 0;  // as shells tell of signals
  if (!run.problem().empty()) return complain(cut_short != 0 ? cut_short : failed_running, run.problem());
  const int exit_code = report(flags.places, outputs, run);
  return cut_short != 0 ? cut_short : exit_code;
}

int measure(bench_flags& flags) {
  std::signal(SIGPIPE, SIG_IGN);
  flags.options.mode = flags.is_whole ? answer_mode::whole : answer_mode::stream;
  const std::vector<std::string> wrong_lines = read_prompts(flags);
  for (const std::string& each : wrong_lines) complain(wrong_usage, each);
  if (!wrong_lines.empty()) return wrong_usage;
  auto found = find_targets(flags, process_environment());
  if (const auto* problem = std::get_if<std::string>(&found)) return complain(wrong_usage, *problem);
  auto targets = std::get<std::vector<named_target>>(std::move(found));
  for (const named_target& each : targets) warn_of_open_key(each.to);
  allow_many_connections();
  return flags.is_comparison() ? compare(flags, std::move(targets)) : measure_one(flags, std::move(targets));
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<bench_flags>();  // lives as long as the callback that CLI11 keeps
  CLI::App* bench = app.add_subcommand("bench", "Measure any OpenAI-compatible endpoint under rising load, or several "
                                                "beside each other");
  bench->add_option("URL", flags->urls, "Base URL, with #MODEL where wanted: http://127.0.0.1:7777/v1, "
                                        "https://api.groq.com/openai/v1#openai/gpt-oss-120b; several are compared")
      ->required();
  add_bench_options(*bench, *flags);
  bench->footer("Prints percentiles by level; of several URLs or --input-tokens a scorecard: speed beside price, and "
                "who is fastest. docs/bench.md says what each figure means and how others count.\n"
                "Ctrl-C ends with what has been measured. Exit code 1: no answer, or a level without one; 2: wrong "
                "usage; 130: Ctrl-C.");
  bench->callback([flags, &exit_code] { exit_code = measure(*flags); });
}

}  // namespace photofinish::gateway
