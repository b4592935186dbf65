// Parses the URL redis://user:password@host:6379/0 as Redis' own tools write it. The scheme rediss: means TLS. [pure]
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
  std::string user;        // the user's name; if empty, the store's default user
  proxy::secret password;  // the password; if empty, none is sent
  unsigned database = 0;

  bool operator==(const redis_place&) const = default;
  // Returns only the host and the port, for the log.
  std::string shown() const;
};

struct redis_url_result {
  std::optional<redis_place> place;
  std::string problem;  // an error text for people, which repeats no part of the URL
};

// Parses a URL. User and password may be percent-encoded.
redis_url_result parse_redis_url(std::string_view text);

// Reads HOST or HOST:PORT; the default port is 26379. An IPv6 address is written in brackets. Returns nothing for any
// other text.
std::optional<redis_place> parse_sentinel_address(std::string_view text);
// Reads an address in a sentinel's reply. Returns nothing if it is not a host and a port.
std::optional<redis_place> read_redis_place(std::string_view host, std::string_view port);

}  // namespace photofinish::gateway
