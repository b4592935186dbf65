// The content log as it is written: a file a day, the oldest deleted. Of the housekeeper's thread; a thread of its own
// makes and writes the lines.
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
  // Bytes of requests that may wait to be written.
  static constexpr std::size_t max_waiting_bytes = 64u << 20;

  // A reload may begin, end or move it.
  void adopt(const content_log_settings& settings, log_time now);
  void add(std::shared_ptr<content_entry> entry, log_time now);
  // Once a second or so: deletes what is too old, and says in the log, once, that lines cannot be written.
  void tend(log_time now);
  void close();

  bool is_on() const { return writer_ != nullptr; }
  std::uint64_t written() const { return before_.written + (writer_ ? writer_->so_far().written : 0); }
  std::uint64_t dropped() const { return before_.dropped + (writer_ ? writer_->so_far().dropped : 0); }

 private:
  void delete_expired(log_time now);

  content_log_settings settings_;
  std::unique_ptr<line_writer> writer_;  // null: there is no content log
  line_writer::counts before_;           // of writers that have gone
  log_time looked_at_{};                 // for what is too old
  std::string shown_trouble_;
};

}  // namespace photofinish::gateway
