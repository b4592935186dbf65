#include "gateway/commands/bench.hpp"

#include "gateway/bench/load/bench_run.hpp"
#include "gateway/bench/report/table_report.hpp"
#include "gateway/commands/bench_outputs.hpp"
#include "gateway/process/process_environment.hpp"
#include "gateway/process/version.hpp"
#include "proxy/providers/url.hpp"
#include "proxy/tokens/byte_pairs.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <variant>

namespace photofinish::gateway {
namespace {

using namespace bench;

struct bench_flags {
  bench_options options;
  std::string key_variable;
  bool is_whole = false;
  output_places places;
};

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
  if (!outputs.write(run)) return failed_running;
  if (!places.folder.empty()) out << "\nwritten to " << places.folder << ": bench.html, bench.json, bench.csv\n";
  const auto& levels = run.report().levels;
  const bool has_dead_level = std::any_of(levels.begin(), levels.end(), [](const level_report& each) {
    return each.succeeded == 0 && each.failed > 0;
  });
  return levels.empty() || has_dead_level ? failed_running : 0;
}

void warn_of_open_key(const endpoint& to) {
  if (!to.key.empty() && !to.provider.url.is_tls && !proxy::is_loopback(to.provider.url.host))
    std::cerr << "warning: the key goes to " << to.provider.url.host << " over plain http\n";
}

int measure(bench_flags& flags) {
  std::signal(SIGPIPE, SIG_IGN);
  const environment machine = process_environment();
  if (!flags.key_variable.empty()) {
    const auto key = machine.variable(flags.key_variable);
    if (!key) return complain(wrong_usage, "--api-key-env: the variable " + flags.key_variable + " is not set");
    flags.options.api_key = *key;
  }
  flags.options.mode = flags.is_whole ? answer_mode::whole : answer_mode::stream;
  plan_result planned = make_plan(flags.options, std::random_device{}());
  for (const std::string& problem : planned.problems) complain(wrong_usage, problem);
  if (!planned.problems.empty()) return wrong_usage;
  auto found = find_endpoint(flags.options.url, flags.options.api_key, machine);
  if (const auto* problem = std::get_if<std::string>(&found)) return complain(wrong_usage, *problem);
  endpoint to = std::get<endpoint>(std::move(found));
  if (!flags.key_variable.empty()) to.key_origin = flags.key_variable;
  for (const auto& header : planned.plan.headers) to.provider.headers.push_back(header);
  warn_of_open_key(to);
  bench_outputs outputs(flags.places);
  if (const std::string problem = outputs.open(); !problem.empty()) return complain(wrong_usage, problem);
  allow_many_connections();
  const auto count = [](std::string_view text) { return proxy::count_tokens(text); };
  bench_run run({std::move(planned.plan), std::move(to), flags.options.model, count, version});
  run.run();
  for (const std::string& warning : run.warnings()) std::cerr << "warning: " << warning << "\n";
  const int cut_short = run.interrupted_by() != 0 ? 128 + run.interrupted_by() : 0;  // as shells tell of signals
  if (!run.problem().empty()) return complain(cut_short != 0 ? cut_short : failed_running, run.problem());
  const int exit_code = report(flags.places, outputs, run);
  return cut_short != 0 ? cut_short : exit_code;
}

void add_load_options(CLI::App& bench, bench_options& options) {
  const char* load = "Load";
  bench.add_option("--concurrency,-c", options.concurrency,
                   "Requests kept running, one level each (default 1,10,25,50)")
      ->delimiter(',')->allow_extra_args(false)->type_name("N,...")->group(load);
  bench.add_option("--rate", options.rates, "Open loop: requests per second, whatever comes back, one level each")
      ->delimiter(',')->allow_extra_args(false)->type_name("R,...")->group(load);
  bench.add_option("--arrivals", options.arrivals, "Of an open loop: poisson or constant")
      ->capture_default_str()->type_name("PATTERN")->group(load);
  bench.add_option("--requests,-n", options.requests, "Requests per level (default 5 x concurrency, at least 20; "
                                                      "open loop 100)")
      ->type_name("N")->group(load);
  bench.add_option("--duration", options.duration, "Start no more requests on a level after this long")
      ->type_name("TIME")->group(load);
  bench.add_option("--warmup", options.warmup, "Requests before each level that do not count (default: as many as "
                                               "run at once; open loop 5)")
      ->type_name("N")->group(load);
  bench.add_option("--timeout", options.timeout, "Of one request")
      ->capture_default_str()->type_name("TIME")->group(load);
}

void add_request_options(CLI::App& bench, bench_flags& flags) {
  const char* request = "Request";
  bench_options& options = flags.options;
  bench.add_option("--model,-m", options.model, "Default: the first that GET /v1/models lists")->group(request);
  auto* key = bench.add_option("--api-key", options.api_key,
                               "Seen by all in the list of processes: prefer --api-key-env")
                  ->type_name("KEY")->group(request);
  bench.add_option("--api-key-env", flags.key_variable, "The variable that holds the key (default: that of a known "
                                                        "provider's URL; on loopback OPENAI_API_KEY)")
      ->type_name("VARIABLE")->excludes(key)->group(request);
  bench.add_option("--header,-H", options.headers, "Added to each request")->type_name("'NAME: VALUE'")
      ->allow_extra_args(false)->group(request);
  bench.add_option("--input-tokens,--isl", options.input_tokens, "Length of the prompts, each one unique; about")
      ->capture_default_str()->type_name("N")->group(request);
  bench.add_option("--max-tokens,--osl", options.max_tokens, "Of each answer")
      ->capture_default_str()->type_name("N")->group(request);
  bench.add_option("--extra-inputs", options.extra_inputs, "Members added to each body: ignore_eos:true, temperature:0")
      ->type_name("NAME:VALUE")->allow_extra_args(false)->group(request);
  bench.add_flag("--no-stream,!--stream", flags.is_whole, "Ask for whole answers: no TTFT, no inter-token latency")
      ->group(request);
  bench.add_option("--seed", options.seed, "Of prompts and arrivals (default: a new one each time, so that no prompt "
                                           "cache helps)")
      ->type_name("N")->group(request);
}

void add_limit_options(CLI::App& bench, bench_options& options) {
  const char* limits = "Limits";
  bench.add_option("--max-cost", options.max_cost, "Stop before the run costs more; needs the prices")
      ->type_name("USD")->group(limits);
  bench.add_option("--price-in", options.price_in, "USD per million input tokens")->type_name("USD")->group(limits);
  bench.add_option("--price-out", options.price_out, "USD per million output tokens")->type_name("USD")->group(limits);
  bench.add_option("--max-tokens-total", options.max_tokens_total, "Stop before the run uses more, in and out")
      ->type_name("N")->group(limits);
  bench.add_option("--goodput", options.goodput, "Limits of a good request, in the figures' own units: "
                                                 "'time_to_first_token:300 inter_token_latency:20'")
      ->type_name("NAME:LIMIT...")->group(limits);
}

void add_output_options(CLI::App& bench, bench_flags& flags) {
  const char* output = "Output (- is standard output)";
  bench.add_option("--output-dir,-o", flags.places.folder, "All reports, in files named as AIPerf names them")
      ->type_name("FOLDER")->group(output);
  bench.add_option("--json", flags.places.json_file, "All levels, by AIPerf's field names")
      ->type_name("FILE")->group(output);
  bench.add_option("--csv", flags.places.csv_file, "The same as rows")->type_name("FILE")->group(output);
  bench.add_option("--html", flags.places.html_file, "One self-contained page with the curves")
      ->type_name("FILE")->group(output);
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<bench_flags>();  // lives as long as the callback that CLI11 keeps
  CLI::App* bench = app.add_subcommand("bench", "Measure any OpenAI-compatible endpoint under rising load");
  bench->add_option("URL", flags->options.url, "Base URL: http://127.0.0.1:7777/v1, https://api.groq.com/openai/v1")
      ->required();
  add_load_options(*bench, flags->options);
  add_request_options(*bench, *flags);
  add_limit_options(*bench, flags->options);
  add_output_options(*bench, *flags);
  bench->footer("Prints percentiles by level. docs/bench.md says what each figure means and how others count.\n"
                "Ctrl-C ends with what has been measured. Exit code 1: no answer, or a level without one; 2: wrong "
                "usage; 130: Ctrl-C.");
  bench->callback([flags, &exit_code] { exit_code = measure(*flags); });
}

}  // namespace photofinish::gateway
