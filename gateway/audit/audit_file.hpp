// Appends lines to the file of the audit log. The file may be moved away at any time.
#pragma once

#include "gateway/log/line_writer.hpp"

#include <cstddef>
#include <string>

namespace photofinish::gateway {

class audit_file {
 public:
  // The maximum number of bytes that wait to be written.
  static constexpr std::size_t max_waiting_bytes = 1u << 20;

  explicit audit_file(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  // Appends lines. The text must end with a line end. Either all of the lines are written, or all are dropped.
  void append(std::string lines);

  using counts = line_writer::counts;
  counts so_far() const { return writer_.so_far(); }

 private:
  const std::string path_;
  line_writer writer_{max_waiting_bytes};
};

}  // namespace photofinish::gateway
