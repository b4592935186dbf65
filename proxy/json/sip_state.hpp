// The state of SipHash and its rounds, for hashes of texts that remote peers choose. [pure] The sources are "SipHash: a
// fast short-input PRF" (Aumasson and Bernstein, 2012) and the authors' variant with 128-bit hashes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace photofinish::proxy {

using hash_key = std::array<std::uint64_t, 2>;

// Returns the first eight bytes of a text, or all bytes of a shorter text, as a little-endian number.
inline std::uint64_t little_endian_word(std::string_view bytes) {
  if constexpr (std::endian::native == std::endian::little) {
    if (bytes.size() >= sizeof(std::uint64_t)) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data(), sizeof word);
      return word;
    }
  }
  std::uint64_t word = 0;
  for (std::size_t at = bytes.size() < sizeof word ? bytes.size() : sizeof word; at-- > 0;)
    word = word << 8 | static_cast<unsigned char>(bytes[at]);
  return word;
}

// The state of one hash, with `word_rounds` rounds for each word of the text and `last_rounds` rounds after the last
// word.
template <int word_rounds, int last_rounds>
class sip_state {
 public:
  explicit sip_state(const hash_key& key)
      : v0_(key[0] ^ 0x736f6d6570736575ull),
        v1_(key[1] ^ 0x646f72616e646f6dull),
        v2_(key[0] ^ 0x6c7967656e657261ull),
        v3_(key[1] ^ 0x7465646279746573ull) {}

  // Prepares a hash of 128 bits. Must be called before add().
  void begin_wide() { v1_ ^= 0xee; }

  void add(std::uint64_t word) {
    v3_ ^= word;
    mix<word_rounds>();
    v0_ ^= word;
  }

  std::uint64_t finish() {
    v2_ ^= 0xff;
    return last_word();
  }
  std::array<std::uint64_t, 2> finish_wide() {
    v2_ ^= 0xee;
    const std::uint64_t first = last_word();
    v1_ ^= 0xdd;
    return {first, last_word()};
  }

 private:
  std::uint64_t last_word() {
    mix<last_rounds>();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

  template <int rounds>
  void mix() {
    for (int round = 0; round < rounds; ++round) {
      v0_ += v1_;
      v2_ += v3_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ = std::rotl(v0_, 32);
      v2_ += v1_;
      v0_ += v3_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace photofinish::proxy
