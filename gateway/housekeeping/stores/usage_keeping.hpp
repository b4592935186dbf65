// The usage book and its file: workers send the usage of their requests.
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
  // Reads the stored book. A file that cannot be used is set aside with a warning. Empty `state_dir`: only in memory.
  usage_keeping(house_loop& house, const std::string& state_dir, std::size_t workers);

  // Call this on that worker's thread. No share is lost.
  void note(std::size_t worker, used_share share);

  // The functions below are called on the housekeeper's thread.
  void drain();
  usage_report report(const usage_query& wanted) const { return make_usage_report(book_, wanted); }
  const usage_book& book() const { return book_; }

  // The part that other gateways may read. Rows of an earlier run come first: may_share() is false until raise() has
  // received them, because a smaller sum must not replace a larger one.
  usage_sharing& sharing() { return *sharing_; }
  bool may_share() const { return !added_; }
  bool has_kept() const { return has_kept_; }  // true if the book of an earlier run was read from the disk
  void raise(const std::vector<std::pair<shared_bucket, used_share>>& written);
  void save();   // saves new data; does not wait for the disk
  void close();  // saves new data and waits
  // True if the last write succeeded; false if there is no file.
  bool is_kept() { return file_ && file_->is_written(); }

 private:
  void add(const used_share& share, std::chrono::sys_seconds now);
  void load(std::chrono::sys_seconds now);
  // The book's id outlives the process, even if the book was not saved, because the store then has its rows. Without a
  // file, each run has its own book.
  void name_book(const std::string& state_dir);

  house_loop& house_;
  mailbox<used_share, 512, 256> letters_;
  usage_book book_;
  std::optional<usage_sharing> sharing_;
  std::optional<usage_book> added_;  // usage since the start, until the store's rows of an earlier run are known
  std::optional<stats_file> file_;
  bool has_news_ = false, has_kept_ = false, is_old_book_ = false;
};

}  // namespace photofinish::gateway
