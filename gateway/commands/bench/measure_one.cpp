#include "gateway/commands/bench/measure_one.hpp"

#include "gateway/bench/load/bench_run.hpp"
#include "gateway/bench/report/table_report.hpp"
#include "gateway/bench/scorecard/comparison_plan.hpp"
#include "gateway/process/version.hpp"
#include "proxy/tokens/byte_pairs.hpp"

#include <algorithm>
#include <iostream>
#include <random>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

using namespace bench;

namespace {

// Reads the prices for the single URL. At most one price of each kind may be given.
std::vector<std::string> take_prices(const bench_flags& flags, bench_options& options) {
  std::vector<std::string> problems;
  const auto take = [&](const char* option, const std::vector<double>& given, std::optional<double>& into) {
    if (given.size() == 1) into = given.front();
    if (std::string problem = wrong_count(option, given.size(), 1); !problem.empty())
      problems.push_back(std::move(problem));
  };
  take("--price-in", flags.prices_in, options.spending.price_in);
  take("--price-out", flags.prices_out, options.spending.price_out);
  take("--price-cached", flags.prices_cached, options.spending.price_cached);
  return problems;
}

std::vector<series_figures> series_of(const run_report& run) {
  std::vector<series_figures> all;
  for (const level_report& level : run.levels) {
    const bool is_open = level.level.is_open();
    const std::string name = is_open ? level.level.name() : std::to_string(level.level.concurrency);
    all.push_back(figures_of(is_open ? "by load" : "by concurrency", name, level));
  }
  return all;
}

void show(const output_places& places, bench_outputs& outputs, const bench_run& run, bench_outcome& outcome) {
  std::ostream& out = places.take_stdout() ? std::cerr : std::cout;
  out << run.report().url << ", " << run.report().model << "\n\n" << write_table(run.report());
  outcome.exit_code = bench_failed;
  if (!outputs.write(written(run))) return;
  outcome.has_report = true;
  if (!places.folder.empty()) out << "\nwritten to " << places.folder << ": bench.html, bench.json, bench.csv\n";
  const auto& levels = run.report().levels;
  const bool has_dead_level = std::any_of(levels.begin(), levels.end(), [](const level_report& each) {
    return each.succeeded == 0 && each.failed > 0;
  });
  outcome.exit_code = levels.empty() || has_dead_level ? bench_failed : 0;
}

}  // namespace

bench_outcome measure_one(const bench_flags& flags, named_target target) {
  bench_options options = flags.options;
  const std::vector<std::string> wrong_prices = take_prices(flags, options);
  if (!wrong_prices.empty()) return wrong_usage(wrong_prices);
  if (!flags.input_tokens.empty()) options.input_tokens = flags.input_tokens.front();
  plan_result planned = make_plan(options, std::random_device{}());
  if (!planned.problems.empty()) return wrong_usage(planned.problems);
  for (const auto& header : planned.plan.headers) target.to.provider.headers.push_back(header);
  bench_outputs outputs(flags.places);
  if (const std::string problem = outputs.open(); !problem.empty()) return wrong_usage({problem});
  const auto count = [](std::string_view text) { return proxy::count_tokens(text); };
  bench_run run({std::move(planned.plan), std::move(target.to), std::move(target.model), count, version});
  run.run();
  for (const std::string& warning : run.warnings()) std::cerr << "warning: " << warning << "\n";
  bench_outcome outcome{.exit_code = bench_failed, .interrupted_by = run.interrupted_by()};
  if (!run.problem().empty()) {
    std::cerr << "error: " << run.problem() << "\n";
    return outcome;
  }
  outcome.cost_usd = run.report().cost_usd;
  outcome.figures = series_of(run.report());
  show(flags.places, outputs, run, outcome);
  return outcome;
}

}  // namespace photofinish::gateway
