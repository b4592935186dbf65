#include "gateway/server/blocked_signals.hpp"

#include <pthread.h>

#include <csignal>
#include <initializer_list>

namespace photofinish::gateway {
namespace {

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, each);
  return set;
}

void change_mask(int how) {
  const sigset_t set = handled_signals();
  ::pthread_sigmask(how, &set, nullptr);
}

}  // namespace

void block_signals() { change_mask(SIG_BLOCK); }

unblocked_signals::unblocked_signals() { change_mask(SIG_UNBLOCK); }

unblocked_signals::~unblocked_signals() { change_mask(SIG_BLOCK); }

}  // namespace photofinish::gateway
