// Random bits that cannot be guessed from those given before: the system's own, some hundred bytes at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace photofinish::gateway {

// At most 256 bytes at once. Throws std::runtime_error where the system gives none.
void fill_with_random(std::span<char> bytes);

// Sixteen hexadecimal digits: a name that no other process has.
std::string random_name();

// Of one thread.
class random_bits {
 public:
  std::uint64_t next();

 private:
  std::array<std::uint64_t, 32> kept_{};
  std::size_t used_ = kept_.size();
};

}  // namespace photofinish::gateway
