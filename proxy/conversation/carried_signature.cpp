#include "proxy/conversation/carried_signature.hpp"

#include "proxy/json/base64.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

constexpr std::string_view prefix = "pf1.";

}  // namespace

std::string pack_signature(const carried_signature& carried) {
  return std::string(prefix) + carried.readable_by + "." + base64_encoded(carried.text, base64_padding::wanted);
}

std::optional<carried_signature> unpack_signature(std::string_view packed) {
  if (!packed.starts_with(prefix)) return std::nullopt;
  packed.remove_prefix(prefix.size());
  const std::size_t dot = packed.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return carried_signature{std::string(packed.substr(0, dot)), base64_decoded(packed.substr(dot + 1))};
}

}  // namespace photofinish::proxy
