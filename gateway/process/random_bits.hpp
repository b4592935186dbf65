// Random bits that cannot be predicted from earlier bits. They are read from the operating system in blocks of a few
// hundred bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace photofinish::gateway {

// Fills at most 256 bytes. Throws std::runtime_error if the operating system returns no random bytes.
void fill_with_random(std::span<char> bytes);

// Returns sixteen random hexadecimal digits, which are used as a unique name for a process.
std::string random_name();

// A source of random bits. It may be used on one thread only.
class random_bits {
 public:
  std::uint64_t next();

 private:
  std::array<std::uint64_t, 32> kept_{};
  std::size_t used_ = kept_.size();
};

}  // namespace photofinish::gateway
