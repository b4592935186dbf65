// Blocks signals that end a process while this process cannot handle them. That is the case between the start and the
// loop that handles them, and between that loop's end and the last byte of the statistics.
#pragma once

namespace photofinish::gateway {

// Blocks SIGTERM, SIGINT and SIGHUP on this thread and on the threads that it starts. Call it before any thread is
// started.
void block_signals();

// This thread receives these signals while the object lives.
class unblocked_signals {
 public:
  unblocked_signals();
  unblocked_signals(const unblocked_signals&) = delete;
  unblocked_signals& operator=(const unblocked_signals&) = delete;
  ~unblocked_signals();
};

}  // namespace photofinish::gateway
