#include "gateway/usage/usage_book.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

using std::chrono::sys_seconds;

namespace {

constexpr const char* other_name = "_other";

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

// Returns the names under which usage is recorded. If there are too many rows in total, all names are replaced by
// _other, so that the sums stay correct. If only one client has too many rows, its usage keeps only the names of the
// client and its team.
used_by usage_tier::place_for(const rows& bucket, const used_by& by) const {
  if (count_ >= most_rows_) return {other_name, other_name, other_name, other_name};
  if (bucket.size() < most_of_a_client_) return by;
  std::size_t own = 0;
  for (auto each = bucket.lower_bound(used_by{by.client, "", "", ""});
       each != bucket.end() && each->first.client == by.client && own < most_of_a_client_; ++each)
    ++own;
  return own < most_of_a_client_ ? by : used_by{by.client, by.team, other_name, other_name};
}

// Adds usage to the bucket of its time. If there are too many rows, removes the oldest bucket, but never the current
// one.
const used_by& usage_tier::add(const used_share& more, sys_seconds at) {
  if (has_long_name(more.by)) return add({cut(more.by), more.amounts}, at);
  const sys_seconds running = bucket_of(at);
  rows& into = buckets_[running];
  if (const auto known = into.find(more.by); known != into.end()) {
    known->second.add(more.amounts);
    return known->first;
  }
  while (count_ >= most_rows_ && buckets_.begin()->first < running) drop_oldest();
  const auto [row, is_new] = into.try_emplace(place_for(into, more.by));
  if (is_new) ++count_;
  row->second.add(more.amounts);
  return row->first;
}

bool usage_tier::raise(sys_seconds bucket, const used_share& written, const used_amounts& since) {
  if (bucket != bucket_of(bucket) || has_long_name(written.by)) return false;
  rows& into = buckets_[bucket];
  auto known = into.find(written.by);
  if (known == into.end()) {
    if (count_ >= most_rows_) return false;
    known = into.emplace(written.by, used_amounts{}).first;
    ++count_;
  }
  const auto raise_one = [&](auto amount) {
    known->second.*amount = std::max(known->second.*amount, written.amounts.*amount + since.*amount);
  };
  for (const auto amount : amounts_in_order) raise_one(amount);
  return true;
}

const used_amounts* usage_tier::find(sys_seconds bucket, const used_by& by) const {
  const auto its = buckets_.find(bucket);
  if (its == buckets_.end()) return nullptr;
  const auto row = its->second.find(by);
  return row == its->second.end() ? nullptr : &row->second;
}

void usage_tier::expire(sys_seconds now) {
  while (!buckets_.empty() && buckets_.begin()->first + width_ + kept_ <= now) drop_oldest();
}

bool usage_tier::restore(sys_seconds bucket, used_share kept) {
  if (bucket != bucket_of(bucket)) return false;
  if (count_ > most_rows_ + buckets_.size()) return false;  // the limit, plus one row named _other for each bucket
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
