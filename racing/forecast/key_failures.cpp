#include "racing/forecast/key_failures.hpp"

#include <chrono>

namespace photofinish::racing {
namespace {

constexpr std::chrono::minutes kept_for{10};
constexpr double fading = 60;  // after this number of seconds, a result has lost most of its weight; busy targets use
                               // the same number

}  // namespace

void key_failures::failed(std::uint64_t key_at_target, instant at) {
  if (entries_.size() >= most && !entries_.contains(key_at_target)) forget_old(at);
  if (entries_.size() >= most && !entries_.contains(key_at_target)) return;
  entry& each = entries_[key_at_target];
  each.shares.failed(at);
  each.failed_at = at;
}

void key_failures::answered(std::uint64_t key_at_target, instant at) {
  if (const auto known = entries_.find(key_at_target); known != entries_.end()) known->second.shares.answered(at);
}

std::unordered_map<std::uint64_t, double> key_failures::read(instant now) {
  forget_old(now);
  std::unordered_map<std::uint64_t, double> shares;
  shares.reserve(entries_.size());
  for (auto& [key, each] : entries_) {
    each.shares.weigh(now, fading, {});
    shares.emplace(key, each.shares.error_share());
  }
  return shares;
}

void key_failures::forget_old(instant now) {
  std::erase_if(entries_, [now](const auto& each) { return now - each.second.failed_at > kept_for; });
}

}  // namespace photofinish::racing
