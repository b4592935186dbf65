// Blocks signals that end a process while this process cannot handle them. It cannot handle them between its start and
// the loop that handles them, and between that loop's end and the last byte of the statistics.
#pragma once

namespace photofinish::gateway {

// Blocks SIGTERM, SIGINT and SIGHUP on this thread and on the threads that it starts. Call this before
// any thread is started.
void block_signals();

// While an object of this class exists, its thread receives the blocked signals.
class unblocked_signals {
 public:
  unblocked_signals();
  unblocked_signals(const unblocked_signals&) = delete;
  unblocked_signals& operator=(const unblocked_signals&) = delete;
  ~unblocked_signals();
};

}  // namespace photofinish::gateway
