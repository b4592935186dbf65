// Converts between the address types of sockets and of address ranges.
#pragma once

#include "gateway/ingress/address_range.hpp"

#include <boost/asio/ip/address.hpp>

namespace photofinish::gateway {

ip_bytes bytes_of(const boost::asio::ip::address& address);
// Converts bytes to an address. A mapped address is converted to IPv4.
boost::asio::ip::address address_of(const ip_bytes& bytes);

}  // namespace photofinish::gateway
