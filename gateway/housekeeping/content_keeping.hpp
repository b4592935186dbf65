// Passes prompts and answers from the workers to the content log.
#pragma once

#include "gateway/content/content_trail.hpp"
#include "gateway/housekeeping/stores/house_loop.hpp"
#include "gateway/housekeeping/stores/mailbox.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace photofinish::gateway {

class content_keeping {
 public:
  content_keeping(boost::asio::io_context& loop, std::size_t workers)
      : letters_(loop, workers, [this] { drain(machine_time()); }) {}

  // Call this on the thread of the given worker.
  void note(std::size_t worker, std::unique_ptr<content_entry> entry) {
    const std::size_t bytes = entry->held_bytes();
    const std::size_t waiting = waiting_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const bool has_room = waiting <= most_waiting && letters_.put(worker, std::move(entry));
    if (!has_room) {
      waiting_.fetch_sub(bytes, std::memory_order_relaxed);
      dropped_.fetch_add(1, std::memory_order_relaxed);
    }
    if (!has_room || waiting >= urgent_bytes) letters_.wake();
  }

  // Call this on the housekeeper's thread. All waiting data is stored under the previous settings, because it belongs
  // to requests that started before the change. If the log was off before the change, the new settings apply instead.
  // Workers get new settings earlier than this thread, so in this case the waiting data belongs to requests that
  // started under the new settings.
  void adopt(const content_log_settings& settings, log_time now) {
    if (trail_.is_on()) drain(now);
    trail_.adopt(settings, now);
  }
  void drain(log_time now) {
    letters_.take([this, now](std::unique_ptr<content_entry> entry) {
      waiting_.fetch_sub(entry->held_bytes(), std::memory_order_relaxed);
      trail_.add(std::move(entry), now);
    });
  }
  void tick(log_time now) {
    drain(now);
    trail_.tend(now);
  }
  std::uint64_t written() const { return trail_.written(); }
  std::uint64_t dropped() const { return trail_.dropped() + dropped_.load(std::memory_order_relaxed); }
  void stop(log_time now) {
    drain(now);
    trail_.close();
  }

 private:
  // Limits for the total size in bytes of all entries that wait to be logged.
  static constexpr std::size_t most_waiting = 32u << 20, urgent_bytes = 1u << 20;

  mailbox<std::unique_ptr<content_entry>, 1024, 128> letters_;
  std::atomic<std::size_t> waiting_ = 0;      // the size in bytes of all entries in the workers' queues
  std::atomic<std::uint64_t> dropped_ = 0;  // the number of entries that were dropped because a worker's queue was full
  content_trail trail_;
};

}  // namespace photofinish::gateway
