#include "proxy/aws/crc32.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace photofinish::proxy {
namespace {

constexpr std::uint32_t polynomial = 0xEDB88320;  // reflected
constexpr std::size_t at_once = 8;

// tables[n][byte] is the effect of a byte on the checksum if n more bytes follow it. Eight bytes take eight independent
// look-ups. If there were only one table, each look-up would have to wait for the result of the previous one.
using table = std::array<std::uint32_t, 256>;
constexpr std::array<table, at_once> tables = [] {
  std::array<table, at_once> all{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? polynomial : 0);
    all[0][byte] = sum;
  }
  for (std::size_t behind = 1; behind < at_once; ++behind)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = all[behind - 1][byte];
      all[behind][byte] = (before >> 8) ^ all[0][before & 0xFF];
    }
  return all;
}();

}  // namespace

std::uint32_t crc32_of(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t sum = ~0u;
  for (; bytes.size() >= at_once; bytes.remove_prefix(at_once)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), at_once);
    word ^= sum;
    sum = 0;
    for (std::size_t each = 0; each < at_once; ++each) sum ^= tables[at_once - 1 - each][(word >> (8 * each)) & 0xFF];
  }
  for (const char byte : bytes) sum = (sum >> 8) ^ tables[0][(sum ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~sum;
}

}  // namespace photofinish::proxy
