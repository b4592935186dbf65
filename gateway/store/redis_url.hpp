// redis://user:password@host:6379/0, as Redis' own tools write it; rediss: with TLS. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct redis_place {
  bool is_tls = false;
  std::string host;  // an IPv6 address without brackets
  std::uint16_t port = 6379;
  std::string user;        // empty: the store's default user
  proxy::secret password;  // empty: none is sent
  unsigned database = 0;

  bool operator==(const redis_place&) const = default;
  // For the log: host and port alone.
  std::string shown() const;
};

struct redis_url_result {
  std::optional<redis_place> place;
  std::string problem;  // why there is none, for a person; it repeats nothing of the URL
};

// User and password may be percent-encoded.
redis_url_result parse_redis_url(std::string_view text);

// HOST or HOST:PORT, by default 26379; none: it is neither. An IPv6 address stands in brackets.
std::optional<redis_place> parse_sentinel_address(std::string_view text);
// As a sentinel names it; none: not a host and a port.
std::optional<redis_place> read_redis_place(std::string_view host, std::string_view port);

}  // namespace photofinish::gateway
