#include "gateway/process/random_bits.hpp"

#include <sys/random.h>
#include <sys/types.h>

#include <stdexcept>
#include <string_view>

namespace photofinish::gateway {

// Fills the bytes with random bits. The system returns up to 256 random bytes without interruption.
void fill_with_random(std::span<char> bytes) {
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("the system returned no random bytes");
}

std::string random_name() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<char, 8> bytes{};
  fill_with_random(bytes);
  std::string name;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    name += digits[byte >> 4];
    name += digits[byte & 15];
  }
  return name;
}

std::uint64_t random_bits::next() {
  if (used_ == kept_.size()) {
    fill_with_random({reinterpret_cast<char*>(kept_.data()), sizeof kept_});
    used_ = 0;
  }
  const std::uint64_t given = kept_[used_];
  kept_[used_++] = 0;  // erases random bits from the buffer after they are used
  return given;
}

}  // namespace photofinish::gateway
