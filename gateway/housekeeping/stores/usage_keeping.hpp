// The usage book and its file. Workers send the usage of their requests.
#pragma once

#include "gateway/housekeeping/stores/house_loop.hpp"
#include "gateway/housekeeping/stores/mailbox.hpp"
#include "gateway/housekeeping/stores/stats_file.hpp"
#include "gateway/usage/usage_book.hpp"
#include "gateway/usage/usage_page.hpp"
#include "gateway/usage/usage_sharing.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class usage_keeping {
 public:
  // Reads the stored book. If the file cannot be used, it is set aside with a warning. If `state_dir` is empty, the
  // book is only in memory.
  usage_keeping(house_loop& house, const std::string& state_dir, std::size_t workers);

  // Call this on the thread of the given worker. No share is lost.
  void note(std::size_t worker, used_share share);

  // The functions below are called on the housekeeper's thread.
  void drain();
  usage_report report(const usage_query& wanted) const { return make_usage_report(book_, wanted); }
  const usage_book& book() const { return book_; }

  // The part of the book that other gateways may read. may_share() is false until raise() has received the rows of an
  // earlier run, because a smaller sum must not replace a larger one.
  usage_sharing& sharing() { return *sharing_; }
  bool may_share() const { return !added_; }
  bool has_kept() const { return has_kept_; }  // true if the book of an earlier run was read from the disk
  void raise(const std::vector<std::pair<shared_bucket, used_share>>& written);
  void save();   // saves new data without waiting for the disk
  void close();  // saves new data and waits for the disk
  // True if the last write succeeded. False if there is no file.
  bool is_kept() { return file_ && file_->is_written(); }

 private:
  void add(const used_share& share, std::chrono::sys_seconds now);
  void load(std::chrono::sys_seconds now);
  // Gives the book its id. The id outlives the process even if the book was not saved, because the store then has the
  // book's rows. Without a file, each run has its own book.
  void name_book(const std::string& state_dir);

  house_loop& house_;
  mailbox<used_share, 512, 256> letters_;
  usage_book book_;
  std::optional<usage_sharing> sharing_;
  // Usage since the start; empty after the rows of an earlier run were read from the store.
  std::optional<usage_book> added_;
  std::optional<stats_file> file_;
  bool has_news_ = false, has_kept_ = false, is_old_book_ = false;
};

}  // namespace photofinish::gateway
