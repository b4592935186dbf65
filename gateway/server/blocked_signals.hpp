// Signals that end a process wait while this one cannot take them: between the start and the loop that handles them,
// and between that loop's end and the last byte of the statistics. By default any of them would kill it there.
#pragma once

namespace photofinish::gateway {

// SIGTERM, SIGINT and SIGHUP wait from now on, on this thread and on those that it starts. Made before any of them.
void block_signals();

// While it lives, this thread takes them.
class unblocked_signals {
 public:
  unblocked_signals();
  unblocked_signals(const unblocked_signals&) = delete;
  unblocked_signals& operator=(const unblocked_signals&) = delete;
  ~unblocked_signals();
};

}  // namespace photofinish::gateway
