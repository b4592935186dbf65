#include "gateway/commands/bench/bench_flags.hpp"

#include "gateway/process/regular_file.hpp"

#include <memory>
#include <utility>
#include <variant>

namespace photofinish::gateway {

using namespace bench;

namespace {

void add_load_options(CLI::App& bench, bench_options& options) {
  const char* load = "Load";
  bench.add_option("--concurrency,-c", options.concurrency,
                   "Numbers of concurrent requests, one level for each (default 1,10,25,50)")
      ->delimiter(',')->allow_extra_args(false)->type_name("N,...")->group(load);
  bench.add_option("--rate", options.rates, "Open loop: request rates per second, one level for each; requests do not "
                                            "wait for earlier answers")
      ->delimiter(',')->allow_extra_args(false)->type_name("R,...")->group(load);
  bench.add_option("--arrivals", options.arrivals, "Arrivals in an open loop: poisson or constant")
      ->capture_default_str()->type_name("PATTERN")->group(load);
  bench.add_option("--requests,-n", options.requests, "Requests per level (default 5 x concurrency, at least 20; "
                                                      "open loop 100)")
      ->type_name("N")->group(load);
  bench.add_option("--duration", options.duration, "The time after which a level starts no more requests")
      ->type_name("TIME")->group(load);
  bench.add_option("--warmup", options.warmup, "Warm-up requests before each level, which are not counted (default: "
                                               "the level's concurrency; open loop 5)")
      ->type_name("N")->group(load);
  bench.add_option("--timeout", options.timeout, "The time limit of one request")
      ->capture_default_str()->type_name("TIME")->group(load);
}

void add_forecast_options(CLI::App& bench, bench_flags& flags) {
  const char* forecast = "Forecast";
  auto* url = bench.add_option("--forecast", flags.forecast_url,
                               "The URL of a photofinish gateway: shows what its traffic (GET /v1/usage) would cost "
                               "per day and month at each endpoint")
                  ->type_name("URL")->group(forecast);
  bench.add_option("--forecast-key-env", flags.forecast_key_variable,
                   "The environment variable with the access key for --forecast; the key needs admin: true")
      ->type_name("VARIABLE")->needs(url)->group(forecast);
}

void add_schedule_options(CLI::App& bench, bench_flags& flags) {
  const char* schedule = "Schedule";
  bench.add_option("--every", flags.every, "Repeat the measurement at this interval and write to --output-dir; after a "
                                           "restart, run the same command to continue")
      ->type_name("TIME")->group(schedule);
  bench.add_option("--for", flags.total, "The total time: 24h with --every 3h means eight runs, the first one "
                                         "immediately")
      ->type_name("TIME")->group(schedule);
}

void add_request_options(CLI::App& bench, bench_flags& flags) {
  const char* request = "Request";
  bench_options& options = flags.options;
  bench.add_option("--model,-m", options.model, "The model for each URL without a #model (default: the first model "
                                                "that GET /v1/models lists)")
      ->group(request);
  auto* key = bench.add_option("--api-key", options.api_key,
                               "The API key. Other users can see it in the process list; prefer --api-key-env")
                  ->type_name("KEY")->group(request);
  bench.add_option("--api-key-env", flags.key_variables,
                   "The environment variable with the API key, or one variable per URL; - means the known provider's "
                   "variable (on loopback: OPENAI_API_KEY)")
      ->delimiter(',')->allow_extra_args(false)->type_name("VARIABLE,...")->excludes(key)->group(request);
  bench.add_option("--header,-H", options.headers, "A header that is added to each request")->type_name("'NAME: VALUE'")
      ->allow_extra_args(false)->group(request);
  bench.add_option("--input-tokens,--isl", flags.input_tokens,
                   "The approximate size of each prompt in tokens (default 256); each prompt is unique. Give several "
                   "sizes to compare them: 100,1000,10000")
      ->delimiter(',')->allow_extra_args(false)->type_name("N,...")->group(request);
  bench.add_option("--prompts", flags.prompts_file,
                   "A workload of your own, JSON lines: {\"messages\": [...], \"max_tokens\": 100}, {\"prompt\": ...} "
                   "and others (docs/bench.md); lines with a timestamp (ms) are replayed with their timing")
      ->type_name("FILE")->group(request);
  bench.add_option("--prompt-order", options.order, "The order of --prompts: file or shuffle (by --seed)")
      ->capture_default_str()->type_name("ORDER")->group(request);
  bench.add_option("--replay-speed", options.replay_speed,
                   "The speed at which a trace is replayed: 2 takes half the time")
      ->type_name("X")->group(request);
  bench.add_option("--max-tokens,--osl", options.max_tokens, "The maximum number of tokens in each answer")
      ->capture_default_str()->type_name("N")->group(request);
  bench.add_option("--extra-inputs", options.extra_inputs,
                   "JSON members that are added to each request body: ignore_eos:true, temperature:0")
      ->type_name("NAME:VALUE")->allow_extra_args(false)->group(request);
  bench.add_flag("--no-stream,!--stream", flags.is_whole,
                 "Request answers without streaming; TTFT and inter-token latency are then not measured")
      ->group(request);
  bench.add_option("--seed", options.seed, "The seed of prompts and arrivals (default: a new one in each run, so that "
                                           "no prompt cache helps)")
      ->type_name("N")->group(request);
}

void add_limit_options(CLI::App& bench, bench_flags& flags) {
  const char* limits = "Limits";
  bench_options& options = flags.options;
  bench.add_option("--max-cost", options.spending.max_cost, "Stop before the run costs more than this; needs prices")
      ->type_name("USD")->group(limits);
  const auto add_price = [&](const char* option, std::vector<double>& prices, const char* what) {
    bench.add_option(option, prices, what)
        ->delimiter(',')->allow_extra_args(false)->type_name("USD,...")->group(limits);
  };
  add_price("--price-in", flags.prices_in, "USD per million input tokens, or one price per URL (default for several "
                                           "URLs: the prices in the binary)");
  add_price("--price-out", flags.prices_out, "USD per million output tokens, or one price per URL, as with --price-in");
  add_price("--price-cached", flags.prices_cached, "USD per million input tokens from the endpoint's cache (default: "
                                                   "the price of --price-in)");
  bench.add_option("--max-tokens-total", options.spending.max_tokens,
                   "Stop before the run uses more tokens than this, input and output together")
      ->type_name("N")->group(limits);
  bench.add_option("--goodput", options.goodput, "Limits that a request must meet to count as good, each in the unit "
                                                 "of its figure: 'time_to_first_token:300 inter_token_latency:20'")
      ->type_name("NAME:LIMIT...")->group(limits);
}

void add_output_options(CLI::App& bench, bench_flags& flags) {
  const char* output = "Output (- is standard output)";
  bench.add_option("--output-dir,-o", flags.places.folder, "Write all reports, with AIPerf's file names")
      ->type_name("FOLDER")->group(output);
  bench.add_option("--json", flags.places.json_file, "Write all levels as JSON, with AIPerf's field names")
      ->type_name("FILE")->group(output);
  bench.add_option("--csv", flags.places.csv_file, "Write all levels as CSV rows")->type_name("FILE")->group(output);
  bench.add_option("--html", flags.places.html_file, "Write one self-contained page with the curves")
      ->type_name("FILE")->group(output);
}

}  // namespace

std::vector<std::string> read_prompts(bench_flags& flags) {
  if (flags.prompts_file.empty()) return {};
  const std::string option = "--prompts: " + flags.prompts_file + " ";
  if (!flags.input_tokens.empty()) return {"--input-tokens: not possible with --prompts, because those prompts have "
                                           "their own lengths"};
  file_content file = read_regular_file(flags.prompts_file, max_workload_bytes);
  if (!file.problem.empty()) return {option + file.problem};
  workload_result read = read_workload(file.text);
  if (auto* problems = std::get_if<std::vector<std::string>>(&read)) {
    for (std::string& each : *problems) each.insert(0, option);
    return std::move(*problems);
  }
  flags.options.prompts = std::make_shared<const workload>(std::get<workload>(std::move(read)));
  return {};
}

void add_bench_options(CLI::App& bench, bench_flags& flags) {
  add_load_options(bench, flags.options);
  add_request_options(bench, flags);
  add_limit_options(bench, flags);
  add_output_options(bench, flags);
  add_schedule_options(bench, flags);
  add_forecast_options(bench, flags);
}

}  // namespace photofinish::gateway
