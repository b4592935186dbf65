#include "proxy/json/member_index.hpp"

#include <bit>
#include <cassert>

namespace photofinish::proxy {
namespace {

// True if there are only a few members and no two of them have the same key. Comparing each pair of so few keys is
// cheaper than searching a list of known keys for each of them.
bool has_few_distinct(std::span<const json_member> members) {
  constexpr std::size_t few = 8;
  if (members.size() > few) return false;
  for (std::size_t at = 1; at < members.size(); ++at)
    for (std::size_t before = 0; before < at; ++before)
      if (members[at].raw_key == members[before].raw_key) return false;
  return true;
}

}  // namespace

bool json_key_is(std::string_view raw_key, std::string_view key) {
  if (raw_key == key) return true;
  return raw_key.size() > key.size() && raw_key.find('\\') != std::string_view::npos &&
         json_unescape(raw_key) == key;
}

member_index::member_index(std::string_view object) {
  if (!json_is_object(object)) return;
  members_.reserve(8);
  for (const json_member& member : json_members(object)) {
    has_escapes_ |= member.raw_key.find('\\') != std::string_view::npos;
    lengths_ |= length_bit(member.raw_key);
    members_.push_back(member);
  }
}

member_index::member_index(std::vector<json_member> members) : members_(std::move(members)) {
  for (const json_member& member : members_) lengths_ |= length_bit(member.raw_key);
}

bool member_index::is_called(const json_member& member, std::string_view key) const {
  if (member.raw_key.size() == key.size() && member.raw_key == key) return true;
  return has_escapes_ && json_key_is(member.raw_key, key);
}

// Most keys of the same size differ in their first byte. Therefore, the first bytes are compared inline before the
// complete keys.
const json_member* member_index::search(std::string_view key) const {
  for (const json_member& member : members_) {
    const bool may_be_called = member.raw_key.size() == key.size() && (key.empty() || member.raw_key[0] == key[0]);
    if ((may_be_called || has_escapes_) && is_called(member, key)) return &member;
  }
  return nullptr;
}

const std::string_view* member_index::find_repeated(std::span<const std::string_view> keys) const {
  assert(keys.size() <= 64);
  if (!has_escapes_ && has_few_distinct(members_)) return nullptr;
  std::uint64_t seen = 0, repeated = 0;
  for (const json_member& member : members_)
    for (std::size_t key = 0; key < keys.size(); ++key) {
      if (!has_escapes_ && member.raw_key.size() != keys[key].size()) continue;
      if (!is_called(member, keys[key])) continue;
      const std::uint64_t bit = std::uint64_t{1} << key;
      repeated |= seen & bit;
      seen |= bit;
    }
  return repeated == 0 ? nullptr : &keys[static_cast<std::size_t>(std::countr_zero(repeated))];
}

}  // namespace photofinish::proxy
