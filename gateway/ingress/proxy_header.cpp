#include "gateway/ingress/proxy_header.hpp"

#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::string_view line_begin = "PROXY ";
constexpr std::string_view bytes_begin("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t longest_line = 107;
constexpr std::size_t fixed_bytes = 16;
constexpr unsigned char tcp_over_v4 = 0x11, tcp_over_v6 = 0x21, unix_stream = 0x31, unspecified = 0x00;

unsigned char byte_of(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

std::size_t pair_of(std::string_view bytes, std::size_t at) {
  return static_cast<std::size_t>(byte_of(bytes, at) << 8 | byte_of(bytes, at + 1));
}

// Reads a port. Accepts only digits, without leading zeros.
std::optional<std::uint16_t> port_in(std::string_view text) {
  return text.size() > 1 && text[0] == '0' ? std::nullopt : proxy::parse_number<std::uint16_t>(text);
}

// True if the bytes consist of complete records, each with a type, a length and a value.
bool are_records(std::string_view bytes) {
  while (bytes.size() >= 3) {
    const std::size_t size = 3 + pair_of(bytes, 1);
    if (size > bytes.size()) return false;
    bytes.remove_prefix(size);
  }
  return bytes.empty();
}

}  // namespace

std::size_t proxy_header::take(std::string_view bytes) {
  std::size_t taken = 0;
  while (at_ == progress::more && taken < bytes.size()) {
    held_ += bytes[taken++];
    look();
  }
  return taken;
}

void proxy_header::look() {
  if (held_.starts_with(line_begin)) return look_at_line();
  if (held_.starts_with(bytes_begin)) return look_at_bytes();
  if (!line_begin.starts_with(held_) && !bytes_begin.starts_with(held_)) fail("is not at the start of the connection");
}

void proxy_header::look_at_line() {
  if (held_.ends_with('\n')) {
    if (!held_.ends_with("\r\n")) return fail("ends without CR LF");
    return read_line(std::string_view(held_).substr(0, held_.size() - 2));
  }
  if (held_.size() >= longest_line) fail("is longer than 107 bytes");
}

void proxy_header::read_line(std::string_view line) {
  line.remove_prefix(line_begin.size());
  if (line == "UNKNOWN" || line.starts_with("UNKNOWN ")) {
    at_ = progress::whole;
    return;
  }
  std::array<std::string_view, 5> words{};
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::size_t space = at + 1 < words.size() ? line.find(' ') : line.size();
    if (space == std::string_view::npos) return fail("has too few parts");
    words[at] = line.substr(0, space);
    line.remove_prefix(std::min(space + 1, line.size()));
  }
  const auto& [family, source, destination, source_port, destination_port] = words;
  const bool is_v4 = family == "TCP4";
  if (!is_v4 && family != "TCP6") return fail("is not for TCP");
  const auto has_family = [&](std::string_view text) { return (text.find(':') == std::string_view::npos) == is_v4; };
  const auto from = parse_ip(source), to = parse_ip(destination);
  if (!from || !to || !has_family(source) || !has_family(destination)) return fail("contains no valid addresses");
  const auto port = port_in(source_port);
  if (!port || !port_in(destination_port)) return fail("contains no valid ports");
  peer_ = proxied_peer{*from, *port};
  at_ = progress::whole;
}

void proxy_header::look_at_bytes() {
  if (held_.size() < fixed_bytes) return;
  const unsigned char command = byte_of(held_, 12), family = byte_of(held_, 13);
  const std::size_t size = fixed_bytes + pair_of(held_, 14);
  if (held_.size() == fixed_bytes) {
    if (command != 0x20 && command != 0x21) return fail("has an unknown version or command");
    if (size > longest) return fail("is longer than 2064 bytes");
  }
  if (held_.size() < size) return;
  const bool is_for_another = command == 0x21 && family != unspecified && family != unix_stream;
  if (is_for_another) return read_addresses(family);
  at_ = progress::whole;
}

void proxy_header::read_addresses(unsigned char family) {
  if (family != tcp_over_v4 && family != tcp_over_v6) return fail("is not for TCP");
  const std::size_t address_bytes = family == tcp_over_v4 ? 4 : 16;
  const std::size_t size = 2 * address_bytes + 4;
  const std::string_view rest = std::string_view(held_).substr(fixed_bytes);
  if (rest.size() < size) return fail("is too short for its addresses");
  if (!are_records(rest.substr(size))) return fail("ends in the middle of a record");
  proxied_peer peer;
  if (family == tcp_over_v4) peer.address[10] = peer.address[11] = 0xFF;
  for (std::size_t at = 0; at < address_bytes; ++at) peer.address[16 - address_bytes + at] = byte_of(rest, at);
  peer.port = static_cast<std::uint16_t>(pair_of(rest, 2 * address_bytes));
  peer_ = peer;
  at_ = progress::whole;
}

void proxy_header::fail(std::string why) {
  problem_ = std::move(why);
  at_ = progress::broken;
}

}  // namespace photofinish::gateway
