#include "gateway/probes/probe_schedule.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

using std::chrono::milliseconds;

void probe_schedule::adopt(const std::vector<probe_pair>& pairs, milliseconds every, instant now) {
  const std::vector<place> before = every == every_ ? std::exchange(places_, {}) : std::vector<place>();
  every_ = every;
  places_.clear();
  for (const probe_pair& each : pairs) {
    const auto known =
        std::find_if(before.begin(), before.end(), [&each](const place& old) { return old.pair == each; });
    places_.push_back({each, known != before.end() ? known->at : now + part(every, 0, 1)});
  }
}

std::optional<probe_schedule::instant> probe_schedule::next() const {
  const auto first = std::min_element(places_.begin(), places_.end(),
                                      [](const place& one, const place& other) { return one.at < other.at; });
  if (first == places_.end()) return std::nullopt;
  return first->at;
}

std::optional<probe_pair> probe_schedule::due(instant now) const {
  const auto first = next();
  if (!first || *first > now) return std::nullopt;
  return std::find_if(places_.begin(), places_.end(), [&first](const place& each) { return each.at == *first; })->pair;
}

void probe_schedule::done(const probe_pair& pair, instant now) { move(pair, now + part(every_, 0.9, 1.1)); }

void probe_schedule::put_off(const probe_pair& pair, instant now) {
  move(pair, now + part(std::min<milliseconds>(patience, every_), 0.5, 1.5));
}

void probe_schedule::move(const probe_pair& pair, instant to) {
  for (place& each : places_)
    if (each.pair == pair) each.at = to;
}

milliseconds probe_schedule::part(milliseconds of, double from, double to) {
  const double share = from + (to - from) * chance_.fraction();
  return std::chrono::round<milliseconds>(std::chrono::duration<double, std::milli>(of) * share);
}

}  // namespace photofinish::gateway
