// At build time, converts o200k_base.tiktoken and unicode_classes.txt to one file with the tables of table_layout.hpp.
// Usage: make_tables VOCABULARY CLASSES OUTPUT
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/tokens/char_class.hpp"
#include "proxy/tokens/table_layout.hpp"

namespace photofinish::proxy {
namespace {

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "make_tables: %s\n", why.c_str());
  std::exit(1);
}

std::ifstream open(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read " + path);
  return file;
}

std::uint32_t sextet(char letter) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t value = digits.find(letter);
  if (value == std::string_view::npos) fail("a token is not base64");
  return static_cast<std::uint32_t>(value);
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char letter : text.substr(0, text.find('='))) {
    bits = bits << 6 | sextet(letter);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  return bytes;
}

// Reads lines of the form `base64 rank`.
void add_vocabulary(std::istream& lines, std::string& out) {
  using namespace tables;
  std::vector<slot> table(slots);
  std::string bytes, line;
  while (std::getline(lines, line)) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) fail("a line of the vocabulary is not `base64 rank`");
    const std::string token = from_base64(std::string_view(line).substr(0, space));
    const unsigned long rank = std::stoul(line.substr(space + 1));
    if (token.empty() || token.size() > max_token_bytes) fail("a token is empty or too long");
    if (rank >> rank_bits || bytes.size() >> offset_bits) fail("the vocabulary is too large for the table");
    const std::uint64_t hash = hash_of(token.data(), token.size());
    std::size_t index = index_of(hash);
    while (table[index].where != 0) index = (index + 1) % slots;
    table[index].rank = static_cast<std::uint32_t>(rank) | tag_of(hash);
    table[index].where = static_cast<std::uint32_t>(bytes.size() | token.size() << offset_bits);
    bytes += token;
  }
  out.replace(slots_at, slots * sizeof(slot), reinterpret_cast<const char*>(table.data()), slots * sizeof(slot));
  out += bytes.append(padding, '\0');
}

std::uint8_t class_named(const std::string& name) {
  using namespace char_class;
  static const std::map<std::string, int> classes{
      {"upper", heads_word},  {"lower", ends_word},    {"caseless", heads_word | ends_word},
      {"number", is_number},  {"space", is_space},     {"mark", heads_word | ends_word | is_sign},
      {"newline", is_newline}};
  const auto known = classes.find(name);
  if (known == classes.end()) fail("unknown class '" + name + "'");
  return static_cast<std::uint8_t>(known->second);
}

// Reads lines of the form `first last class` in hexadecimal. `#` begins a comment.
std::string read_classes(std::istream& lines) {
  std::string classes(0x110000, static_cast<char>(char_class::is_sign));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::size_t first = 0, last = 0;
    std::string name;
    if (!(words >> std::hex >> first >> last >> name) || first > last || last >= classes.size())
      fail("not a range of characters: " + line);
    classes.replace(first, last - first + 1, last - first + 1, static_cast<char>(class_named(name)));
  }
  return classes;
}

void add_classes(std::istream& lines, std::string& out) {
  using namespace tables;
  const std::string classes = read_classes(lines);
  std::map<std::string, std::size_t> numbers;
  for (std::size_t block = 0; block < block_numbers; ++block) {
    const std::string content = classes.substr(block * block_size, block_size);
    const auto [at, is_new] = numbers.emplace(content, numbers.size());
    if (at->second >= max_blocks) fail("more different blocks of characters than fit into the tables");
    if (is_new) out.replace(blocks_at + at->second * block_size, block_size, content);
    out[block_numbers_at + block] = static_cast<char>(at->second);
  }
}

void make_tables(const std::string& vocabulary, const std::string& classes, const std::string& output) {
  std::string out(tables::bytes_at, '\0');
  std::ifstream tokens = open(vocabulary), characters = open(classes);
  add_classes(characters, out);
  add_vocabulary(tokens, out);
  std::ofstream file(output, std::ios::binary);
  if (!file.write(out.data(), static_cast<std::streamsize>(out.size())).flush()) fail("cannot write " + output);
}

}  // namespace
}  // namespace photofinish::proxy

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: make_tables VOCABULARY CLASSES OUTPUT\n");
    return 2;
  }
  photofinish::proxy::make_tables(words[1], words[2], words[3]);
}
