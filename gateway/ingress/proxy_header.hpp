// The PROXY header that a load balancer sends as the first bytes of a connection. There are version 1 (a line of text)
// and version 2 (binary). HAProxy's doc/proxy-protocol.txt defines both. The header contains the address of the client
// that connected to the load balancer. [pure but for inet_pton]
#pragma once

#include "gateway/ingress/address_range.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct proxied_peer {
  ip_bytes address{};
  std::uint16_t port = 0;

  bool operator==(const proxied_peer&) const = default;
};

class proxy_header {
 public:
  // The maximum length of a header. A line of version 1 has at most 107 bytes. Version 2 allows 64 kB, but load
  // balancers send about a hundred bytes, or a little more if certificate names are included.
  static constexpr std::size_t longest = 16 + 2048;

  enum class progress { more, whole, broken };

  // Consumes the header's bytes at the front of `bytes` and returns their number. Never consumes bytes after the
  // header.
  std::size_t take(std::string_view bytes);
  progress at() const { return at_; }

  // Returns the client's address from a complete header. Returns nothing if the load balancer connects on its own
  // behalf (LOCAL, a health check), or does not know the address (UNKNOWN).
  const std::optional<proxied_peer>& peer() const { return peer_; }
  // Returns the error in an invalid header. The text continues a message that begins with "the PROXY header".
  const std::string& problem() const { return problem_; }

 private:
  void look();
  void look_at_line();
  void look_at_bytes();
  void read_line(std::string_view line);
  void read_addresses(unsigned char family);
  void fail(std::string why);

  std::string held_;
  progress at_ = progress::more;
  std::optional<proxied_peer> peer_;
  std::string problem_;
};

}  // namespace photofinish::gateway
