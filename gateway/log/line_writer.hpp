// Writes lines to files with a thread of its own. A full or hanging disk delays no request. Lines that cannot be
// written are dropped and counted.
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
  // Lines that are either written or dropped together.
  struct piece {
    std::string file;                  // path of the file to which the lines are appended
    // Makes the text: whole lines, or an empty text if there is nothing to write. The writer's thread calls this
    // function.
    std::function<std::string()> make;
    std::size_t bytes = 0;             // number of bytes that wait with this piece
    std::uint64_t lines = 1;           // number of lines that are counted for this piece
    proxy::memory_share held = {};     // memory of the waiting bytes; released when they are written
  };

  // Makes a writer that drops pieces if more than `max_waiting_bytes` would wait.
  explicit line_writer(std::size_t max_waiting_bytes);
  line_writer(const line_writer&) = delete;
  line_writer& operator=(const line_writer&) = delete;
  ~line_writer();  // waits at most two seconds until the remaining lines are written

  void append(piece added);

  struct counts {
    std::uint64_t written = 0, dropped = 0;  // numbers of lines that were written and dropped
    std::string trouble;  // reason of the last failure; empty if the last lines were written
  };
  counts so_far() const;

 private:
  struct queue;
  const std::shared_ptr<queue> queue_;  // shared with the writing thread, which may outlive this object
  leavable_thread writer_;
};

}  // namespace photofinish::gateway
