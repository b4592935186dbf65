#include "gateway/ingress/socket_address.hpp"

namespace photofinish::gateway {

namespace asio = boost::asio;

ip_bytes bytes_of(const asio::ip::address& address) {
  if (address.is_v6()) return address.to_v6().to_bytes();
  return asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()).to_bytes();
}

asio::ip::address address_of(const ip_bytes& bytes) {
  const asio::ip::address_v6 address(bytes);
  if (address.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, address);
  return address;
}

}  // namespace photofinish::gateway
