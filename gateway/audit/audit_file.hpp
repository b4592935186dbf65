// Lines on their way to a file, written by a thread of their own: a disk that is full or hangs holds up no one, and
// costs lines, which are counted. The file may be moved away at any time: it is made again.
#pragma once

#include "gateway/process/leavable_thread.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace photofinish::gateway {

class audit_file {
 public:
  // Bytes that may wait.
  static constexpr std::size_t max_waiting_bytes = 1u << 20;

  explicit audit_file(std::string path);
  audit_file(const audit_file&) = delete;
  audit_file& operator=(const audit_file&) = delete;
  ~audit_file();  // waits two seconds for what is left, and no longer

  const std::string& path() const { return path_; }

  // `lines` end with a line end. They are written whole, or dropped.
  void append(std::string lines);

  struct counts {
    std::uint64_t written = 0, dropped = 0;  // lines
    std::string trouble;  // why the last ones could not be written; empty: they were
  };
  counts so_far() const;

 private:
  struct queue;
  const std::string path_;
  const std::shared_ptr<queue> queue_;  // shared with the writer, which may outlive this
  leavable_thread writer_;
};

}  // namespace photofinish::gateway
