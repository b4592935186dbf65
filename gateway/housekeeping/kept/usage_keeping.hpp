// The book of what was used and its file, in the housekeeper's hands; workers hand in what their requests used.
#pragma once

#include "gateway/housekeeping/kept/ring.hpp"
#include "gateway/housekeeping/kept/stats_file.hpp"
#include "gateway/usage/usage_book.hpp"
#include "gateway/usage/usage_page.hpp"
#include "gateway/usage/usage_sharing.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class usage_keeping {
 public:
  // Reads what was kept. A file that cannot be used is set aside with a warning. Empty `state_dir`: memory alone.
  usage_keeping(const std::string& state_dir, std::size_t workers, std::chrono::sys_seconds now);

  // Worker `index`. False: there is no room, nothing was taken.
  bool note(std::size_t worker, used_share& share);
  // Likewise: drain() should come at once.
  bool is_urgent(std::size_t worker) const { return rings_[worker]->size() >= urgent_fill; }

  // The housekeeper's thread.
  void add(const used_share& share, std::chrono::sys_seconds now);
  void drain(std::chrono::sys_seconds now);
  usage_report report(const usage_query& wanted) const { return make_usage_report(book_, wanted); }
  const usage_book& book() const { return book_; }

  // The part that other gateways may read. The rows of an earlier run come first: may_share() is false until raise()
  // had them, because a smaller sum must not replace a larger one.
  usage_sharing& sharing() { return *sharing_; }
  bool may_share() const { return !added_; }
  bool has_kept() const { return has_kept_; }  // the book of an earlier run was read from the disk
  void raise(const std::vector<std::pair<shared_bucket, used_share>>& written);
  void save(std::chrono::sys_seconds now);  // if there is something new; does not wait for the disk
  void close(std::chrono::sys_seconds now);  // likewise, and waits
  bool is_kept() { return file_ && file_->is_written(); }  // as far as was tried; false: also without a file

 private:
  static constexpr std::size_t capacity = 512, urgent_fill = 256;
  using usage_ring = ring<used_share, capacity>;

  void load(std::chrono::sys_seconds now);
  // The book's id outlives the process, also if the book was not saved: the store then has its rows. Without a file,
  // each run has a book of its own.
  void name_book(const std::string& state_dir);

  usage_book book_;
  std::optional<usage_sharing> sharing_;
  std::optional<usage_book> added_;  // since the start, until the store's rows of an earlier run are known
  std::optional<stats_file> file_;
  std::vector<std::unique_ptr<usage_ring>> rings_;
  bool has_news_ = false, has_kept_ = false, is_old_book_ = false;
};

}  // namespace photofinish::gateway
