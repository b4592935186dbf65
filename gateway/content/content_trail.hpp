// Writes the content log, with one file for each day, and deletes expired files. Only the housekeeper's thread may call
// it. Another thread makes and writes the lines.
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
  // The maximum number of bytes that wait to be written.
  static constexpr std::size_t max_waiting_bytes = 64u << 20;

  // Replaces the settings. A reload may turn the content log on or off, or change its path.
  void adopt(const content_log_settings& settings, log_time now);
  void add(std::shared_ptr<content_entry> entry, log_time now);
  // Deletes expired files, and logs once if lines cannot be written. The housekeeper calls this about once a
  // second.
  void tend(log_time now);
  void close();

  bool is_on() const { return writer_ != nullptr; }
  std::uint64_t written() const { return before_.written + (writer_ ? writer_->so_far().written : 0); }
  std::uint64_t dropped() const { return before_.dropped + (writer_ ? writer_->so_far().dropped : 0); }

 private:
  void delete_expired(log_time now);

  content_log_settings settings_;
  std::unique_ptr<line_writer> writer_;  // writes the lines; null if there is no content log
  line_writer::counts before_;           // the counts of lines that earlier writers wrote or dropped
  log_time looked_at_{};                 // the time of the last search for expired files
  std::string shown_trouble_;
};

}  // namespace photofinish::gateway
