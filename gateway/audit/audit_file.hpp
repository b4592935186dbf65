// Appends lines of the audit log to its file. The file may be moved away at any time.
#pragma once

#include "gateway/log/line_writer.hpp"

#include <cstddef>
#include <string>

namespace photofinish::gateway {

class audit_file {
 public:
  // The largest number of bytes that wait to be written.
  static constexpr std::size_t max_waiting_bytes = 1u << 20;

  explicit audit_file(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  // Appends lines, which must end with a line end. The lines are written completely, or dropped.
  void append(std::string lines);

  using counts = line_writer::counts;
  counts so_far() const { return writer_.so_far(); }

 private:
  const std::string path_;
  line_writer writer_{max_waiting_bytes};
};

}  // namespace photofinish::gateway
