// Parses URLs of the form redis://user:password@host:6379/0, as Redis' own tools write them. The scheme rediss: means
// TLS. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct redis_place {
  bool is_tls = false;
  std::string host;  // the name or address of the host; an IPv6 address has no brackets
  std::uint16_t port = 6379;
  std::string user;        // the user's name; empty for the store's default user
  proxy::secret password;  // the password; if it is empty, the gateway sends no password
  unsigned database = 0;

  bool operator==(const redis_place&) const = default;
  // Returns only the host and the port, so that no password appears in the log.
  std::string shown() const;
};

struct redis_url_result {
  std::optional<redis_place> place;
  std::string problem;  // an error text, which contains no part of the URL
};

// Parses the URL of a store. The user name and the password may be percent-encoded.
redis_url_result parse_redis_url(std::string_view text);

// Parses the address of a sentinel, HOST or HOST:PORT. The default port is 26379. An IPv6 address must be in brackets.
// Returns nothing if the text has a different form.
std::optional<redis_place> parse_sentinel_address(std::string_view text);
// Reads an address from a sentinel's reply. Returns nothing if the two texts are not a host and a port.
std::optional<redis_place> read_redis_place(std::string_view host, std::string_view port);

}  // namespace photofinish::gateway
