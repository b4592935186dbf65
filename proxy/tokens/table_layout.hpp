// The layout of the tokenizer's tables in the binary. make_tables.cpp writes them at build time, and the tokenizer
// reads them in place. The tables contain no pointers and need no work at startup. Numbers have the byte order of the
// build machine. [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace photofinish::proxy::tables {

// An entry of the vocabulary's hash table: a token's rank and the position of its bytes. The table uses open addressing
// with linear probing. If all bits of an entry are zero, the entry is empty.
struct slot {
  std::uint32_t rank = 0;   // lower 18 bits: the rank; upper 14 bits: a part of the token's hash
  std::uint32_t where = 0;  // lower 21 bits: offset of the token's bytes; next 8 bits: their number; 0 if the entry is
                            // empty
};
inline constexpr unsigned rank_bits = 18;
inline constexpr unsigned offset_bits = 21;

inline constexpr unsigned slot_index_bits = 19;  // 199,998 tokens take 38 % of the slots
inline constexpr std::size_t slots = std::size_t{1} << slot_index_bits;
inline constexpr std::size_t max_token_bytes = 128;
inline constexpr std::size_t padding = 8;  // number of readable bytes after the end of the tables

// The size of a block in the table of character classes. There is one block for each value of a code point's upper
// bits. Equal blocks are stored only once.
inline constexpr std::size_t block_size = 256;
inline constexpr std::size_t block_numbers = 0x110000 / block_size;
inline constexpr std::size_t max_blocks = 256;

// The offsets of the parts in the file of tables, in the order of the file.
inline constexpr std::size_t slots_at = 0;
inline constexpr std::size_t block_numbers_at = slots_at + slots * sizeof(slot);
inline constexpr std::size_t blocks_at = block_numbers_at + block_numbers;
inline constexpr std::size_t bytes_at = blocks_at + max_blocks * block_size;

inline std::uint64_t load8(const char* from) {
  std::uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline std::uint64_t load4(const char* from) {
  std::uint32_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// A token of 1 to 16 bytes, stored as two words, which may overlap.
struct short_key {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  friend bool operator==(const short_key&, const short_key&) = default;
};

inline short_key read_short(const char* from, std::size_t size) {
  if (size >= 8) return {load8(from), load8(from + size - 8)};
  if (size >= 4) return {load4(from), load4(from + size - 4)};
  const auto byte = [from](std::size_t at) { return static_cast<std::uint64_t>(static_cast<unsigned char>(from[at])); };
  return {byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16, 0};
}

inline std::uint64_t mix(short_key key, std::uint64_t seed) {
  std::uint64_t hash = (key.head ^ seed) * 0x9E3779B97F4A7C15u;
  hash = ((hash ^ (hash >> 32)) + key.tail) * 0xD6E8FEB86659FD93u;
  return (hash ^ (hash >> 32)) * 0xFF51AFD7ED558CCDu;
}

// Returns the hash of a token of 1 to max_token_bytes bytes.
inline std::uint64_t hash_of(const char* from, std::size_t size) {
  std::uint64_t hash = size;
  std::size_t rest = size;
  for (; rest > 16; rest -= 16, from += 16) hash = mix(read_short(from, 16), hash);
  return mix(read_short(from, rest), hash);
}

inline std::size_t index_of(std::uint64_t hash) { return hash >> (64 - slot_index_bits); }
inline std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash) << rank_bits; }

}  // namespace photofinish::proxy::tables
