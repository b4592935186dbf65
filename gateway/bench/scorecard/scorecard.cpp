#include "gateway/bench/scorecard/scorecard.hpp"

#include "gateway/records/cost.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace photofinish::gateway::bench {
namespace {

// Two medians count as equal if their relative difference is smaller than this limit, even if the difference is
// statistically certain.
constexpr double same_share = 0.03;
// Two waiting times also count as equal if their difference is smaller than this number of milliseconds.
constexpr double same_ms = 5;
// The largest share of failed requests. An endpoint with a larger share is not ranked.
constexpr double most_failures = 0.1;

std::chrono::sys_seconds start_of(const scorecard& card) {
  return std::chrono::floor<std::chrono::seconds>(card.clock.wall);
}

std::optional<double> usd_per_request(const scorecard& card, const measured_cell& cell) {
  const auto& prices = card.endpoints[cell.endpoint].prices;
  double usd = 0;
  std::size_t known = 0;
  for (const request_record& each : cell.records) {
    if (!prices || each.error || !each.seen.usage) continue;
    usd += proxy::cost_usd(*prices, billed(*each.seen.usage), start_of(card));
    ++known;
  }
  if (known == 0) return std::nullopt;
  return usd / static_cast<double>(known);
}

// The samples of one endpoint at one input size, for each ranked figure and round.
struct cell_samples {
  samples_by_round of[std::size(ranked_figures)];
  bool is_failing = false;
};

cell_samples samples_of(const scorecard& card, const measured_cell& cell) {
  cell_samples samples;
  const std::size_t begun = std::min(card.plan.rounds, card.rounds + (card.end == level_end::complete ? 0 : 1));
  for (auto& each : samples.of) each.resize(begun);
  std::size_t failed = 0, ended = 0;
  for (const request_record& record : cell.records) {
    if (record.was_cancelled()) continue;
    ++ended;
    failed += record.error ? 1 : 0;
    if (record.error || record.round >= begun) continue;
    const request_figures figures = figures_of(record);
    for (std::size_t i = 0; i < std::size(ranked_figures); ++i)
      if (const auto value = figures.value(ranked_figures[i])) samples.of[i][record.round].push_back(*value);
  }
  samples.is_failing = static_cast<double>(failed) > most_failures * static_cast<double>(ended);
  return samples;
}

bool are_close(double median, double best, const figure& by) {
  const double apart = std::abs(median - best);
  return apart <= same_share * std::max(median, best) || (by.unit == "ms" && apart <= same_ms);
}

// Ranks the endpoints by one figure at one input size.
class ranking {
 public:
  ranking(finding& into, std::uint64_t seed) : found_(into), seed_(seed) {}

  void add(std::size_t endpoint, const cell_samples& cell, std::size_t of) {
    const samples_by_round& samples = cell.of[of];
    const auto rounds = std::count_if(samples.begin(), samples.end(), [](const auto& each) { return !each.empty(); });
    const auto median = median_of(samples);
    if (!median || cell.is_failing || rounds < static_cast<std::ptrdiff_t>(fewest_rounds))
      return found_.left_out.push_back(endpoint);
    ranked_.push_back({endpoint, *median, &samples});
  }

  void rank() {
    if (ranked_.empty()) return;
    const figure& by = figure_of(found_.by);
    std::stable_sort(ranked_.begin(), ranked_.end(), [&](const place& a, const place& b) {
      return by.better == direction::lower ? a.median < b.median : a.median > b.median;
    });
    const place& best = ranked_.front();
    found_.best = best.endpoint;
    found_.median = best.median;
    for (std::size_t i = 1; i < ranked_.size(); ++i) compare(best, ranked_[i], by);
  }

 private:
  struct place {
    std::size_t endpoint;
    double median;
    const samples_by_round* samples;
  };

  // Compares an endpoint with the best endpoint. If there are several comparisons, each comparison uses a higher
  // confidence level, so that all comparisons together reach 95 % (Bonferroni).
  void compare(const place& best, const place& other, const figure& by) {
    const double confidence = 1 - 0.05 / static_cast<double>(ranked_.size() - 1);
    const auto ratio = ratio_range(*other.samples, *best.samples, confidence, mixed_seed(seed_, other.endpoint));
    const bool is_equal = !ratio || ratio->holds(1) || are_close(other.median, best.median, by);
    if (is_equal) found_.equal.push_back(other.endpoint);
    else found_.behind.push_back({other.endpoint, other.median / best.median});
  }

  finding& found_;
  std::uint64_t seed_;
  std::vector<place> ranked_;
};

}  // namespace

const card_cell* scorecard::find(std::size_t endpoint, std::size_t size) const {
  for (const card_cell& each : cells)
    if (each.endpoint == endpoint && each.size == size) return &each;
  return nullptr;
}

void fill(scorecard& card, const std::vector<measured_cell>& measured) {
  const std::uint64_t seed = card.plan.common.seed;
  std::vector<cell_samples> samples;
  for (const measured_cell& each : measured) {
    card_cell cell{.endpoint = each.endpoint, .size = each.size, .given_up = each.given_up};
    const level_end end = each.given_up.empty() ? card.end : level_end::complete;
    cell.report = report_of(card.plan.common.levels.front(), end, each.records, {});
    cell.usd_per_request = usd_per_request(card, each);
    samples.push_back(samples_of(card, each));
    for (std::size_t i = 0; i < std::size(ranked_figures); ++i)
      cell.ranges[i] = median_range(samples.back().of[i], mixed_seed(seed, card.cells.size()));
    card.cells.push_back(std::move(cell));
  }
  for (std::size_t size = 0; size < card.plan.input_tokens.size(); ++size) {
    for (std::size_t i = 0; i < std::size(ranked_figures); ++i) {
      finding found{.size = size, .by = ranked_figures[i]};
      ranking places(found, mixed_seed(seed, size));
      for (std::size_t n = 0; n < measured.size(); ++n)
        if (measured[n].size == size) places.add(measured[n].endpoint, samples[n], i);
      places.rank();
      card.findings.push_back(std::move(found));
    }
  }
}

std::optional<shown_price> price_at(const scorecard& card, const card_cell& cell) {
  const auto& prices = card.endpoints[cell.endpoint].prices;
  if (!prices) return std::nullopt;
  const proxy::price& now = prices->at(start_of(card));
  const std::uint64_t input = card.plan.input_tokens[cell.size];
  return shown_price{now.input.of(input), now.output.of(input)};
}

}  // namespace photofinish::gateway::bench
