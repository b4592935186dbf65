// What advice is made from, in the housekeeper's hands: workers send each raced request through a ring, and the records
// live in a file beside the statistics'.
#pragma once

#include "gateway/advice/advice_page.hpp"
#include "gateway/housekeeping/kept/housekeeping.hpp"
#include "gateway/housekeeping/kept/ring.hpp"
#include "gateway/housekeeping/kept/stats_file.hpp"
#include "racing/advice/route_advice.hpp"
#include "racing/advice/speed_history.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class advice_keeping {
 public:
  // Reads what was kept. A file that cannot be used is set aside with a warning.
  advice_keeping(const housekeeping& how, std::size_t workers, racing::wall_time now);

  // Worker `index` alone. True: the ring fills faster than it is emptied, drain() should come at once.
  bool note(std::size_t worker, std::unique_ptr<racing::raced_request> race) {
    race_ring& own = *rings_[worker];
    own.push(std::move(race));  // full: one race less says little
    return own.size() >= urgent_fill;
  }

  // The housekeeper's thread.
  void drain(racing::instant now, racing::wall_time wall);
  void tick(racing::instant now, racing::wall_time wall);  // each second; what has come is learned
  void expire(racing::wall_time now) { history_.expire(now); }
  void shift(std::chrono::milliseconds by);  // the clock was wrong by so much
  const racing::speed_records& records() const { return history_.records(); }

  void save();   // if there is something new; does not wait for the disk
  void close();  // likewise, and waits
  bool is_kept() { return file_ && file_->is_written(); }  // as far as was tried; false: also without a file

 private:
  static constexpr std::size_t urgent_fill = 256;
  using race_ring = ring<std::unique_ptr<racing::raced_request>, 1024>;

  void load(racing::wall_time now);
  void fit_to(racing::wall_time now, racing::speed_records& records) const;

  racing::speed_history history_;
  std::vector<std::unique_ptr<race_ring>> rings_;
  std::optional<stats_file> file_;
  bool has_news_ = false;
};

}  // namespace photofinish::gateway
