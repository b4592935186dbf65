#include "proxy/json/keyed_hash.hpp"

#include <bit>
#include <cstddef>

namespace photofinish::proxy {
namespace {

// The state and its rounds are those of "SipHash: a fast short-input PRF" (Aumasson and Bernstein, 2012).
class sip_state {
 public:
  explicit sip_state(const hash_key& key)
      : v0_(key[0] ^ 0x736f6d6570736575ull),
        v1_(key[1] ^ 0x646f72616e646f6dull),
        v2_(key[0] ^ 0x6c7967656e657261ull),
        v3_(key[1] ^ 0x7465646279746573ull) {}

  void add(std::uint64_t word) {
    v3_ ^= word;
    mix(2);
    v0_ ^= word;
  }

  std::uint64_t finish() {
    v2_ ^= 0xff;
    mix(4);
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void mix(int rounds) {
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

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t at = bytes.size(); at-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[at]);
  return word;
}

}  // namespace

std::uint64_t keyed_hash(std::string_view text, const hash_key& key) {
  constexpr std::size_t word_bytes = 8;
  sip_state state(key);
  const std::uint64_t size = text.size();
  for (; text.size() >= word_bytes; text.remove_prefix(word_bytes))
    state.add(little_endian(text.substr(0, word_bytes)));
  state.add(size << 56 | little_endian(text));
  return state.finish();
}

}  // namespace photofinish::proxy
