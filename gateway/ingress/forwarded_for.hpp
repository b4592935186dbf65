// Finds the caller's address if requests arrive through HTTP proxies: reads X-Forwarded-For as far as it is trusted.
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

// The limit of proxies in a chain. Entries further to the left are ignored.
inline constexpr std::size_t most_forwarded = 32;

// Reads an entry: an address, or an address with a port, such as 192.0.2.1:80 or [2001:db8::1]:80.
std::optional<proxied_peer> parse_forwarded(std::string_view entry);

// Returns the caller's address from X-Forwarded-For. Each proxy adds its own peer at the end. If the connection's peer
// is trusted, the last entry counts; if that entry is also trusted, the entry before it counts, and so on. Returns
// nothing if the connection's own peer is the caller, or if an entry on the way is not an address.
std::optional<proxied_peer> forwarded_peer(const ip_bytes& peer, std::span<const proxy::header_field> fields,
                                           std::span<const address_range> trusted);

// True if the connection's peer is trusted and reports in the last X-Forwarded-Proto that it was called over TLS.
bool is_forwarded_https(const ip_bytes& peer, std::span<const proxy::header_field> fields,
                        std::span<const address_range> trusted);

}  // namespace photofinish::gateway
