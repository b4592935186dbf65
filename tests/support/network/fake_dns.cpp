#include "tests/support/network/fake_dns.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>

#include <utility>

namespace photofinish::testing {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t header_bytes = 12;
constexpr int type_a = 1, type_aaaa = 28;

void put16(std::string& out, unsigned value) {
  out.push_back(static_cast<char>(value >> 8));
  out.push_back(static_cast<char>(value & 0xFF));
}

// Returns the name in the question of a DNS query, and the position after the name.
std::pair<std::string, std::size_t> name_of(const std::string& query) {
  std::string name;
  std::size_t at = header_bytes;
  while (query.at(at) != 0) {
    const auto length = static_cast<std::size_t>(query[at]);
    if (!name.empty()) name += '.';
    name += query.substr(at + 1, length);
    at += length + 1;
  }
  return {name, at + 1};
}

template <class Bytes>
void put_record(std::string& out, int type, std::uint32_t ttl_s, const Bytes& address) {
  put16(out, 0xC00C);  // a compressed name that refers to the name in the question
  put16(out, static_cast<unsigned>(type));
  put16(out, 1);
  put16(out, ttl_s >> 16);
  put16(out, ttl_s & 0xFFFF);
  put16(out, static_cast<unsigned>(address.size()));
  out.append(address.begin(), address.end());
}

}  // namespace

fake_dns::fake_dns(boost::asio::io_context& loop)
    : loop_(loop), socket_(loop, ip::udp::endpoint(ip::address_v4::loopback(), 0)) {
  receive();
}

void fake_dns::stop() {
  boost::system::error_code ec;
  socket_.close(ec);
  for (auto& each : pending_) each.timer.cancel();
}

void fake_dns::receive() {
  ++handlers_;
  socket_.async_receive_from(boost::asio::buffer(buffer_), from_,
                             [this](const boost::system::error_code& ec, std::size_t bytes) {
                               --handlers_;
                               if (!socket_.is_open()) return;
                               if (!ec) reply(std::string(buffer_.data(), bytes), from_);
                               receive();
                             });
}

void fake_dns::reply(std::string query, ip::udp::endpoint from) {
  const auto [name, end] = name_of(query);
  const int type = static_cast<unsigned char>(query.at(end + 1));
  ++queries[name];
  const auto found = records.find(name);
  const dns_record record = found == records.end() ? dns_record{} : found->second;
  if (record.is_silent || (record.is_silent_about_v6 && type == type_aaaa)) return;

  const auto& addresses = type == type_a ? record.v4 : record.v6;
  const bool is_refused = found == records.end();
  std::string out = query.substr(0, 2);
  put16(out, 0x8180u | (is_refused ? 3u : record.is_out_of_order ? 2u : 0u));
  put16(out, 1);
  put16(out, is_refused || record.is_out_of_order ? 0 : static_cast<unsigned>(addresses.size()));
  put16(out, 0);
  put16(out, 0);
  out += query.substr(header_bytes, end + 4 - header_bytes);
  if (!is_refused && !record.is_out_of_order) {
    for (const auto& text : addresses) {
      const auto address = ip::make_address(text);
      if (address.is_v4()) put_record(out, type_a, record.ttl_s, address.to_v4().to_bytes());
      else put_record(out, type_aaaa, record.ttl_s, address.to_v6().to_bytes());
    }
  }
  auto& pending = pending_.emplace_back(delayed{boost::asio::steady_timer(loop_, record.delay), out, from});
  ++handlers_;
  pending.timer.async_wait([this, &pending](const boost::system::error_code& ec) {
    --handlers_;
    boost::system::error_code ignored;
    if (!ec && socket_.is_open()) socket_.send_to(boost::asio::buffer(pending.bytes), pending.to, 0, ignored);
  });
}

}  // namespace photofinish::testing
