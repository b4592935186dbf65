#include "gateway/bench/knee.hpp"

#include "gateway/bench/number_text.hpp"

#include <algorithm>
#include <numeric>

namespace photofinish::gateway::bench {
namespace {

// Limits for the wait under load, as multiples of the wait at the lowest load. If the median exceeds its limit, every
// user notices the longer wait. If the 95th percentile exceeds its limit, one user in twenty notices it. A load level
// has only 20 requests by default, so smaller increases may be chance.
constexpr double most_p50_growth = 1.5;
constexpr double most_p95_growth = 2;
// The smallest increase of the wait that counts, in milliseconds. If answers begin within a few milliseconds, users
// hardly notice a wait that is twice as long. Such a small increase is often noise.
constexpr double least_growth_ms = 20;
// The speed counts as unchanged if it is at least this share of the speed at the lowest load. The live page uses the
// same limit.
constexpr double least_speed_share = 0.8;
constexpr std::size_t enough_for_p95 = 20;   // below this number of samples, the slowest is the 95th percentile
constexpr double most_failed_percent = 1;
constexpr std::size_t chance_failures = 1;   // a single failed request may be chance and does not count, unless all
                                             // requests failed

double load_of(const level_report& level) {
  return level.level.rate.value_or(static_cast<double>(level.level.concurrency));
}

bool is_whole(const level_report& level) {
  return level.end == level_end::complete || level.end == level_end::duration;
}

const distribution* spread_of(const level_report& level, std::string_view tag) {
  const metric* found = level.find(tag);
  return found && found->spread ? &*found->spread : nullptr;
}

// Returns the name of the figure that measures the wait: the time to the first token, or the time to the whole answer
// if answers are not streamed.
std::string_view wait_of(const level_report& lowest) {
  return spread_of(lowest, "time_to_first_token") ? "time_to_first_token" : "request_latency";
}

void add_failures(const level_report& level, std::vector<knee_reason>& into) {
  const std::size_t ended = level.succeeded + level.failed;
  if (level.failed == 0 || (level.failed <= chance_failures && level.succeeded > 0)) return;
  const double percent = 100 * static_cast<double>(level.failed) / static_cast<double>(ended);
  if (percent > most_failed_percent)
    into.push_back({.tag = "request_error_rate", .statistic = "", .unit = "%", .value = percent,
                    .limit = most_failed_percent, .at_lowest_load = {}});
}

void add_wait(const level_report& level, const level_report& lowest, std::vector<knee_reason>& into) {
  const std::string_view tag = wait_of(lowest);
  const distribution* here = spread_of(level, tag);
  const distribution* there = spread_of(lowest, tag);
  if (!here || !there) return;
  const auto compare = [&](std::string_view name, double value, double before, double growth) {
    const double limit = std::max(before * growth, before + least_growth_ms);
    if (value > limit)
      into.push_back({.tag = tag, .statistic = name, .unit = "ms", .value = value, .limit = limit,
                      .at_lowest_load = before});
  };
  compare("p50", here->p50, there->p50, most_p50_growth);
  if (std::min(here->count, there->count) >= enough_for_p95) compare("p95", here->p95, there->p95, most_p95_growth);
}

void add_speed(const level_report& level, const level_report& lowest, std::vector<knee_reason>& into) {
  constexpr std::string_view tag = "output_token_throughput_per_user";
  const distribution* here = spread_of(level, tag);
  const distribution* there = spread_of(lowest, tag);
  if (!here || !there || here->p50 >= there->p50 * least_speed_share) return;
  into.push_back({.tag = tag, .statistic = "p50", .unit = figure_of(figure_id::output_token_throughput_per_user).unit,
                  .value = here->p50, .limit = there->p50 * least_speed_share, .at_lowest_load = there->p50});
}

std::vector<knee_reason> reasons_of(const level_report& level, const level_report& lowest) {
  std::vector<knee_reason> reasons;
  add_failures(level, reasons);
  add_wait(level, lowest, reasons);
  add_speed(level, lowest, reasons);
  return reasons;
}

std::string reason_words(const knee_reason& why, const std::string& lowest_name) {
  if (why.tag == "request_error_rate") return number_text(why.value) + " % of the requests fail";
  const bool is_speed = why.tag == "output_token_throughput_per_user";
  const std::string name = is_speed ? "tok/s per user" : why.tag == "request_latency" ? "latency" : "TTFT";
  const std::string unit = is_speed ? "" : " " + std::string(why.unit);
  std::string text = name + " " + std::string(why.statistic) + " is " + number_text(why.value) + unit;
  if (why.at_lowest_load) text += " (" + number_text(*why.at_lowest_load) + unit + " at " + lowest_name + ")";
  return text;
}

std::string all_reasons(const knee& found, const std::string& lowest_name) {
  std::string text;
  for (const knee_reason& each : found.reasons)
    text += (text.empty() ? "" : ", ") + reason_words(each, lowest_name);
  return text;
}

}  // namespace

knee knee_of(std::span<const level_report> levels) {
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto says_nothing = [&](std::size_t i) {
    return !is_whole(levels[i]) || levels[i].succeeded + levels[i].failed == 0;
  };
  std::erase_if(order, says_nothing);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return load_of(levels[a]) < load_of(levels[b]); });
  knee found;
  if (order.size() < 2) return found;
  const std::size_t lowest = order.front();
  found.lowest_load = lowest;
  for (const std::size_t i : order) {
    std::vector<knee_reason> reasons = reasons_of(levels[i], levels[lowest]);
    if (!found.bends_at && reasons.empty()) found.keeps_up_at = i;
    else if (!found.bends_at) found.bends_at = i, found.reasons = std::move(reasons);
    else if (reasons.empty()) found.kept_up_again_at = i;
  }
  if (!found.bends_at) found.state = knee_state::not_reached;
  else found.state = found.keeps_up_at ? knee_state::found : knee_state::at_lowest;
  return found;
}

std::string words_of(const knee& found, std::span<const level_report> levels) {
  if (found.state == knee_state::unknown)
    return "knee: unknown, because fewer than two load levels were measured completely";
  const std::string lowest = levels[*found.lowest_load].level.name();
  if (found.state == knee_state::not_reached)
    return "knee: not reached; at " + levels[*found.keeps_up_at].level.name() +
           ", the waiting times, the speed and the error rate are still close to their values at " + lowest;
  std::string text = found.state == knee_state::at_lowest
                         ? "knee: below the lowest measured load, " + lowest + ": "
                         : "knee: the endpoint keeps up with loads up to " + levels[*found.keeps_up_at].level.name() +
                               "; at " + levels[*found.bends_at].level.name() + " ";
  text += all_reasons(found, lowest);
  if (found.kept_up_again_at)
    text += ". But the endpoint kept up again at " +
            levels[*found.kept_up_again_at].level.name() + ": measure again with a larger --requests value";
  return text;
}

}  // namespace photofinish::gateway::bench
