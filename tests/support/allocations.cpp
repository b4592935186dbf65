#include "tests/support/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// The sanitizer declares this function in sanitizer/allocator_interface.h. Debian's GCC does not ship that header.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));
#endif

// These operators have their own file, because GCC 12 reports a mismatched free() if it inlines the operators.
namespace {
std::atomic<std::size_t> count{0};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Sanitizers replace operator new and operator delete to detect mismatched calls. Therefore this file does not replace the operators, and
// counts allocations with the sanitizer's hook.
void count_one(const volatile void*, std::size_t) { count.fetch_add(1, std::memory_order_relaxed); }
void count_none(const volatile void*) {}
[[maybe_unused]] const int is_installed = __sanitizer_install_malloc_and_free_hooks(count_one, count_none);
#endif
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t bytes) {
  count.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace photofinish::tests {

std::size_t allocations() { return count.load(std::memory_order_relaxed); }

}  // namespace photofinish::tests
