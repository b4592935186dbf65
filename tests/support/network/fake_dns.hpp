// A DNS server on loopback whose behaviour the test determines. It may answer slowly, wrongly, or not at all.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace photofinish::testing {

struct dns_record {
  std::vector<std::string> v4, v6;
  std::uint32_t ttl_s = 60;
  std::chrono::milliseconds delay{0};
  bool is_silent = false;         // the DNS server sends no answer for this name
  bool is_silent_about_v6 = false;
  bool is_out_of_order = false;   // SERVFAIL
};

class fake_dns {
 public:
  explicit fake_dns(boost::asio::io_context& loop);
  ~fake_dns() { stop(); }

  std::string servers() const { return "127.0.0.1:" + std::to_string(socket_.local_endpoint().port()); }
  void stop();
  bool is_idle() const { return handlers_ == 0; }

  std::map<std::string, dns_record> records;  // DNS records by host name; a name without records does not exist
  std::map<std::string, int> queries;         // number of queries by name; A and AAAA queries count separately

 private:
  struct delayed {
    boost::asio::steady_timer timer;
    std::string bytes;
    boost::asio::ip::udp::endpoint to;
  };

  void receive();
  void reply(std::string query, boost::asio::ip::udp::endpoint from);

  boost::asio::io_context& loop_;
  boost::asio::ip::udp::socket socket_;
  boost::asio::ip::udp::endpoint from_;
  std::array<char, 1024> buffer_{};
  std::list<delayed> pending_;
  int handlers_ = 0;
};

}  // namespace photofinish::testing
