// Lines on their way to files, written by a thread of their own: a disk that is full or hangs holds up no request, and
// costs lines, which are counted.
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
  // What is written together, or dropped.
  struct piece {
    std::string file;                  // its path
    std::function<std::string()> make;  // called on the writer's thread: whole lines; empty: there is nothing to write
    std::size_t bytes = 0;             // that wait with it
    std::uint64_t lines = 1;           // as it is counted
    proxy::memory_share held = {};     // of those bytes; given back when they are written
  };

  // `max_waiting_bytes`: more is dropped.
  explicit line_writer(std::size_t max_waiting_bytes);
  line_writer(const line_writer&) = delete;
  line_writer& operator=(const line_writer&) = delete;
  ~line_writer();  // waits two seconds for what is left, and no longer

  void append(piece added);

  struct counts {
    std::uint64_t written = 0, dropped = 0;  // lines
    std::string trouble;  // why the last ones could not be written; empty: they were
  };
  counts so_far() const;

 private:
  struct queue;
  const std::shared_ptr<queue> queue_;  // shared with the writer, which may outlive this
  leavable_thread writer_;
};

}  // namespace photofinish::gateway
