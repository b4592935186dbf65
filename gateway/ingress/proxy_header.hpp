// The PROXY header that a load balancer sends as the first bytes of a connection: version 1 (a line) or 2 (binary), as
// defined in HAProxy's doc/proxy-protocol.txt. The header names the peer that connected to the load balancer.
// [pure but for inet_pton]
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
  // The length of the longest accepted header. A line of version 1 has at most 107 bytes. Version 2 allows 64 kB. Load
  // balancers send some hundred bytes, or a little more with the names of a certificate.
  static constexpr std::size_t longest = 16 + 2048;

  enum class progress { more, whole, broken };

  // Consumes the header's bytes from the front of `bytes` and returns their number. It never consumes a byte after the
  // header.
  std::size_t take(std::string_view bytes);
  progress at() const { return at_; }

  // Returns the peer in a complete header. Returns nothing if the load balancer connects for itself (LOCAL, a health
  // check), or does not know the peer (UNKNOWN).
  const std::optional<proxied_peer>& peer() const { return peer_; }
  // Returns the problem of an invalid header, as a text that follows "the PROXY header".
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
