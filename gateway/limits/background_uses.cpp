#include "gateway/limits/background_uses.hpp"

#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_id = 512;

// No target's name holds a line feed.
std::string key_of(const std::string& target, std::string_view id) { return target + "\n" + std::string(id); }

}  // namespace

void background_uses::put(const std::string& target, std::string_view id, background_use charged) {
  if (id.size() > longest_id) return;
  const std::scoped_lock lock(guard_);
  const auto at = oldest_first_.insert(oldest_first_.end(), {key_of(target, id), std::move(charged)});
  if (!by_key_.emplace(at->key, at).second) oldest_first_.erase(at);  // a provider's id that is not its own
  if (oldest_first_.size() <= most_) return;
  by_key_.erase(oldest_first_.front().key);
  oldest_first_.pop_front();
}

std::optional<background_use> background_uses::take(const std::string& target, std::string_view id) {
  const std::string key = key_of(target, id);
  const std::scoped_lock lock(guard_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  background_use charged = std::move(found->second->charged);
  const auto at = found->second;
  by_key_.erase(found);
  oldest_first_.erase(at);
  return charged;
}

}  // namespace photofinish::gateway
