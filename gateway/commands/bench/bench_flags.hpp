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
  std::vector<std::string> urls;           // the endpoints, each as URL or URL#model
  // The names of variables that contain API keys: one for all URLs, or one for each URL. The name "-" means the default
  // variable.
  std::vector<std::string> key_variables;
  std::vector<std::size_t> input_tokens;   // the prompt sizes; if empty, the bench uses its default sizes
  std::vector<double> prices_in, prices_out, prices_cached;  // one price for each URL; empty if the user gave none
  std::string prompts_file;
  // The URL of a gateway whose traffic the forecast uses. If it is empty, there is no forecast.
  std::string forecast_url, forecast_key_variable;
  std::string every, total;                // the interval and the total time of a schedule; if empty, there is one run
  bool is_whole = false;
  output_places places;

  // True if the result is a scorecard of several endpoints or input sizes. False if the result is a load curve of one
  // endpoint.
  bool is_comparison() const { return urls.size() > 1 || input_tokens.size() > 1 || !forecast_url.empty(); }
  bool is_scheduled() const { return !every.empty() || !total.empty(); }
};

// Reads the file of --prompts into the flags. Returns the texts of all errors, each with its line in the file.
std::vector<std::string> read_prompts(bench_flags& flags);

void add_bench_options(CLI::App& bench, bench_flags& flags);  // `flags` must outlive `bench`

}  // namespace photofinish::gateway
