// Finds the caller's address if requests come from HTTP proxies. Reads only the trusted entries of X-Forwarded-For.
// [pure but for inet_pton]
#pragma once

#include "gateway/ingress/address_range.hpp"
#include "gateway/ingress/proxy_header.hpp"
#include "proxy/http/http_head.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace photofinish::gateway {

// The maximum number of proxies in a chain. X-Forwarded-For entries further to the left are ignored.
inline constexpr std::size_t most_forwarded = 32;

// Reads an entry of X-Forwarded-For: an address, with or without a port, such as 192.0.2.1:80 or [2001:db8::1]:80.
std::optional<proxied_peer> parse_forwarded(std::string_view entry);

// Returns the caller's address from X-Forwarded-For. Each proxy appends the address of its own peer. If the
// connection's peer is trusted, the last entry is used. If the address in that entry is also trusted, the entry before
// it is used, and so on. Returns nothing if the connection's peer is the caller itself, or if one of these entries is
// not an address.
std::optional<proxied_peer> forwarded_peer(const ip_bytes& peer, std::span<const proxy::header_field> fields,
                                           std::span<const address_range> trusted);

// True if the connection's peer is trusted, and the last X-Forwarded-Proto states that the client used TLS.
bool is_forwarded_https(const ip_bytes& peer, std::span<const proxy::header_field> fields,
                        std::span<const address_range> trusted);

}  // namespace photofinish::gateway
