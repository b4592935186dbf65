#include "gateway/commands/bench/compare.hpp"

#include "gateway/bench/load/endpoint.hpp"
#include "gateway/bench/scorecard/card_table.hpp"
#include "gateway/bench/scorecard/comparison_run.hpp"
#include "gateway/bench/scorecard/traffic_forecast.hpp"
#include "gateway/process/process_environment.hpp"
#include "gateway/process/version.hpp"
#include "proxy/dialects/provider_head.hpp"
#include "proxy/fetch.hpp"
#include "proxy/providers/url.hpp"
#include "proxy/tokens/byte_pairs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <random>
#include <string_view>
#include <utility>
#include <variant>

namespace photofinish::gateway {

using namespace bench;

namespace {

// Sets the prices that the user gave, one for each endpoint. Returns an error text, or an empty text.
std::string add_prices(const bench_flags& flags, std::vector<compared_endpoint>& endpoints) {
  const std::size_t count = endpoints.size();
  std::string problem = wrong_count("--price-in", flags.prices_in.size(), count);
  if (problem.empty()) problem = wrong_count("--price-out", flags.prices_out.size(), count);
  if (problem.empty()) problem = wrong_count("--price-cached", flags.prices_cached.size(), count);
  for (const auto* prices : {&flags.prices_in, &flags.prices_out, &flags.prices_cached})
    for (const double price : *prices)
      if (!(price >= 0)) problem = "--price-in, --price-out, --price-cached: must be a non-negative amount in USD";
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

std::vector<series_figures> series_of(const scorecard& card) {
  std::vector<series_figures> all;
  for (const card_cell& cell : card.cells)
    all.push_back(figures_of(size_name(card.plan.input_tokens[cell.size]), letter_of(cell.endpoint), cell.report));
  return all;
}

// Returns the total cost at the endpoints whose price is known.
std::optional<double> cost_of(const scorecard& card) {
  std::optional<double> all;
  for (const card_endpoint& each : card.endpoints)
    if (each.cost_usd) all = all.value_or(0) + *each.cost_usd;
  return all;
}

void show_card(const output_places& places, bench_outputs& outputs, const comparison_run& run, bench_outcome& outcome) {
  std::ostream& out = places.take_stdout() ? std::cerr : std::cout;
  out << write_card_table(run.card());
  if (!outputs.write(written(run))) return;
  outcome.has_report = true;
  if (!places.folder.empty()) out << "\nwritten to " << places.folder << ": bench.html, bench.json, bench.csv\n";
  outcome.exit_code = has_silent_endpoint(run.card()) ? bench_failed : 0;
}

constexpr std::chrono::seconds traffic_patience{15};
constexpr std::size_t max_page_bytes = 16u << 20;

struct traffic_result {
  std::optional<own_traffic> found;  // the gateway's traffic; empty if no forecast is requested
  std::string problem;
};

traffic_result trouble(const std::string& url, const std::string& what) {
  return {std::nullopt, "--forecast: " + url + " " + what};
}

// Requests a gateway's usage for --forecast, before the measurement begins. Waits for the answer for
// at most 15 seconds.
traffic_result ask_traffic(const bench_flags& flags) {
  if (flags.forecast_url.empty()) return {};
  const environment machine = process_environment();
  std::string key;
  if (!flags.forecast_key_variable.empty()) {
    const auto value = machine.variable(flags.forecast_key_variable);
    if (!value)
      return {std::nullopt, "--forecast-key-env: the variable " + flags.forecast_key_variable + " is not set"};
    key = *value;
  }
  auto found = find_endpoint(flags.forecast_url, key, machine);
  if (auto* problem = std::get_if<std::string>(&found)) return {std::nullopt, "--forecast: " + *problem};
  const endpoint gateway = std::get<endpoint>(std::move(found));
  const std::string url = proxy::to_string(gateway.provider.url);
  constexpr std::array<proxy::header_field, 1> own_fields{{{"accept", "application/json"}}};
  proxy::fetch_request request;
  // This request to the gateway names no period. Therefore the gateway reports its traffic of the last 30 days.
  request.head = proxy::provider_head(gateway.provider, gateway.key, "/usage?group_by=model", own_fields);
  request.head.method = "GET";
  request.patience = traffic_patience;
  request.max_body = max_page_bytes;
  const auto answer = proxy::fetch_alone(gateway.provider.url, std::move(request));
  if (!answer) return trouble(url, "gave no answer: " + answer.error().detail);
  if (answer->head.status == 401 || answer->head.status == 403)
    return trouble(url, "rejected the key; give a valid key with --forecast-key-env");
  if (answer->head.status != 200)
    return trouble(url, "answered GET /v1/usage with HTTP " + std::to_string(answer->head.status) + "");
  auto traffic = read_traffic(answer->body, std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
  if (const auto* problem = std::get_if<std::string>(&traffic)) return trouble(url, *problem);
  return {std::get<own_traffic>(traffic), {}};
}

}  // namespace

bench_outcome compare(const bench_flags& flags, std::vector<named_target> targets) {
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
  if (!planned.problems.empty()) return wrong_usage(planned.problems);
  traffic_result traffic = ask_traffic(flags);
  if (!traffic.problem.empty()) {
    std::cerr << "error: " << traffic.problem << "\n";
    return {.exit_code = bench_failed};
  }
  const auto count = [](std::string_view text) { return proxy::count_tokens(text); };
  comparison_run run({std::move(planned.plan), std::move(endpoints), count, version, traffic.found});
  run.run();
  for (const std::string& warning : run.warnings()) std::cerr << "warning: " << warning << "\n";
  for (const std::string& problem : run.problems()) std::cerr << "error: " << problem << "\n";
  bench_outcome outcome{.exit_code = bench_failed, .interrupted_by = run.interrupted_by()};
  if (!run.problems().empty()) return outcome;
  outcome.cost_usd = cost_of(run.card());
  outcome.figures = series_of(run.card());
  show_card(flags.places, outputs, run, outcome);
  return outcome;
}

}  // namespace photofinish::gateway
