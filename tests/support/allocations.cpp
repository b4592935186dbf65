#include "tests/support/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Of sanitizer/allocator_interface.h, which Debian's GCC leaves out.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));
#endif

// In a file of its own: where GCC 12 sees them inlined it takes free() for the wrong partner of new.
namespace {
std::atomic<std::size_t> count{0};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// A sanitizer brings operators of its own, and checks that what they gave is taken back by their partners.
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
