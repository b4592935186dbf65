// Converts addresses between the types of sockets and of address ranges.
#pragma once

#include "gateway/ingress/address_range.hpp"

#include <boost/asio/ip/address.hpp>

namespace photofinish::gateway {

ip_bytes bytes_of(const boost::asio::ip::address& address);
// Converts bytes to an address. Returns an IPv4 address if the bytes are a mapped IPv4 address.
boost::asio::ip::address address_of(const ip_bytes& bytes);

}  // namespace photofinish::gateway
