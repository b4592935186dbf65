#include "gateway/housekeeping/shared/speed_sharing.hpp"

#include "racing/statistics/stats_codec.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

namespace photofinish::gateway {
namespace {

// The data of a quarter minute is read twice. These are the times of the two reads, in ticks after the end of the
// quarter minute.
constexpr int settled_after = 3, late_after = 30;
constexpr int too_late_after = 40;
// If this gateway has measured at least this many samples of a target in the current and the previous quarter minute,
// the target gets no samples from other gateways.
constexpr std::uint64_t enough_own = 8;
// The forecast represents each sketch (a compact distribution of measurements) by at most this many samples.
constexpr std::size_t most_of_a_class = 4;
// The maximum number of samples that another gateway's data may report. No gateway can measure more in a quarter
// minute.
constexpr std::uint64_t most_samples = 100'000;
constexpr std::chrono::minutes most_skew{3};           // the largest accepted error of another gateway's clock
const racing::window_bounds bounds{2'000, 200'000};    // limits for the size of the data about a quarter minute

std::uint64_t most_in(const racing::stats_figures& figures) {
  return std::max({figures.ttft.seen.count(), figures.ttft.censored.count(), figures.speed.count()});
}

double middle(const racing::value_class& range) {
  return static_cast<double>(range.from + range.to.value_or(2 * range.from)) / 2;
}

// Calls `add` with `many` values that have the same distribution as the sketch.
template <class Add>
void spread(const racing::sketch& from, std::uint64_t many, const Add& add) {
  for (std::uint64_t each = 0; each < many; ++each)
    if (const auto value = from.quantile((static_cast<double>(each) + 0.5) / static_cast<double>(many))) add(*value);
}

}  // namespace

void speed_sharing::adopt(std::set<std::string> targets) {
  targets_ = std::move(targets);
  std::erase_if(counts_, [this](const auto& each) { return !targets_.contains(each.first); });
}

void speed_sharing::forget() {
  readings_.clear();
  open_.reset();
  first_ = next_old_ = 0;
}

speed_sharing::own_count& speed_sharing::count_of(const std::string& target, wall_time now) {
  own_count& its = counts_[target];
  const std::int64_t quarter = quarter_of(now);
  if (its.quarter != quarter) {
    its.before = its.quarter + 1 == quarter ? its.now : 0;
    its.now = 0;
    its.quarter = quarter;
  }
  return its;
}

void speed_sharing::note(const racing::target_sample& sample, wall_time now) {
  if (!targets_.contains(sample.target)) return;
  ++count_of(sample.target, now).now;
  pending_.add(sample, now);
}

// The first call defines the gateway's start time. If the data cannot be written in time, it is dropped, because speeds
// are soon out of date.
const speed_sharing::post* speed_sharing::due(wall_time now) {
  const std::int64_t quarter = quarter_of(now);
  if (first_ == 0) first_ = next_old_ = quarter;
  if (open_ && now.time_since_epoch() > length() * (open_->quarter + 1) + too_late_after * tick_) open_.reset();
  if (pending_quarter_ != quarter) {
    if (!pending_.empty() && pending_quarter_ != 0) open_ = post{pending_quarter_, racing::encode(pending_)};
    if (pending_quarter_ != 0) pending_ = racing::stats_window();
    pending_quarter_ = quarter;
  }
  if (open_ && open_->bytes.size() > longest_post) open_.reset();
  return open_ ? &*open_ : nullptr;
}

std::vector<std::int64_t> speed_sharing::to_read(wall_time now) const {
  std::vector<std::int64_t> all;
  const auto is_due = [&](std::int64_t quarter) {
    const auto found = readings_.find(quarter);
    const int times = found == readings_.end() ? 0 : found->second.times;
    const auto since_end = now.time_since_epoch() - length() * (quarter + 1);
    return (times == 0 && since_end >= settled_after * tick_) || (times == 1 && since_end >= late_after * tick_);
  };
  const std::int64_t latest = quarter_of(now) - 1;
  for (std::int64_t each = latest; each > latest - 4 && each >= first_ && all.size() < 2; --each)
    if (is_due(each)) all.push_back(each);
  for (std::int64_t each = next_old_ - 1; each >= first_ - remembered && all.size() < 2; --each) all.push_back(each);
  return all;
}

bool speed_sharing::is_plausible(const racing::stats_window& figures, std::int64_t quarter) const {
  const wall_time from{length() * quarter}, to = from + length();
  const auto fits = [&](const std::vector<racing::stats_slot>& slots, std::chrono::milliseconds slot) {
    return std::all_of(slots.begin(), slots.end(), [&](const racing::stats_slot& each) {
      const wall_time begin{slot * each.number};
      return begin < to + most_skew && begin + slot > from - most_skew && most_in(each.figures) <= most_samples;
    });
  };
  return std::all_of(figures.series().begin(), figures.series().end(), [&](const auto& entry) {
    return targets_.contains(entry.first.target) && fits(entry.second.fine, figures.shape().fine) &&
           fits(entry.second.coarse, figures.shape().coarse);
  });
}

std::optional<racing::stats_window> speed_sharing::read_one(std::int64_t quarter, const std::string& bytes) const {
  if (bytes.size() > longest_post) return std::nullopt;
  auto decoded = racing::decode_stats(bytes, {}, bounds);
  auto* figures = std::get_if<racing::stats_window>(&decoded);
  if (figures == nullptr) return std::nullopt;
  racing::stats_window known;
  for (const auto& [key, series] : figures->series()) {
    if (!targets_.contains(key.target)) continue;  // skips targets that this gateway's routes do not have
    for (const racing::stats_slot& each : series.fine) known.restore(key, racing::resolution::fine, each);
    for (const racing::stats_slot& each : series.coarse) known.restore(key, racing::resolution::coarse, each);
  }
  if (!is_plausible(known, quarter)) return std::nullopt;
  return known;
}

std::vector<speed_sharing::learned> speed_sharing::heard(std::int64_t quarter, const store_reply& reply, wall_time now,
                                                         std::uint64_t& refused) {
  std::vector<learned> all;
  const bool is_old = quarter < first_;
  if (is_old) next_old_ = std::min(next_old_, quarter);
  while (!readings_.empty() && readings_.begin()->first < quarter_of(now) - 8) readings_.erase(readings_.begin());
  reading of_no_more;
  reading& its = is_old ? of_no_more : readings_[quarter];
  ++its.times;
  if (reply.kind != reply_kind::list) {
    ++refused;
    return all;
  }
  for (std::size_t at = 0; at + 1 < reply.list.size() && its.seen.size() < most_gateways; at += 2) {
    const std::string& name = reply.list[at].text;
    if (name == gateway_ || name.size() > 64 || !its.seen.insert(name).second) continue;
    auto figures = read_one(quarter, reply.list[at + 1].text);
    if (!figures) ++refused;
    else if (!figures->empty()) all.push_back({*std::move(figures), name, is_old});
  }
  return all;
}

// All samples of another gateway count as samples of one caller, because the forecast limits the influence of a single
// caller on a speed. Samples that were measured before this gateway started are used only for targets that have few
// samples.
std::vector<speed_sharing::forecast_step> speed_sharing::steps_of(const learned& what, wall_time wall,
                                                              racing::instant now) {
  std::vector<forecast_step> all;
  for (const auto& [key, series] : what.figures.series()) {
    own_count& its = count_of(key.target, wall);
    if (its.now + its.before >= enough_own || (what.is_old && its.given >= enough_own)) continue;
    racing::stats_figures figures;
    for (const racing::stats_slot& each : series.fine) figures.merge(each.figures);
    racing::attempt_event step;
    step.caller = std::hash<std::string>{}(what.gateway) | 1;
    step.at = now;
    step.route = UINT32_MAX;  // samples of other gateways belong to no route
    step.input_tokens = middle(racing::input_class(key.input));
    step.in_flight = middle(racing::concurrency_class(key.concurrency));
    const auto add = [&] {
      step.attempt = ~std::uint64_t{0} - attempts_++;  // a number that this gateway never gives to its own attempts
      all.push_back({key.target, step});
      ++its.given;
    };
    const auto begun_before = [&](double seconds) {
      step.started_at = now - std::chrono::duration_cast<racing::instant::duration>(
                                  std::chrono::duration<double>(std::min(seconds, 1'000.0)));
      add();
    };
    // Divides a number of samples between two groups, in proportion to the sizes of the groups. The first group has
    // measured times to the first token, and the second group has attempts that were cancelled before the first token.
    const std::uint64_t came = figures.ttft.seen.count(), ended = came + figures.ttft.censored.count();
    const std::uint64_t many = std::min<std::uint64_t>(ended, most_of_a_class);
    const std::uint64_t seen = ended == 0 ? 0 : (many * came + ended - 1) / ended;
    step.step = racing::attempt_step::spoke;
    spread(figures.ttft.seen, seen, begun_before);
    step.step = racing::attempt_step::cut;
    spread(figures.ttft.censored, many - seen, begun_before);
    step.step = racing::attempt_step::answered;
    spread(figures.speed, std::min<std::uint64_t>(figures.speed.count(), most_of_a_class), [&](double speed) {
      step.output_tokens = 100;
      step.decode_seconds = step.output_tokens / speed;
      add();
    });
  }
  return all;
}

}  // namespace photofinish::gateway
