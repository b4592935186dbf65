#include "gateway/bench/plan.hpp"

#include "gateway/probes/prompt.hpp"
#include "gateway/config/yaml/units.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/decimal_text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <variant>

namespace photofinish::gateway::bench {
namespace {

constexpr std::size_t default_levels[] = {1, 10, 25, 50};
constexpr std::size_t max_concurrency = 10'000;
constexpr double max_rate = 100'000;
// The largest number of concurrent requests if --concurrency is not given.
constexpr std::size_t open_loop_limit = 1000;
constexpr double max_replay_speed = 1000;
constexpr std::size_t max_input_tokens = 1'000'000;

// Returns the default number of requests: enough for a median at each level, and for a 95th percentile at levels with
// high load.
std::size_t default_requests(const load_level& level) {
  return std::max<std::size_t>(20, level.is_open() ? 100 : 5 * level.concurrency);
}

std::size_t default_warmup(const load_level& level) {
  constexpr std::size_t open_loop_warmup = 5;
  return level.is_open() ? open_loop_warmup : level.concurrency;
}

// Converts an option's value to JSON. Valid JSON such as true, 3, "text" and objects stays unchanged. Any other text
// becomes a string.
std::string json_of(std::string_view text) {
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(text);
  const bool is_json = parser.parse(padded).error() == simdjson::SUCCESS;
  return is_json && !text.empty() ? std::string(text) : proxy::json_quote(text);
}

std::optional<proxy::model_prices> prices_of(const bench_spending& spending) {
  if (!spending.price_in || !spending.price_out) return std::nullopt;
  proxy::price each{.input = {*spending.price_in, {}}, .output = {*spending.price_out, {}}};
  if (spending.price_cached) each.cached_input = proxy::token_rate{*spending.price_cached, {}};
  return proxy::model_prices{{each}};
}

class planner {
 public:
  planner(const bench_options& options, plan_result& into) : options_(options), plan_(into.plan), into_(into) {}

  void plan(std::uint64_t fresh_seed) {
    plan_.mode = options_.mode;
    plan_.seed = plan_.order_seed = options_.seed.value_or(fresh_seed);
    plan_times();
    plan_prompts();
    plan_levels();
    plan_request();
    plan_spending();
    auto limits = parse_goodput(options_.goodput);
    if (auto* problem = std::get_if<std::string>(&limits)) complain(std::move(*problem));
    else plan_.goodput = std::get<std::vector<goodput_limit>>(std::move(limits));
  }

 private:
  void complain(std::string problem) { into_.problems.push_back(std::move(problem)); }

  std::optional<std::chrono::microseconds> duration_of(const char* option, const std::string& text) {
    const auto duration = parse_duration(text);
    if (duration && duration->count() > 0) return duration;
    complain(std::string(option) + ": '" + text + "' is not a duration; write it as 30s, 500ms or 2m");
    return std::nullopt;
  }

  void plan_times() {
    plan_.timeout = duration_of("--timeout", options_.timeout).value_or(std::chrono::minutes(2));
    if (!options_.duration.empty()) plan_.duration = duration_of("--duration", options_.duration);
    if (options_.arrivals == "poisson") plan_.arrivals = arrival_pattern::poisson;
    else if (options_.arrivals == "constant") plan_.arrivals = arrival_pattern::constant;
    else complain("--arrivals: must be poisson or constant, not '" + options_.arrivals + "'");
  }

  void plan_prompts() {
    plan_.prompts = options_.prompts;
    if (options_.order == "shuffle") plan_.order = prompt_order::shuffled;
    else if (options_.order != "file")
      complain("--prompt-order: must be file or shuffle, not '" + options_.order + "'");
    if (plan_.order == prompt_order::shuffled && is_replay())
      complain("--prompt-order: prompts with timestamps are always sent in the order of the file");
    if (!options_.replay_speed) return;
    if (!is_replay())
      complain("--replay-speed: needs a --prompts file with timestamps, and cannot be combined with --rate");
    if (!(*options_.replay_speed > 0) || *options_.replay_speed > max_replay_speed)
      complain("--replay-speed: must be above 0 and at most 1000");
  }

  // Returns true if the prompts have times and are replayed at these times. If the user gives --rate, the times are
  // ignored.
  bool is_replay() const { return options_.prompts && options_.prompts->has_times() && options_.rates.empty(); }

  void plan_replay() {
    if (options_.concurrency.size() > 1)
      return complain("--prompts: a file with timestamps allows only one --concurrency value, the maximum number of "
                      "concurrent requests");
    const std::size_t lines = options_.prompts->prompts.size();
    if (options_.requests.value_or(0) > lines)
      return complain("--requests: must be at most the number of requests in the --prompts file, which is " +
                      std::to_string(lines));
    add_level({.concurrency = options_.concurrency.empty() ? open_loop_limit : options_.concurrency.front(),
               .replay_speed = options_.replay_speed.value_or(1)});
  }

  void plan_levels() {
    for (const std::size_t each : options_.concurrency)
      if (each < 1 || each > max_concurrency)
        complain("--concurrency: must be from 1 to 10000, not " + std::to_string(each));
    for (const double each : options_.rates)
      if (!(each > 0) || each > max_rate) complain("--rate: must be above 0 and at most 100000 requests a second");
    if (options_.requests == std::size_t{0}) complain("--requests: must be at least 1");
    if (is_replay()) return plan_replay();
    if (options_.rates.empty()) return plan_closed_loop();
    if (options_.concurrency.size() > 1)
      return complain("--rate: allows only one --concurrency value, the maximum number of concurrent requests");
    const std::size_t limit = options_.concurrency.empty() ? open_loop_limit : options_.concurrency.front();
    for (const double rate : options_.rates) add_level({.concurrency = limit, .rate = rate});
  }

  // Plans the levels of a closed loop. Each level needs at least as many requests as its concurrency, because otherwise
  // the load would not reach this concurrency. If the user requested a level with too few requests, the plan reports an
  // error. If it is a default level, the plan omits the level.
  void plan_closed_loop() {
    const std::size_t most = options_.requests.value_or(max_concurrency);
    for (const std::size_t each : options_.concurrency) {
      if (each <= most || most == 0) add_level({.concurrency = each});
      else if (each <= max_concurrency)
        complain("--requests: " + std::to_string(most) + " is too small to keep " + std::to_string(each) +
                 " requests running at the same time; raise --requests to " + std::to_string(each) +
                 " or more, or lower --concurrency");
    }
    if (!options_.concurrency.empty()) return;
    for (const std::size_t each : default_levels)
      if (each <= most) add_level({.concurrency = each});
  }

  void add_level(load_level level) {
    level.requests = options_.requests;
    if (!level.requests && options_.prompts && (level.replay_speed || options_.duration.empty()))
      level.requests = std::max(options_.prompts->prompts.size(), level.is_open() ? 0 : level.concurrency);
    if (!level.requests && options_.duration.empty()) level.requests = default_requests(level);
    level.warmup = options_.warmup.value_or(default_warmup(level));
    plan_.levels.push_back(level);
  }

  void plan_request() {
    plan_.input_tokens = options_.input_tokens;
    plan_.max_tokens = options_.max_tokens;
    if (options_.input_tokens < min_prompt_tokens || options_.input_tokens > max_input_tokens)
      complain("--input-tokens: must be from " + std::to_string(min_prompt_tokens) +
               " to 1000000; shorter prompts are not unique");
    if (options_.max_tokens < 1) complain("--max-tokens: must be at least 1");
    for (const std::string& each : options_.headers) add_header(each);
    for (const std::string& each : options_.extra_inputs) add_extra(each);
  }

  // Reads an additional header. Error messages leave out the header's value, because the value may be a key.
  void add_header(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = std::string_view(text).substr(0, colon);
    const bool has_break = text.find_first_of("\r\n") != std::string::npos;
    if (colon == std::string::npos || !proxy::is_token(name) || has_break)
      return complain("--header: must be written as 'Name: value'");
    plan_.headers.emplace_back(name, proxy::trim_space(std::string_view(text).substr(colon + 1)));
  }

  void add_extra(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    if (colon == std::string::npos || name.empty())
      return complain("--extra-inputs: '" + text + "' is not NAME:VALUE, such as ignore_eos:true");
    for (const char* own : {"model", "messages", "stream", "stream_options"})
      if (name == own)
        return complain("--extra-inputs: '" + name + "' is not allowed, because the bench itself sets this member");
    plan_.extra_members.emplace_back(name, json_of(std::string_view(text).substr(colon + 1)));
  }

  void plan_spending() {
    spend_limits& limits = plan_.spending;
    const bench_spending& asked = options_.spending;
    limits.max_tokens = asked.max_tokens;
    limits.max_cost_usd = asked.max_cost;
    limits.prices = prices_of(asked);
    const auto is_wrong = [](const std::optional<double>& price) { return price && !(*price >= 0); };
    if (is_wrong(asked.price_in) || is_wrong(asked.price_out) || is_wrong(asked.price_cached) ||
        is_wrong(asked.max_cost))
      complain("--price-in, --price-out, --price-cached, --max-cost: must be a non-negative amount in USD");
    if (asked.price_in.has_value() != asked.price_out.has_value())
      complain("--price-in and --price-out: give both, or neither");
    else if (asked.price_cached && !limits.prices)
      complain("--price-cached: needs --price-in and --price-out");
    else if (asked.max_cost && !limits.prices)
      complain("--max-cost: needs prices; give --price-in and --price-out, in USD per million tokens, or cap the "
               "tokens with --max-tokens-total");
  }

  const bench_options& options_;
  bench_plan& plan_;
  plan_result& into_;
};

}  // namespace

std::string load_level::name() const {
  if (!is_open()) return "concurrency " + std::to_string(concurrency);
  return rate ? "rate " + proxy::short_text(*rate, 6) + "/s" : "replay at speed " + proxy::short_text(*replay_speed, 6);
}

plan_result make_plan(const bench_options& options, std::uint64_t fresh_seed) {
  plan_result result;
  planner(options, result).plan(fresh_seed);
  return result;
}

std::chrono::nanoseconds arrival_clock::next() {
  const double gap = pattern_ == arrival_pattern::poisson ? draw_.exponential(mean_seconds_) : mean_seconds_;
  const double due = std::exchange(next_seconds_, next_seconds_ + gap);
  return std::chrono::nanoseconds(std::llround(due * 1e9));
}

}  // namespace photofinish::gateway::bench
