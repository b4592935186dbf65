#include "proxy/conversation/carried_signature.hpp"

#include "proxy/json/base64.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

constexpr std::string_view prefix = "pf1.";

}  // namespace

std::string pack_signature(const carried_signature& carried) {
  std::string packed = std::string(prefix) + carried.readable_by;
  packed.append(".").append(base64_encoded(carried.text, base64_padding::wanted));
  if (!carried.item.empty()) packed.append(".").append(base64_encoded(carried.item, base64_padding::wanted));
  return packed;
}

std::optional<carried_signature> unpack_signature(std::string_view packed) {
  if (!packed.starts_with(prefix)) return std::nullopt;
  packed.remove_prefix(prefix.size());
  const std::size_t dot = packed.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view readable_by = packed.substr(0, dot);
  packed.remove_prefix(dot + 1);
  const std::size_t end = std::min(packed.find('.'), packed.size());
  const std::string_view item = end < packed.size() ? packed.substr(end + 1) : std::string_view();
  return carried_signature{std::string(readable_by), base64_decoded(packed.substr(0, end)), base64_decoded(item)};
}

}  // namespace photofinish::proxy
