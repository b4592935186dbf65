// The PROXY header that a balancer sends before anything else of a connection: version 1 (a line) and 2 (bytes), as
// HAProxy's doc/proxy-protocol.txt has them. It says who connected to the balancer. [pure but for inet_pton]
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
  // A line has at most 107 bytes. Version 2 may announce 64 kB; balancers send some hundred, with a certificate's
  // names a little more.
  static constexpr std::size_t longest = 16 + 2048;

  enum class progress { more, whole, broken };

  // Takes from the front of `bytes` what belongs to the header, and returns how many those are: never one behind it.
  std::size_t take(std::string_view bytes);
  progress at() const { return at_; }

  // Of a whole header. None: the balancer speaks for itself (LOCAL, a check of health) or does not know (UNKNOWN).
  const std::optional<proxied_peer>& peer() const { return peer_; }
  // Of a broken one, to stand behind "the PROXY header".
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
