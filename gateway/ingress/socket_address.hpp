// Converts addresses between sockets and rules.
#pragma once

#include "gateway/ingress/address_range.hpp"

#include <boost/asio/ip/address.hpp>

namespace photofinish::gateway {

ip_bytes bytes_of(const boost::asio::ip::address& address);
// Returns an IPv4 address if the bytes are a mapped one.
boost::asio::ip::address address_of(const ip_bytes& bytes);

}  // namespace photofinish::gateway
