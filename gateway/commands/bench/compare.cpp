#include "gateway/commands/bench/compare.hpp"

#include "gateway/bench/scorecard/card_table.hpp"
#include "gateway/bench/scorecard/comparison_run.hpp"
#include "gateway/process/version.hpp"
#include "proxy/tokens/byte_pairs.hpp"

#include <algorithm>
#include <iostream>
#include <random>
#include <utility>

namespace photofinish::gateway {

using namespace bench;

namespace {

constexpr int no_answer = 1;
constexpr int usage_error = 2;

// Prices that were given, one for each endpoint; or what is wrong.
std::string add_prices(const bench_flags& flags, std::vector<compared_endpoint>& endpoints) {
  const std::size_t count = endpoints.size();
  std::string problem = wrong_count("--price-in", flags.prices_in.size(), count);
  if (problem.empty()) problem = wrong_count("--price-out", flags.prices_out.size(), count);
  if (problem.empty()) problem = wrong_count("--price-cached", flags.prices_cached.size(), count);
  for (const auto* prices : {&flags.prices_in, &flags.prices_out, &flags.prices_cached})
    for (const double price : *prices)
      if (!(price >= 0)) problem = "--price-in, --price-out, --price-cached: must be an amount in USD, not below 0";
  if (flags.prices_in.size() != flags.prices_out.size()) problem = "--price-in and --price-out: give both, or neither";
  if (!flags.prices_cached.empty() && flags.prices_in.empty())
    problem = "--price-cached: needs --price-in and --price-out";
  if (!problem.empty() || flags.prices_in.empty()) return problem;
  for (std::size_t i = 0; i < count; ++i) {
    proxy::price each{.input = {flags.prices_in[i], {}}, .output = {flags.prices_out[i], {}}};
    if (!flags.prices_cached.empty()) each.cached_input = proxy::token_rate{flags.prices_cached[i], {}};
    endpoints[i].prices = proxy::model_prices{{each}};
  }
  return {};
}

bool has_silent_endpoint(const scorecard& card) {
  for (std::size_t i = 0; i < card.endpoints.size(); ++i) {
    const bool is_silent = std::none_of(card.cells.begin(), card.cells.end(), [i](const card_cell& each) {
      return each.endpoint == i && each.report.succeeded > 0;
    });
    if (is_silent) return true;
  }
  return false;
}

int show(const bench_flags& flags, bench_outputs& outputs, const comparison_run& run) {
  const output_places& places = flags.places;
  std::ostream& out = places.take_stdout() ? std::cerr : std::cout;
  out << write_card_table(run.card());
  if (!outputs.write(written(run))) return no_answer;
  if (!places.folder.empty()) out << "\nwritten to " << places.folder << ": bench.html, bench.json, bench.csv\n";
  return has_silent_endpoint(run.card()) ? no_answer : 0;
}

}  // namespace

int compare(const bench_flags& flags, std::vector<named_target> targets) {
  std::vector<std::size_t> sizes = flags.input_tokens;
  if (sizes.empty()) sizes = {flags.options.input_tokens};
  comparison_result planned = make_comparison(flags.options, sizes, targets.size(), std::random_device{}());
  std::vector<compared_endpoint> endpoints;
  for (named_target& each : targets) {
    for (const auto& header : planned.plan.common.headers) each.to.provider.headers.push_back(header);
    endpoints.push_back({std::move(each.to), std::move(each.model), {}});
  }
  if (std::string problem = add_prices(flags, endpoints); !problem.empty())
    planned.problems.push_back(std::move(problem));
  bench_outputs outputs(flags.places);
  if (planned.problems.empty())
    if (std::string problem = outputs.open(); !problem.empty()) planned.problems.push_back(std::move(problem));
  for (const std::string& problem : planned.problems) std::cerr << "error: " << problem << "\n";
  if (!planned.problems.empty()) return usage_error;
  const auto count = [](std::string_view text) { return proxy::count_tokens(text); };
  comparison_run run({std::move(planned.plan), std::move(endpoints), count, version});
  run.run();
  for (const std::string& warning : run.warnings()) std::cerr << "warning: " << warning << "\n";
  const int cut_short = run.interrupted_by() != 0 ? 128 + run.interrupted_by() : 0;
  for (const std::string& problem : run.problems()) std::cerr << "error: " << problem << "\n";
  if (!run.problems().empty()) return cut_short != 0 ? cut_short : no_answer;
  const int exit_code = show(flags, outputs, run);
  return cut_short != 0 ? cut_short : exit_code;
}

}  // namespace photofinish::gateway
