#include "gateway/usage/usage_sharing.hpp"

#include "gateway/usage/usage_codec.hpp"

#include <algorithm>
#include <cstdint>

namespace photofinish::gateway {
namespace {

std::size_t parts_for(std::size_t rows) {
  std::size_t parts = 1;
  while (parts < fleet_commands::most_parts && rows > parts * usage_sharing::rows_of_a_part) parts *= 2;
  return parts;
}

template <class Note>
void each_row(const usage_tier& tier, const Note& note) {
  for (const auto& [start, rows] : tier.buckets())
    for (const auto& [by, amounts] : rows) note(start, by);
}

}  // namespace

const usage_tier& tier_of(const usage_book& book, char width) { return width == 'h' ? book.hours : book.days; }

std::size_t part_of(std::string_view names, std::size_t parts) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char each : names) hash = (hash ^ static_cast<unsigned char>(each)) * 16777619u;
  return hash % parts;
}

void usage_sharing::start() { is_on_ = has_all_pending_ = true; }

void usage_sharing::end() {
  is_on_ = has_all_pending_ = false;
  pending_.clear();
  sent_.clear();
  parts_.clear();
  listing_.clear();
  listed_.clear();
}

void usage_sharing::note(char width, std::chrono::sys_seconds bucket, const used_by& by) {
  if (!is_on_ || has_all_pending_) return;
  pending_.insert({{width, bucket}, by});
  if (pending_.size() <= most_pending) return;
  pending_.clear();
  has_all_pending_ = true;
}

void usage_sharing::note_bucket(const usage_book& book, const shared_bucket& bucket) {
  if (!is_on_ || has_all_pending_) return;
  const auto& buckets = tier_of(book, bucket.width).buckets();
  const auto its = buckets.find(bucket.start);
  if (its == buckets.end()) return;
  for (const auto& [by, amounts] : its->second) pending_.insert({bucket, by});
}

std::vector<std::pair<shared_bucket, std::size_t>> usage_sharing::next_checks(std::size_t count) {
  std::vector<std::pair<shared_bucket, std::size_t>> all;
  if (has_pending()) return all;
  for (std::size_t each = 0; each < std::min(count, listed_.size()); ++each) {
    auto next = listed_.upper_bound(last_check_);
    if (next == listed_.end()) next = listed_.begin();
    last_check_ = *next;
    if (const auto known = parts_.find(last_check_); known != parts_.end()) all.emplace_back(*known);
  }
  return all;
}

// Returns the commands that write the next changed rows to the store. Each bucket is stored in numbered parts. If a
// bucket needs more parts than before, the whole bucket is written again. When all rows of a bucket are written, the
// bucket is added to the store's list of buckets.
std::vector<store_command> usage_sharing::next(const usage_book& book, const fleet_commands& commands,
                                               const std::string& name) {
  if (std::exchange(has_all_pending_, false)) {
    parts_.clear();
    for (const char width : {'h', 'd'})
      each_row(tier_of(book, width), [&](std::chrono::sys_seconds start, const used_by& by) {
        pending_.insert({{width, start}, by});
      });
  }
  std::vector<store_command> all;
  std::map<std::pair<shared_bucket, std::size_t>, std::vector<std::string>> rows;
  std::set<shared_bucket> listed;
  std::size_t count = 0;
  while (!pending_.empty() && count < most_in_a_batch) {
    const row_name each = *pending_.begin();
    const usage_tier& tier = tier_of(book, each.first.width);
    const used_amounts* amounts = tier.find(each.first.start, each.second);
    if (amounts != nullptr) {
      const std::size_t parts = parts_for(tier.buckets().at(each.first.start).size());
      const auto [known, is_new] = parts_.try_emplace(each.first, parts);
      if (known->second < parts) {
        for (auto& command : commands.end_rows(each.first, {book_, name, known->second}))
          all.push_back(std::move(command));
        known->second = parts;
        for (const auto& [by, more] : tier.buckets().at(each.first.start)) pending_.insert({each.first, by});
      }
      const std::string names = encode_names(each.second);
      auto& into = rows[{each.first, part_of(names, known->second)}];
      into.push_back(names);
      into.push_back(encode_amounts(*amounts));
      listed.insert(each.first);
      ++count;
    }
    pending_.erase(each);
    sent_.insert(each);
  }
  for (auto& [where, texts] : rows)
    for (auto& command : commands.write_rows(where.first, {book_, name, parts_.at(where.first)}, where.second,
                                             std::move(texts)))
      all.push_back(std::move(command));
  const auto has_more = [this](const shared_bucket& bucket) {
    const auto more = pending_.lower_bound({bucket, used_by{}});
    return more != pending_.end() && more->first == bucket;
  };
  std::erase_if(listed, has_more);
  for (const shared_bucket& bucket : listed)
    for (auto& command : commands.list_bucket(bucket, {book_, name, parts_.at(bucket)}))
      all.push_back(std::move(command));
  const auto is_dropped = [&book](const shared_bucket& bucket) {
    return !tier_of(book, bucket.width).buckets().contains(bucket.start);
  };
  std::erase_if(parts_, [&](const auto& each) { return is_dropped(each.first); });
  std::erase_if(listed_, is_dropped);
  listing_ = std::move(listed);
  return all;
}

void usage_sharing::written() {
  sent_.clear();
  listed_.merge(listing_);
  listing_.clear();
}

void usage_sharing::lost() {
  pending_.merge(sent_);
  sent_.clear();
  listing_.clear();
}

}  // namespace photofinish::gateway
