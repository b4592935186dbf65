// Simulates a full disk.
#pragma once

#include <csignal>

#include <sys/resource.h>

namespace photofinish::testing {

// Limits the size of this process's files, so that writing fails as on a full disk.
class full_disk {
 public:
  explicit full_disk(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit lower{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &lower);
  }
  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;
  ~full_disk() { lift(); }
  void lift() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace photofinish::testing
