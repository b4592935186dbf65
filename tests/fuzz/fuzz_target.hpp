// Shared code of the fuzz targets: a check that stops the run, and functions that split one input into several values. A target prints
// nothing if all checks pass. The result depends only on the input's bytes, so a failing input always fails again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// libFuzzer's entry point, which each fuzz target defines. replay.cpp calls it for files.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace photofinish::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A copy of the bytes in separately allocated memory, followed by exactly `padding` readable bytes. A sanitizer therefore detects reads
// beyond the padding.
class exact_bytes {
 public:
  explicit exact_bytes(std::string_view bytes, std::size_t padding = 0)
      : size_(bytes.size()), bytes_(new char[bytes.size() + padding]) {
    std::memcpy(bytes_.get(), bytes.data() == nullptr ? "" : bytes.data(), bytes.size());
    std::memset(bytes_.get() + size_, '#', padding);
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

// A random generator that gives the same numbers for the same bytes on every machine.
inline std::mt19937_64 chance(std::string_view bytes) {
  std::uint64_t hash = 1469598103934665603u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  return std::mt19937_64(hash);
}

using pieces = std::vector<std::string_view>;

inline pieces byte_by_byte(std::string_view bytes) {
  pieces cut;
  for (std::size_t at = 0; at < bytes.size(); ++at) cut.push_back(bytes.substr(at, 1));
  return cut;
}

inline pieces at_random(std::string_view bytes) {
  pieces cut;
  std::mt19937_64 random = chance(bytes);
  const std::size_t longest = random() % 3 == 0 ? 3 : 40;
  while (!bytes.empty()) {
    const std::size_t size = 1 + random() % longest;
    cut.push_back(bytes.substr(0, size));
    bytes.remove_prefix(cut.back().size());
  }
  return cut;
}

}  // namespace photofinish::fuzz
