#include "tests/support/failing_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_print_stack_trace();
#endif

// These operators have their own file, because GCC 12 reports a mismatched free() if it inlines the operators.
namespace {

thread_local bool is_watched = false;
std::atomic<std::size_t> size_to_watch{0}, number_to_fail{0}, count{0};

void* allocate(std::size_t bytes) noexcept {
  if (const std::size_t size = size_to_watch.load(std::memory_order_relaxed); size != 0 && size == bytes) {
    size_to_watch = 0;
    is_watched = true;
  }
  if (is_watched) {
    const std::size_t number = count.fetch_add(1, std::memory_order_relaxed) + 1;
    if (number == number_to_fail.load(std::memory_order_relaxed)) {
#if defined(__SANITIZE_ADDRESS__)
      static const bool is_shown = std::getenv("SHOW_FAILED_ALLOCATION") != nullptr;
      if (is_shown) __sanitizer_print_stack_trace();
#endif
      return nullptr;
    }
  }
  return std::malloc(bytes == 0 ? 1 : bytes);
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (void* memory = allocate(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return ::operator new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace photofinish::tests {

void watch_thread_that_allocates(std::size_t bytes) { size_to_watch = bytes; }
bool has_watched_thread() { return size_to_watch == 0; }

void fail_allocation(std::size_t number) {
  number_to_fail = 0;
  count = 0;
  number_to_fail = number;
}

std::size_t allocations_of_thread() { return count; }

}  // namespace photofinish::tests
