#include "gateway/usage/usage_book.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

using std::chrono::sys_seconds;

namespace {

sys_seconds bucket_of(sys_seconds at, std::chrono::seconds width) { return at - at.time_since_epoch() % width; }

// Where even the running bucket is full: sums stay right, and names are lost.
used_by others() { return {"_other", "_other", "_other", "_other"}; }

bool has_long_name(const used_by& by) {
  return std::max({by.client.size(), by.team.size(), by.model.size(), by.project.size()}) > longest_used_name;
}

used_by cut(used_by by) {
  for (std::string* name : {&by.client, &by.team, &by.model, &by.project})
    if (name->size() > longest_used_name) name->resize(longest_used_name);
  return by;
}

}  // namespace

void usage_tier::begin(sys_seconds now) { complete_since_ = now; }

// The oldest bucket makes room, but not the running one.
void usage_tier::add(const used_share& more, sys_seconds at) {
  if (has_long_name(more.by)) return add({cut(more.by), more.amounts}, at);
  const sys_seconds running = bucket_of(at, width_);
  rows& into = buckets_[running];
  if (const auto known = into.find(more.by); known != into.end()) return known->second.add(more.amounts);
  while (count_ >= most_rows_ && buckets_.begin()->first < running) drop_oldest();
  const auto [row, is_new] = into.try_emplace(count_ < most_rows_ ? more.by : others());
  if (is_new) ++count_;
  row->second.add(more.amounts);
}

void usage_tier::expire(sys_seconds now) {
  while (!buckets_.empty() && buckets_.begin()->first + width_ + kept_ <= now) drop_oldest();
}

bool usage_tier::restore(sys_seconds bucket, used_share kept) {
  if (bucket != bucket_of(bucket, width_)) return false;
  if (count_ > most_rows_ + buckets_.size()) return false;  // each may have its row of others
  if (!buckets_[bucket].emplace(std::move(kept.by), kept.amounts).second) return false;
  ++count_;
  return true;
}

void usage_tier::drop_oldest() {
  complete_since_ = std::max(complete_since_, buckets_.begin()->first + width_);
  count_ -= buckets_.begin()->second.size();
  buckets_.erase(buckets_.begin());
}

}  // namespace photofinish::gateway
