// Addresses between sockets and rules.
#pragma once

#include "gateway/ingress/address_range.hpp"

#include <boost/asio/ip/address.hpp>

namespace photofinish::gateway {

ip_bytes bytes_of(const boost::asio::ip::address& address);
// An IPv4 address where it is one.
boost::asio::ip::address address_of(const ip_bytes& bytes);

}  // namespace photofinish::gateway
