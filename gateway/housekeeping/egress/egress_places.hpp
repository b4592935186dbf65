// Lists the hosts of a configuration's providers. If all requests fail to connect, the gateway tries to connect to
// these hosts. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "proxy/providers/forward_proxy.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct egress_place {
  std::string host;
  std::uint16_t port = 443;
  bool is_tls = true;
  std::string ca_file;
  std::optional<proxy::forward_proxy> via;

  bool operator==(const egress_place&) const = default;
};

inline constexpr std::size_t most_egress_places = 16;

// Returns the hosts of all providers that routes use, without duplicates, and at most `most_egress_places` hosts. If
// there are no routes, returns the hosts of all providers that have a key or need no key.
std::vector<egress_place> egress_places(const config& settings);

}  // namespace photofinish::gateway
