#include "proxy/json/key_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace photofinish::proxy {
namespace {

// Returns a 64-bit mask with one bit set. The length of the word determines the bit. All lengths above 62 share the
// last bit.
std::uint64_t length_bit(std::size_t length) { return std::uint64_t{1} << std::min<std::size_t>(length, 63); }

}  // namespace

bool holds_quoted(std::string_view json, std::span<const std::string_view> words) {
  std::uint64_t lengths = 0;
  for (const std::string_view word : words) lengths |= length_bit(word.size());
  std::size_t quote = json.find('"');
  while (quote != std::string_view::npos) {
    const std::size_t begin = quote + 1;
    quote = json.find('"', begin);
    if (quote == std::string_view::npos) return false;
    const std::string_view between = json.substr(begin, quote - begin);
    const bool has_length = (lengths & length_bit(between.size())) != 0;
    if (has_length && std::find(words.begin(), words.end(), between) != words.end()) return true;
  }
  return false;
}

}  // namespace photofinish::proxy
