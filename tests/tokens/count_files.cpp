// Prints the token counts of each file that standard input names, one number per line, for compare.mjs. The first number counts the whole
// text. The second number counts the same text as a stream, in deltas of seven bytes or a little more.
#include "proxy/tokens/byte_pairs.hpp"
#include "proxy/tokens/token_counter.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

namespace proxy = photofinish::proxy;

std::uint64_t count_deltas(std::string_view text) {
  proxy::token_counter counter;
  std::uint64_t elsewhere = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t size = std::min<std::size_t>(7, text.size() - at);
    while (at + size < text.size() && (text[at + size] & 0xC0) == 0x80) ++size;
    elsewhere += proxy::count_tokens(counter.add(text.substr(at, size)));
    at += size;
  }
  elsewhere += proxy::count_tokens(counter.end());
  return counter.tokens() + elsewhere;
}

}  // namespace

int main() {
  for (std::string path; std::getline(std::cin, path);) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::cout << proxy::count_tokens(text) << ' ' << count_deltas(text) << '\n';
  }
}
