#include "tests/simulation/adaptive/measures.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace photofinish::racing {
namespace {

constexpr double ten_minutes = 600, minute = 60;

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

struct spending { double at, won, lost, attempt; };

std::vector<spending> by_time(const run_result& run) {
  std::vector<spending> all;
  for (const run_request& each : run.requests) all.push_back({each.decided, each.won_cost, each.hedge_cost, each.hedge_cost});
  std::sort(all.begin(), all.end(), [](const spending& a, const spending& b) { return a.at < b.at; });
  return all;
}

// Returns the largest sum of `lost - share x won` over any sequence of consecutive entries. No period exceeded the budget by more than this
// sum.
double most_over_of(const std::vector<spending>& all, double share) {
  double here = 0, most = 0;
  for (const spending& each : all) {
    here = std::max(0.0, here) + each.lost - share * each.won;
    most = std::max(most, here);
  }
  return most;
}

void watch_windows(const std::vector<spending>& all, run_figures& figures, double usual) {
  double won = 0, lost = 0, minute_won = 0;
  std::size_t from = 0, minute_from = 0;
  for (const spending& each : all) {
    won += each.won, lost += each.lost, minute_won += each.won;
    for (; all[from].at < each.at - ten_minutes; ++from) won -= all[from].won, lost -= all[from].lost;
    for (; all[minute_from].at < each.at - minute; ++minute_from) minute_won -= all[minute_from].won;
    if (each.at - all.front().at >= ten_minutes) figures.worst_ten_minutes = std::max(figures.worst_ten_minutes, lost / won);
    figures.minute_worth = std::max(figures.minute_worth, minute_won / usual);
    figures.largest_attempt = std::max(figures.largest_attempt, each.attempt / usual);
  }
}

template <class Enough>
std::optional<reaction> when(const run_result& run, double from, double to, std::size_t target, Enough is_enough) {
  constexpr std::size_t watched = 10;
  const auto& all = run.requests;
  const auto begin = static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [from](const run_request& each) { return each.at >= from; }) - all.begin());
  for (std::size_t last = begin + watched - 1; last < all.size() && all[last].at < to; ++last) {
    const auto there = std::count_if(all.begin() + static_cast<std::ptrdiff_t>(last + 1 - watched),
                                     all.begin() + static_cast<std::ptrdiff_t>(last + 1),
                                     [target](const run_request& each) { return each.first == target; });
    if (is_enough(static_cast<std::size_t>(there)))
      return reaction{all[last].at - from, all[last + 1 - watched].at - from, last + 1 - begin};
  }
  return std::nullopt;
}

}  // namespace

run_figures measure(const scenario& world, const run_result& run) {
  std::vector<double> seconds;
  run_figures figures;
  double won = 0, lost = 0, rescued = 0;
  for (const run_request& each : run.requests) {
    seconds.push_back(world.sort == target_sort::finish ? each.total : each.first_token);
    won += each.won_cost, lost += each.hedge_cost, rescued += each.rescue_cost;
  }
  std::sort(seconds.begin(), seconds.end());
  const auto count = static_cast<double>(seconds.size());
  figures.mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / count;
  figures.p50 = quantile(seconds, 0.5), figures.p95 = quantile(seconds, 0.95), figures.p99 = quantile(seconds, 0.99);
  figures.extra = lost / won, figures.rescues = rescued / won;
  const auto all = by_time(run);
  watch_windows(all, figures, won / count);
  figures.most_over = most_over_of(all, world.share) / (won / count);
  return figures;
}

std::optional<reaction> time_to_leave(const run_result& run, double from, double to, std::size_t target) {
  return when(run, from, to, target, [](std::size_t there) { return there < 2; });
}

std::optional<reaction> time_to_return(const run_result& run, double from, std::size_t target) {
  return when(run, from, 1e12, target, [](std::size_t there) { return there >= 5; });
}

std::array<double, 3> calibration(const run_result& run, std::size_t skipped) {
  std::array<double, 3> within{};
  const auto& all = run.requests;
  for (std::size_t at = skipped; at < all.size(); ++at)
    for (std::size_t k = 0; k < within.size(); ++k) within[k] += all[at].first_token <= all[at].predicted[k] ? 1 : 0;
  for (double& each : within) each /= static_cast<double>(std::max<std::size_t>(1, all.size() - std::min(skipped, all.size())));
  return within;
}

}  // namespace photofinish::racing
