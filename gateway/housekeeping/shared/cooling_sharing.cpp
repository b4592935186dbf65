#include "gateway/housekeeping/shared/cooling_sharing.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

namespace photofinish::gateway {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t most_noted_targets = 1000;
constexpr milliseconds same_time{250};  // if the end of a cooldown changes by less than this, the change is ignored

}  // namespace

bool cooling_sharing::note(const racing::attempt_sample& failed, racing::instant now) {
  if (!failed.failed || failed.id.find('#') != std::string::npos) return false;
  if (racing::blame_for(*failed.failed, failed.status, failed.scope) != racing::blame::limit) return false;
  const bool is_quota = *failed.failed == proxy::failure_kind::quota;
  const milliseconds usual = is_quota ? racing::cooldowns::quota_default : racing::cooldowns::rate_limited_default;
  const milliseconds length = std::min<milliseconds>(failed.retry_after.value_or(usual), racing::cooldowns::longest);
  if (noted_.size() >= most_noted_targets && !noted_.contains(failed.id)) return false;
  noted_[failed.id] = now + length;
  return true;
}

void cooling_sharing::add_to(racing::scoreboard& board, racing::instant now) const {
  for (const auto& [target, end] : cooling_) {
    if (end <= now) continue;
    for (auto* all : {&board.cools_until, &board.limited_until}) {
      racing::instant& until = (*all)[target];
      until = std::max(until, end);
    }
  }
}

store_names::cooling cooling_sharing::lengths(const ends& sent, racing::instant now) {
  store_names::cooling all;
  for (const auto& [target, end] : sent)
    if (end > now) all.emplace_back(target, std::chrono::ceil<milliseconds>(end - now));
  return all;
}

bool cooling_sharing::take(const store_names::cooling& heard, racing::instant now) {
  ends next;
  bool has_changed = false;
  for (const auto& [target, length] : heard) {
    const racing::instant end = now + length;
    const auto before = cooling_.find(target);
    const bool is_same = before != cooling_.end() && std::chrono::abs(end - before->second) < same_time;
    has_changed |= !is_same;
    next.emplace(target, is_same ? before->second : end);
  }
  for (const auto& [target, end] : cooling_) has_changed |= end > now && !next.contains(target);
  cooling_ = std::move(next);
  return has_changed;
}

}  // namespace photofinish::gateway
