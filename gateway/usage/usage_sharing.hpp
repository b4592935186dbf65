// Tracks which rows of this gateway's usage book are not in the store yet, and makes the commands that write them. Each
// write contains total amounts under this gateway's own name. Therefore writes may be repeated, also after the store
// was emptied, and they never change other data. [pure]
#pragma once

#include "gateway/store/fleet_commands.hpp"
#include "gateway/usage/usage_book.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class usage_sharing {
 public:
  static constexpr std::size_t most_in_a_batch = 400;  // the maximum number of rows that one batch of commands writes
  static constexpr std::size_t rows_of_a_part = 1'000;
  // The maximum number of rows that may wait to be written. If there are more, the whole usage book is written again.
  static constexpr std::size_t most_pending = 100'000;

  explicit usage_sharing(std::string book) : book_(std::move(book)) {}

  const std::string& book() const { return book_; }

  // Starts tracking. Without a store, rows are not tracked. At the start, all rows count as not written.
  void start();
  void end();

  // Marks a row whose amounts have increased.
  void note(char width, std::chrono::sys_seconds bucket, const used_by& by);
  // Marks all rows as not written. This is needed if the store may have lost the usage book, or contains it under
  // another name.
  void note_all() { has_all_pending_ = is_on_; }
  // Marks all rows of a bucket as not written, because the store has lost some or all of them.
  void note_bucket(const usage_book& book, const shared_bucket& bucket);
  bool has_pending() const { return has_all_pending_ || !pending_.empty(); }

  // Returns the commands that write the next changed rows to the store. After sending them, the caller must call
  // written() or lost(). `name` is the name of this gateway.
  std::vector<store_command> next(const usage_book& book, const fleet_commands& commands, const std::string& name);
  // Returns the buckets that were written to the store. If the store lacks one of them, it has lost data.
  const std::set<shared_bucket>& listed() const { return listed_; }
  // Returns the next `count` buckets whose presence in the store should be checked. Each bucket is returned with the
  // number of parts in which it was written.
  std::vector<std::pair<shared_bucket, std::size_t>> next_checks(std::size_t count);

  void written();
  void lost();

 private:
  using row_name = std::pair<shared_bucket, used_by>;

  const std::string book_;
  std::set<row_name> pending_, sent_;
  std::map<shared_bucket, std::size_t> parts_;  // the number of parts in which each bucket was last written to the
                                                // store
  std::set<shared_bucket> listing_, listed_;
  shared_bucket last_check_{};
  bool is_on_ = false, has_all_pending_ = false;
};

// Each bucket of the usage book is written to the store in several numbered parts. Returns the number of the part with
// the row for these names. A row stays in the same part after a restart.
std::size_t part_of(std::string_view names, std::size_t parts);

const usage_tier& tier_of(const usage_book& book, char width);

}  // namespace photofinish::gateway
