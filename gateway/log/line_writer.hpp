// Writes lines to files on its own thread. A full or hanging disk does not delay requests. Lines that cannot be written
// are dropped and counted.
#pragma once

#include "gateway/threads/leavable_thread.hpp"
#include "proxy/memory/memory_share.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace photofinish::gateway {

class line_writer {
 public:
  // Lines that are written together or dropped together.
  struct piece {
    std::string file;                  // the path of the file to which the lines are added
    // Returns the text of these lines, which may be empty. The writer's thread calls this function.
    std::function<std::string()> make;
    std::size_t bytes = 0;             // the number of bytes by which these lines increase the queue's size
    std::uint64_t lines = 1;           // the number of these lines, for the counts of written and dropped lines
    proxy::memory_share held = {};     // the memory that the waiting bytes occupy; released after they are written
  };

  // Makes a writer. It drops lines if more than `max_waiting_bytes` would then wait to be written.
  explicit line_writer(std::size_t max_waiting_bytes);
  line_writer(const line_writer&) = delete;
  line_writer& operator=(const line_writer&) = delete;
  ~line_writer();  // the destructor waits at most two seconds until the remaining lines are written

  void append(piece added);

  struct counts {
    std::uint64_t written = 0, dropped = 0;  // the numbers of lines that were written and that were dropped
    std::string trouble;  // the reason for the last failure; empty if the last write succeeded
  };
  counts so_far() const;

 private:
  struct queue;
  const std::shared_ptr<queue> queue_;  // shared with the writing thread, which may outlive this object
  leavable_thread writer_;
};

}  // namespace photofinish::gateway
