// Writes the content log: one file for each day. It also deletes expired files. Only the housekeeper's thread uses it;
// another thread makes and writes the lines.
#pragma once

#include "gateway/config/content_log_settings.hpp"
#include "gateway/content/content_entry.hpp"
#include "gateway/log/line_writer.hpp"
#include "gateway/log/time_text.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace photofinish::gateway {

class content_trail {
 public:
  // The largest number of bytes of requests that wait to be written.
  static constexpr std::size_t max_waiting_bytes = 64u << 20;

  // Changes the settings. A reload may start, end or move the content log.
  void adopt(const content_log_settings& settings, log_time now);
  void add(std::shared_ptr<content_entry> entry, log_time now);
  // Deletes expired files, and logs once if lines cannot be written. The housekeeper calls this about once a second.
  void tend(log_time now);
  void close();

  bool is_on() const { return writer_ != nullptr; }
  std::uint64_t written() const { return before_.written + (writer_ ? writer_->so_far().written : 0); }
  std::uint64_t dropped() const { return before_.dropped + (writer_ ? writer_->so_far().dropped : 0); }

 private:
  void delete_expired(log_time now);

  content_log_settings settings_;
  std::unique_ptr<line_writer> writer_;  // writes the lines; null if there is no content log
  line_writer::counts before_;           // counts of the writers that were used before
  log_time looked_at_{};                 // time of the last search for expired files
  std::string shown_trouble_;
};

}  // namespace photofinish::gateway
