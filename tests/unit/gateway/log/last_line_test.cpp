// Tests the last log line of a process that cannot continue. Also tests which failed allocations end the process.
#include "gateway/log/last_line.hpp"

#include "proxy/loop/spawn.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>

namespace photofinish::gateway {
namespace {

TEST(LastLine, NamesAnExceptionThatIsCaughtNowhere) {
  const auto break_down = [] {
    report_failures();
    std::thread([] { throw std::runtime_error("the \"disk\"\nis gone"); }).join();
  };
  EXPECT_EXIT(break_down(), testing::KilledBySignal(SIGABRT),
              "^[0-9-]+T[0-9:]+\\.[0-9]+\\+00:00 critical the process ends: an uncaught exception ended "
              "because of an internal error: the \\?disk\\?\\?is gone\n$");
}

TEST(LastLine, NamesTheWorkThatTheProcessNeeds) {
  const auto break_down = [] {
    report_failures();
    proxy::end_process("a listener", std::make_exception_ptr(std::bad_alloc()));
  };
  EXPECT_EXIT(break_down(), testing::KilledBySignal(SIGABRT),
              "critical the process ends: a listener ended because of an internal error: std::bad_alloc");
}

// The sanitizers replace operator new. Their operator does not call the new-handler.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr std::size_t little_memory = 256u << 20;

void leave_little_memory() {
  const rlimit limit{little_memory, little_memory};
  ::setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void use_all_memory(std::size_t in_pieces_of) {
  report_failures();
  leave_little_memory();
  [[maybe_unused]] void* volatile kept = nullptr;
  while (true) kept = ::operator new(in_pieces_of);
}

TEST(LastLine, TheProcessEndsWithoutMemoryForLittle) {
  EXPECT_EXIT(use_all_memory(1000), testing::KilledBySignal(SIGABRT), "critical the process ends: no memory is left");
}

TEST(LastLine, ALongAllocationFailsAlone) {
  const auto ask_for_much = [] {
    report_failures();
    leave_little_memory();
    try {
      void* volatile kept = ::operator new(std::size_t{1} << 30);
      (void)kept;
    } catch (const std::bad_alloc&) {
      void* volatile little = ::operator new(least_allocation / 2);
      std::_Exit(little != nullptr ? 7 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(ask_for_much(), testing::ExitedWithCode(7), "^$");
}
#endif

}  // namespace
}  // namespace photofinish::gateway
