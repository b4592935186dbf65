// The usage records of this gateway and their file. Workers report the usage of their requests to this object.
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
  // Reads the stored usage records. If the file cannot be used, it is renamed and a warning is logged. If `state_dir`
  // is empty, usage is only kept in memory.
  usage_keeping(house_loop& house, const std::string& state_dir, std::size_t workers);

  // Call this on the thread of the given worker. No amounts are lost: if the worker's queue is full, they are posted to
  // the housekeeper's thread.
  void note(std::size_t worker, used_share share);

  // The functions below are called on the housekeeper's thread.
  void drain();
  usage_report report(const usage_query& wanted) const { return make_usage_report(book_, wanted); }
  const usage_book& book() const { return book_; }

  // The object that shares this gateway's usage with other gateways. may_share() is false until raise() has received
  // the sums that an earlier process wrote to the store. Otherwise a smaller sum could replace a larger sum.
  usage_sharing& sharing() { return *sharing_; }
  bool may_share() const { return !added_; }
  // True if the usage records of an earlier process were read from the disk.
  bool has_kept() const { return has_kept_; }
  void raise(const std::vector<std::pair<shared_bucket, used_share>>& written);
  void save();   // saves new data without waiting for the disk
  void close();  // saves new data and waits for the disk
  // True if the last write succeeded. False if there is no file.
  bool is_kept() { return file_ && file_->is_written(); }

 private:
  void add(const used_share& share, std::chrono::sys_seconds now);
  void load(std::chrono::sys_seconds now);
  // Sets the id of this gateway's usage records. The id stays the same after a restart, even if the records themselves
  // were lost, because the store still has the sums under this id. If there is no file, each process gets a new id.
  void name_book(const std::string& state_dir);

  house_loop& house_;
  mailbox<used_share, 512, 256> letters_;
  usage_book book_;
  std::optional<usage_sharing> sharing_;
  // The usage since the start of this process. Empty after the sums of an earlier process have been read from the
  // store.
  std::optional<usage_book> added_;
  std::optional<stats_file> file_;
  bool has_news_ = false, has_kept_ = false, is_old_book_ = false;
};

}  // namespace photofinish::gateway
