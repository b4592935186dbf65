#include "racing/cooldowns.hpp"

#include <algorithm>

namespace photofinish::racing {
namespace {

using proxy::failure_kind;
using std::chrono::milliseconds;

milliseconds length_of(const attempt_sample& sample, std::size_t failures) {
  const std::size_t doublings = std::min<std::size_t>(failures - std::min(failures, cooldowns::repeated), 7);
  return sample.retry_after.value_or(cooldowns::repeated_default * (1 << doublings));
}

milliseconds length_of_limit(const attempt_sample& sample) {
  const bool is_quota = *sample.failed == failure_kind::quota;
  return sample.retry_after.value_or(is_quota ? cooldowns::quota_default : cooldowns::rate_limited_default);
}

// Extends a cooldown. Returns true if the cooldown now ends later than before.
bool extend(instant& cools_until, milliseconds length, instant now) {
  const instant until = now + std::clamp<milliseconds>(length, milliseconds{0}, cooldowns::longest);
  if (until <= cools_until) return false;
  cools_until = until;
  return true;
}

}  // namespace

blame blame_for(failure_kind kind, int status, proxy::failure_scope scope) {
  constexpr int unavailable = 503, overloaded = 529;
  const bool is_callers = scope == proxy::failure_scope::caller;
  switch (kind) {
    case failure_kind::auth:
    case failure_kind::bad_request:
    case failure_kind::cancelled:
    case failure_kind::busy:
      return blame::request;
    case failure_kind::rate_limited:
    case failure_kind::quota:
      return is_callers ? blame::caller : blame::limit;
    case failure_kind::dns:
    case failure_kind::connect:
    case failure_kind::tls:
      return blame::provider;
    case failure_kind::server_error:
      return !is_callers && (status == unavailable || status == overloaded) ? blame::provider : blame::doubtful;
    case failure_kind::timeout:
    case failure_kind::bad_stream:
    case failure_kind::stall:
    case failure_kind::crawl:
      return blame::doubtful;
  }
  return blame::doubtful;
}

bool counts_against_target(blame whose) { return whose != blame::request && whose != blame::caller; }

bool cooldowns::note(const attempt_sample& sample, instant now) {
  if (!sample.failed) {
    const auto found = records_.find(sample.id);
    if (found == records_.end()) return false;
    const bool was_cooling = !is_over(found->second, now);
    records_.erase(found);
    return was_cooling;
  }
  const blame whose = blame_for(*sample.failed, sample.status, sample.scope);
  if (whose == blame::request) return false;
  if (records_.size() >= max_candidates) forget_stale(now);
  if (records_.size() >= max_candidates && !records_.contains(sample.id)) return false;
  return judge(records_[sample.id], sample, whose, now);
}

bool cooldowns::judge(record& each, const attempt_sample& sample, blame whose, instant now) {
  if (whose == blame::caller) return limit_caller(each, sample, now);
  if (whose == blame::limit) {
    extend(each.limited_until, length_of_limit(sample), now);
    return extend(each.cools_until, length_of_limit(sample), now);
  }
  bool has_changed = false;
  const std::size_t before = each.evidence();
  if (whose == blame::doubtful) has_changed = doubt(each, sample, now);
  else ++each.certain;
  const std::size_t evidence = each.evidence();
  if (evidence > before && evidence >= repeated)
    has_changed |= extend(each.cools_until, length_of(sample, evidence), now);
  return has_changed;
}

// Counts a failure whose cause is uncertain. If the same caller has too many such failures, starts a cooldown of the
// target for this caller only.
bool cooldowns::doubt(record& each, const attempt_sample& sample, instant now) {
  const bool has_room = each.callers.size() < max_callers || each.callers.contains(sample.caller);
  series& own = each.callers[has_room ? sample.caller : caller_id{0}];
  own.add(sample.prompt);
  return own.is_convincing() && extend(own.cools_until, length_of(sample, own.failures), now);
}

// Starts a cooldown of the target for a single caller, who has reached a limit. Only a limited number of callers is
// remembered. Further callers are counted together, so a cooldown for one of them would apply to all of them. Therefore
// they get no cooldown.
bool cooldowns::limit_caller(record& each, const attempt_sample& sample, instant now) {
  if (each.callers.size() >= max_callers && !each.callers.contains(sample.caller)) return false;
  return extend(each.callers[sample.caller].cools_until, length_of_limit(sample), now);
}

// Returns how many failures count as evidence against the target. If only one caller has failures whose cause is
// uncertain, they count as one failure, because this caller may be the cause. If several callers have such failures,
// the failures of each caller count, but always less than the number that starts a cooldown. Limits that apply to one
// caller do not count.
std::size_t cooldowns::record::evidence() const {
  const auto has_failures = [](const auto& each) { return each.second.failures > 0; };
  const bool is_confirmed = std::count_if(callers.begin(), callers.end(), has_failures) > 1;
  const std::size_t most = is_confirmed ? repeated - 1 : 1;
  std::size_t doubtful = 0;
  for (const auto& [caller, own] : callers) doubtful += std::min(own.failures, most);
  return certain + doubtful;
}

scoreboard cooldowns::snapshot(instant now) const {
  scoreboard board;
  for (const auto& [id, each] : records_) {
    if (now < each.cools_until) board.cools_until.emplace(id, each.cools_until);
    if (now < each.limited_until) board.limited_until.emplace(id, each.limited_until);
    for (const auto& [caller, own] : each.callers)
      if (now < own.cools_until) board.cools_for[id].emplace(caller, own.cools_until);
  }
  return board;
}

void cooldowns::series::add(std::uint64_t prompt) {
  if (failures++ == 0) first_prompt = prompt;
  has_other_prompts |= prompt != first_prompt;
}

bool cooldowns::series::is_convincing() const {
  return failures >= (has_other_prompts ? repeated : stubborn);
}

bool cooldowns::is_over(const record& each, instant now) {
  const auto is_cool = [now](const auto& entry) { return entry.second.cools_until <= now; };
  return each.cools_until <= now && std::all_of(each.callers.begin(), each.callers.end(), is_cool);
}

void cooldowns::forget_stale(instant now) {
  std::erase_if(records_, [now](const auto& entry) { return is_over(entry.second, now); });
}

}  // namespace photofinish::racing
