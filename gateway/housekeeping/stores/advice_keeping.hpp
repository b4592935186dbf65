// Keeps the races from which advice is computed, in memory and in a file. Workers send a record of each request for
// which there was a race.
#pragma once

#include "gateway/housekeeping/stores/house_loop.hpp"
#include "gateway/housekeeping/stores/housekeeping.hpp"
#include "gateway/housekeeping/stores/mailbox.hpp"
#include "gateway/housekeeping/stores/stats_file.hpp"
#include "racing/advice/speed_history.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace photofinish::gateway {

class advice_keeping {
 public:
  // Reads the stored records. If the file cannot be used, it is renamed and a warning is logged.
  advice_keeping(house_loop& house, const housekeeping& how, std::size_t workers);

  // Call this on the thread of the given worker. If the worker's queue is full, the record of the race is dropped,
  // because a single record hardly matters.
  void note(std::size_t worker, std::unique_ptr<racing::raced_request> race) { letters_.put(worker, std::move(race)); }

  // The functions below are called on the housekeeper's thread.
  void tick();  // processes the new races; called once per second
  void expire(racing::wall_time now) { history_.expire(now); }
  // Moves all stored times by the given duration. Call this if the clock was wrong and has been corrected.
  void shift(std::chrono::milliseconds by);
  const racing::speed_records& records() const { return history_.records(); }

  void save();   // saves new records without waiting for the disk
  void close();  // saves new records and waits for the disk
  // True if the last write succeeded. False if there is no file.
  bool is_kept() { return file_ && file_->is_written(); }

 private:
  void drain(racing::instant now);
  void load(racing::wall_time now);
  void fit_to(racing::wall_time now, racing::speed_records& records) const;

  house_loop& house_;
  mailbox<std::unique_ptr<racing::raced_request>, 1024, 256> letters_;
  racing::speed_history history_;
  std::optional<stats_file> file_;
  bool has_news_ = false;
};

}  // namespace photofinish::gateway
