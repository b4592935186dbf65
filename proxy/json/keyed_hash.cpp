#include "proxy/json/keyed_hash.hpp"

#include <cstddef>

namespace photofinish::proxy {

std::uint64_t keyed_hash(std::string_view text, const hash_key& key) {
  constexpr std::size_t word_bytes = 8;
  sip_state<2, 4> state(key);
  const std::uint64_t size = text.size();
  for (; text.size() >= word_bytes; text.remove_prefix(word_bytes)) state.add(little_endian_word(text));
  state.add(size << 56 | little_endian_word(text));
  return state.finish();
}

}  // namespace photofinish::proxy
