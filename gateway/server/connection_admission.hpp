// A connection before its first request. If required, it reads the PROXY header and performs the TLS handshake. Both
// together may take at most header_timeout. The worker can abort them at any time. Single-threaded. The worker owns the
// object and awaits run().
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/ingress/client_tls.hpp"
#include "gateway/ingress/proxy_header.hpp"
#include "gateway/server/handshake_turns.hpp"
#include "gateway/requests/session.hpp"
#include "metrics/outcomes.hpp"
#include "proxy/loop/alarms.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

// A listener's requirements for new connections.
struct admission_rules {
  std::shared_ptr<const config> settings;  // the settings that were valid when the connection was accepted
  std::shared_ptr<SSL_CTX> tls;            // the TLS context; null if the listener has no TLS
  bool is_proxied = false;

  bool are_none() const { return !tls && !is_proxied; }
};

// The reason why a connection was rejected, for the counter and the log.
struct turned_back {
  metrics::refused_connection why = metrics::refused_connection::tls;
  std::string detail;
  std::string_view answer = {};  // the response to send if the client's socket is still open
};

class connection_admission {
 public:
  connection_admission(boost::asio::ip::tcp::socket socket, const listener_traits& listener, load_place place,
                       admission_rules rules, proxy::alarms& alarms, handshake_turns& turns);

  // Admits or rejects the connection. Returns nothing if it is admitted. Call this only once.
  boost::asio::awaitable<std::optional<turned_back>> run();
  // Makes run() end, either in this turn of the event loop or in the next one.
  void cut(metrics::refused_connection why, std::string detail);

  // Records that the worker cut this connection to make room for newer ones. Call this after the worker has removed the
  // connection from its list of unadmitted connections.
  void note_pushed_out() { is_pushed_out_ = true; }
  bool is_pushed_out() const { return is_pushed_out_; }

  // Returns the socket. Call this after the connection was admitted, or to send a response to a rejected client.
  boost::asio::ip::tcp::socket take_socket() { return std::move(socket_); }
  load_place take_place() { return std::move(place_); }
  std::unique_ptr<client_tls> take_tls() { return std::move(tls_); }
  const boost::asio::ip::tcp::endpoint& peer() const { return peer_; }
  const listener_traits& listener() const { return listener_; }

 private:
  boost::asio::awaitable<void> read_header();
  boost::asio::awaitable<void> shake_hands();
  void take_header();
  void believe(const proxy_header& header);
  void handshake_failed(const std::string& detail);

  boost::asio::ip::tcp::socket socket_;
  const listener_traits& listener_;
  load_place place_;  // counts the connection towards max_connections
  const admission_rules rules_;
  proxy::alarms& alarms_;
  handshake_turns& turns_;
  boost::asio::ip::tcp::endpoint peer_;
  proxy_header header_;
  std::unique_ptr<client_tls> tls_;
  handshake_turns::ticket ticket_;
  std::optional<turned_back> end_;
  bool is_pushed_out_ = false;
  proxy::alarm deadline_;
};

}  // namespace photofinish::gateway
