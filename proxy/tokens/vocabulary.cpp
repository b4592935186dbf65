#include "proxy/tokens/vocabulary.hpp"

#include "proxy/tokens/embedded_tables.hpp"

namespace photofinish::proxy {
namespace {

using namespace tables;

slot slot_at(std::size_t index) {
  slot found;
  std::memcpy(&found, photofinish_token_tables + slots_at + index * sizeof(slot), sizeof found);
  return found;
}

bool is_equal(const char* token, const char* bytes, std::size_t size) {
  if (size > 16) return std::memcmp(token, bytes, size) == 0;
  return read_short(token, size) == read_short(bytes, size);
}

}  // namespace

token_rank find_token(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > max_token_bytes) return no_token;
  constexpr std::uint32_t low_rank = (1u << rank_bits) - 1, low_offset = (1u << offset_bits) - 1;
  const std::uint64_t hash = hash_of(bytes.data(), bytes.size());
  const std::uint32_t tag = tag_of(hash);
  for (std::size_t index = index_of(hash);; index = (index + 1) % slots) {
    const slot found = slot_at(index);
    if (found.where == 0) return no_token;
    if ((found.rank & ~low_rank) != tag || found.where >> offset_bits != bytes.size()) continue;
    const char* token = photofinish_token_tables + bytes_at + (found.where & low_offset);
    if (is_equal(token, bytes.data(), bytes.size())) return found.rank & low_rank;
  }
}

}  // namespace photofinish::proxy
