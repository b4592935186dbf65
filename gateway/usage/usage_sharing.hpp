// Which rows of this gateway's book the store does not have yet, and how they are written: whole sums under the book's
// own name, so that a write that is repeated, or comes after the store was emptied, changes nothing else. [pure]
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
  static constexpr std::size_t most_in_a_batch = 400;  // rows
  static constexpr std::size_t rows_of_a_part = 1'000;
  static constexpr std::size_t most_pending = 100'000;  // rows; above it the whole book is written again

  explicit usage_sharing(std::string book) : book_(std::move(book)) {}

  const std::string& book() const { return book_; }

  // Without a store nothing is noted. The store may have nothing of the book when sharing starts.
  void start();
  void end();

  // A row that has grown.
  void note(char width, std::chrono::sys_seconds bucket, const used_by& by);
  // The store may have lost the book, or has it under another name.
  void note_all() { has_all_pending_ = is_on_; }
  // The store has lost the bucket, or a part of it.
  void note_bucket(const usage_book& book, const shared_bucket& bucket);
  bool has_pending() const { return has_all_pending_ || !pending_.empty(); }

  // Commands for the next rows; written() or lost() says what became of them. `name`: this gateway's.
  std::vector<store_command> next(const usage_book& book, const fleet_commands& commands, const std::string& name);
  // Buckets that the store must have, because they were written.
  const std::set<shared_bucket>& listed() const { return listed_; }
  // The next `count` of them, and in how many parts each was written: the store's part of them is checked.
  std::vector<std::pair<shared_bucket, std::size_t>> next_checks(std::size_t count);

  void written();
  void lost();

 private:
  using row_name = std::pair<shared_bucket, used_by>;

  const std::string book_;
  std::set<row_name> pending_, sent_;
  std::map<shared_bucket, std::size_t> parts_;  // as they were written last
  std::set<shared_bucket> listing_, listed_;
  shared_bucket last_check_{};
  bool is_on_ = false, has_all_pending_ = false;
};

// A row's part of several: the same in every run.
std::size_t part_of(std::string_view names, std::size_t parts);

const usage_tier& tier_of(const usage_book& book, char width);

}  // namespace photofinish::gateway
