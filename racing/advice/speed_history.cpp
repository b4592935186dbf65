#include "racing/advice/speed_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace photofinish::racing {
namespace {

// The time and the number of attempts after which a sample loses its weight. The forecaster uses the same values.
constexpr double least_fading = 60, faded_attempts = 30;
constexpr double gap_rate = 0.05, token_rate = 0.02;
// After a restart, the stored effect of the prompt size on the time to the first token is used until the model has this
// number of samples. This is twice the number after which the model first estimates the effect.
constexpr std::uint64_t slope_samples = 40;
constexpr std::uint64_t settling = 5;  // the usual time of a new target is known after this number of samples
constexpr std::chrono::seconds between_reads{1};

std::uint8_t of_255(double share) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0))); }

// Finds an entry of a sorted list by its number, and adds it if it is missing. The last entry is checked first, because
// it is nearly always the right one.
template <class Entry>
Entry& entry_of(std::vector<Entry>& all, std::int32_t number, std::int32_t Entry::*key) {
  if (!all.empty() && all.back().*key == number) return all.back();
  const auto at = std::lower_bound(all.begin(), all.end(), number,
                                   [key](const Entry& each, std::int32_t wanted) { return each.*key < wanted; });
  if (at != all.end() && (*at).*key == number) return *at;
  Entry made;
  made.*key = number;
  return *all.insert(at, std::move(made));
}

std::int32_t minute_at(instant when, instant now, wall_time wall) {
  const auto ago = std::chrono::floor<std::chrono::milliseconds>(now - std::min(when, now));
  return minute_of(wall - ago);
}

// The maximum cost of a single request in dollars. A higher cost counts as this maximum.
constexpr double nano_of_usd = 1e9, most_usd = 1e6;

double sane(double value, double most) { return std::isfinite(value) ? std::clamp(value, 0.0, most) : 0; }

// A slope is an estimate of how the size of a prompt affects the time to the first token. Returns the logarithm of the
// ratio of two times for a prompt of the same size: one with the slope `from`, one with the slope `to`.
double parted_by(double from, double to, double log_tokens) {
  const double tokens = std::expm1(log_tokens);
  return std::log1p(from * tokens) - std::log1p(to * tokens);
}

}  // namespace

void speed_history::take(const raced_request& request, instant now, wall_time wall) {
  const auto known = records_.routes.find(request.route);
  if (known == records_.routes.end() && records_.routes.size() >= max_routes) return;
  const std::int32_t minute = minute_at(request.begun_at, now, wall);
  count(request, known == records_.routes.end() ? records_.routes[request.route] : known->second, minute);
  for (std::size_t index = 0; index < std::min(request.attempts.size(), max_attempts); ++index) {
    const raced_attempt& each = request.attempts[index];
    if (!has_room_for(each.target)) continue;
    target_record& record = records_.targets[each.target];
    if (each.tokens_per_second)
      entry_of(record.slots, minute / minutes_of_slot, &target_slot::number).speed.add(*each.tokens_per_second);
    attempt_event event;
    event.step = each.end;
    event.caller = request.caller;
    event.started_at = each.started_at;
    event.at = std::min(each.at, now);
    event.input_tokens = sane(request.input_tokens, 1e8);
    event.in_flight = std::max(1.0, sane(each.in_flight, 1e6));
    if (each.end == attempt_step::spoke || each.end == attempt_step::cut || each.end == attempt_step::failed)
      waiting_.insert({event.at, {event, each.target, minute_at(event.at, now, wall)}});
  }
  while (waiting_.size() > max_waiting) waiting_.erase(waiting_.begin());
}

void speed_history::count(const raced_request& request, route_record& into, std::int32_t minute) {
  ++entry_of(into.minutes, minute, &route_minute::minute).requests;
  route_slot& slot = entry_of(into.slots, minute / minutes_of_slot, &route_slot::number);
  const double prompt = sane(request.input_tokens, 1e8);
  const auto tokens = static_cast<std::uint64_t>(prompt);
  slot.prompts.add(std::max(1.0, prompt));
  slot.answers.add(sane(request.output_tokens, 1e8));
  if (request.prompt) {
    const auto usd = static_cast<std::uint64_t>(nano_of_usd * sane(request.prompt->usd, most_usd));
    add(slot.conversations[request.prompt->cause], {1, request.prompt->is_continued ? 1u : 0u, usd});
  }
  if (request.first_token) slot.first_token.seen.add(std::max(sketch::least, *request.first_token));
  else if (request.at_least) slot.first_token.censored.add(std::max(sketch::least, *request.at_least));
  if (request.finish) slot.finish.seen.add(std::max(sketch::least, *request.finish));
  for (std::size_t index = 0; index < std::min(request.attempts.size(), max_attempts); ++index) {
    const raced_attempt& each = request.attempts[index];
    if (slot.runs.size() >= max_attempts && !slot.runs.contains(each.target)) continue;
    run_counts& runs = slot.runs[each.target];
    ++runs.starts;
    if (index == request.winner) ++runs.wins, runs.won_tokens += tokens;
    else if (each.is_lost_and_paid) ++runs.losses, runs.lost_tokens += tokens;
  }
}

void speed_history::tick(instant now, learning which) {
  const auto rest = which == learning::all ? waiting_.end() : waiting_.upper_bound(now - wait);
  for (auto each = waiting_.begin(); each != rest; ++each) learn(each->second);
  waiting_.erase(waiting_.begin(), rest);
}

void speed_history::learn(const waiting_attempt& attempt) {
  if (!has_room_for(attempt.target)) return;
  target_record& record = records_.targets[attempt.target];
  followed_target& target = followed_[attempt.target];
  // After a restart, a target's usual time begins with its stored value.
  if (target.model.samples() == 0 && !record.minutes.empty())
    target.model.assume(record.minutes.back().level + std::log1p(record.rho * attempt.event.input_tokens));
  if (target.last != instant{}) target.gap += gap_rate * (seconds_between(target.last, attempt.event.at) - target.gap);
  target.last = std::max(target.last, attempt.event.at);
  const double log_tokens = std::log1p(attempt.event.input_tokens);
  target.log_tokens += (target.log_tokens == 0 ? 1 : token_rate) * (log_tokens - target.log_tokens);
  const auto residual = target.model.learn(attempt.event);
  if (target.last_read == instant{} || attempt.event.at - target.last_read >= between_reads)
    read(target, attempt.event.at);
  follow_slope(target, record);
  record.load_slope = target.known.first_token_load.slope;
  if (residual && target.model.samples() > settling)
    entry_of(record.slots, attempt.minute / minutes_of_slot, &target_slot::number).shape.add(*residual);
  target_minute& minute = entry_of(record.minutes, attempt.minute, &target_minute::minute);
  if (minute.attempts < std::numeric_limits<std::uint16_t>::max()) {
    ++minute.attempts;
    if (attempt.event.step == attempt_step::failed) ++minute.failed;
  }
  note_level(target, record, minute, attempt.event.at);
  minute.hangs = of_255(target.known.hang_share);
  if (target.model.jumps() != std::exchange(target.jumps, target.model.jumps())) minute.jumps = 1;
}

// Computes the mean of the usual time over the elapsed seconds, not over the attempts. If the mean were over the
// attempts, fast periods would count more, because they contain more attempts.
void speed_history::note_level(followed_target& target, const target_record& record, target_minute& minute,
                               instant at) {
  constexpr double least = 0.01;
  const bool is_first = minute.attempts <= 1;
  const double passed = std::max(least, is_first ? 0 : seconds_between(target.last_level, at));
  target.seconds = is_first ? passed : target.seconds + passed;
  const double slope_apart = parted_by(target.model.rho(), record.rho, target.log_tokens);
  const auto value = static_cast<float>(target.model.level_value() + slope_apart);
  minute.level += (value - minute.level) * static_cast<float>(passed / target.seconds);
  target.last_level = at;
}

void speed_history::read(followed_target& target, instant at) {
  target.known = target.model.read(at, std::max(least_fading, faded_attempts * target.gap), {});
  target.last_read = at;
}

// The slope is the effect of a prompt's size on the time. If the model has estimated a new slope, shifts the levels
// (logarithms of usual times) of all earlier minutes, so that the times for usual prompts do not change. After a
// restart, the model has no slope at first, and the stored slope is used.
void speed_history::follow_slope(followed_target& target, target_record& record) {
  const double rho = target.model.rho();
  if (rho == record.rho || target.model.samples() < slope_samples) return;
  const auto by = static_cast<float>(parted_by(record.rho, rho, target.log_tokens));
  for (target_minute& each : record.minutes) each.level += by;
  record.rho = rho;
}

void speed_history::expire(wall_time now) {
  records_.expire(minute_of(now));
  std::erase_if(followed_, [this](const auto& each) { return !records_.targets.contains(each.first); });
}

// Shifts all stored times, including those of attempts that have not been added to the model yet. The minutes of these
// attempts are already stored.
void speed_history::shift(std::chrono::milliseconds by) {
  const auto minutes = static_cast<std::int32_t>(std::chrono::round<std::chrono::minutes>(by).count());
  records_.shift(minutes);
  for (auto& [at, each] : waiting_) each.minute += minutes;
}

}  // namespace photofinish::racing
