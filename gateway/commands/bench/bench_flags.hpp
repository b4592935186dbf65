// The options of `photofinish bench`, as the user typed them.
#pragma once

#include "gateway/bench/options.hpp"
#include "gateway/commands/bench/bench_outputs.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct bench_flags {
  bench::bench_options options;
  std::vector<std::string> urls;           // each is URL or URL#model
  std::vector<std::string> key_variables;  // one, or one for each URL; "-": the default
  std::vector<std::size_t> input_tokens;   // empty: the default sizes
  std::vector<double> prices_in, prices_out, prices_cached;  // empty, or one price for each URL
  std::string prompts_file;
  std::string forecast_url, forecast_key_variable;  // a gateway whose traffic the forecast uses; empty: no forecast
  std::string every, total;                // the interval and total time of a schedule; empty: one run
  bool is_whole = false;
  output_places places;

  // True if the result is a scorecard, false if it is the curve of one endpoint over its load.
  bool is_comparison() const { return urls.size() > 1 || input_tokens.size() > 1 || !forecast_url.empty(); }
  bool is_scheduled() const { return !every.empty() || !total.empty(); }
};

// Reads the file of --prompts into the options. Returns the errors line by line; empty: none.
std::vector<std::string> read_prompts(bench_flags& flags);

void add_bench_options(CLI::App& bench, bench_flags& flags);  // `flags` must live as long as `bench`

}  // namespace photofinish::gateway
