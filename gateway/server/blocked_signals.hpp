// Blocks signals that end a process in the two periods when the gateway cannot handle them. The first period is before
// the event loop runs. The second is between the end of the event loop and the last write of the statistics.
#pragma once

namespace photofinish::gateway {

// Blocks SIGTERM, SIGINT and SIGHUP on this thread and on all threads that it starts later. Call this before any thread
// is started.
void block_signals();

// Unblocks SIGTERM, SIGINT and SIGHUP on this thread as long as this object exists.
class unblocked_signals {
 public:
  unblocked_signals();
  unblocked_signals(const unblocked_signals&) = delete;
  unblocked_signals& operator=(const unblocked_signals&) = delete;
  ~unblocked_signals();
};

}  // namespace photofinish::gateway
