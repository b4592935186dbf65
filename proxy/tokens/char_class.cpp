#include "proxy/tokens/char_class.hpp"

#include "proxy/tokens/embedded_tables.hpp"
#include "proxy/tokens/table_layout.hpp"

namespace photofinish::proxy {
namespace {

const std::uint8_t* table(std::size_t at) {
  return reinterpret_cast<const std::uint8_t*>(photofinish_token_tables) + at;
}

}  // namespace

std::uint8_t class_of(char32_t code) {
  const std::size_t block = table(tables::block_numbers_at)[code / tables::block_size];
  return table(tables::blocks_at)[block * tables::block_size + code % tables::block_size];
}

const std::uint8_t* first_classes() {
  return table(tables::blocks_at) + table(tables::block_numbers_at)[0] * tables::block_size;
}

}  // namespace photofinish::proxy
