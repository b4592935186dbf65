// Opens a tunnel through an HTTP proxy with CONNECT (RFC 9110, 9.3.6), for both https and http targets. The stream then
// carries the bytes of both ends, and TLS starts on it as on a direct connection.
#pragma once

#include "proxy/net/byte_stream.hpp"
#include "proxy/providers/forward_proxy.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns "host:port", with brackets around an IPv6 address.
std::string authority_of(std::string_view host, std::uint16_t port);

std::string tunnel_request(const forward_proxy& via, std::string_view host, std::uint16_t port);

// Reads the proxy's answer. `head` is the whole answer up to its empty line. A failure (connect) contains the name of
// the proxy and its answer.
result<void> read_tunnel_answer(std::string_view head, const forward_proxy& via);

// Opens the tunnel. `stream` is a connection to the proxy. After a failure (connect, cancelled), it must not be used
// any more.
boost::asio::awaitable<result<void>> open_tunnel(byte_stream& stream, const forward_proxy& via, std::string host,
                                                 std::uint16_t port);

}  // namespace photofinish::proxy
