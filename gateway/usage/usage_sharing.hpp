// Tracks the rows of this gateway's usage book that the store does not have yet, and makes the commands that write
// these rows. A write contains whole sums under the book's own name, so a repeated write, or a write after the store
// was emptied, changes no other data. [pure]
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
  static constexpr std::size_t most_in_a_batch = 400;  // largest number of rows that one batch of commands writes
  static constexpr std::size_t rows_of_a_part = 1'000;
  // The largest number of rows that wait. Above this limit the whole book is written again.
  static constexpr std::size_t most_pending = 100'000;

  explicit usage_sharing(std::string book) : book_(std::move(book)) {}

  const std::string& book() const { return book_; }

  // Starts tracking. Without a store, rows are not tracked. When sharing starts, the store may not have any part of the
  // book.
  void start();
  void end();

  // Marks a row whose amounts have grown.
  void note(char width, std::chrono::sys_seconds bucket, const used_by& by);
  // Marks all rows, because the store may have lost the book, or has the book under another name.
  void note_all() { has_all_pending_ = is_on_; }
  // Marks all rows of a bucket that the store has lost in full or in part.
  void note_bucket(const usage_book& book, const shared_bucket& bucket);
  bool has_pending() const { return has_all_pending_ || !pending_.empty(); }

  // Returns commands for the next rows. The caller then reports the result with written() or lost(). `name` is this
  // gateway's name.
  std::vector<store_command> next(const usage_book& book, const fleet_commands& commands, const std::string& name);
  // The buckets that were written. The store must have these buckets.
  const std::set<shared_bucket>& listed() const { return listed_; }
  // Returns the next `count` buckets to check in the store's copy, each with the number of parts in which it was
  // written.
  std::vector<std::pair<shared_bucket, std::size_t>> next_checks(std::size_t count);

  void written();
  void lost();

 private:
  using row_name = std::pair<shared_bucket, used_by>;

  const std::string book_;
  std::set<row_name> pending_, sent_;
  std::map<shared_bucket, std::size_t> parts_;  // number of parts in which each bucket was last written
  std::set<shared_bucket> listing_, listed_;
  shared_bucket last_check_{};
  bool is_on_ = false, has_all_pending_ = false;
};

// Returns the number of the part that contains a row. The number is the same in every run.
std::size_t part_of(std::string_view names, std::size_t parts);

const usage_tier& tier_of(const usage_book& book, char width);

}  // namespace photofinish::gateway
