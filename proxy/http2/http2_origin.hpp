// The HTTP/2 connections to one origin, those being dialed, and the requests that wait. Part of http2_pool.
// http2_rules says how many there should be; a request goes where enough resets are in reserve, or else the most.
#pragma once

#include "proxy/http2/http2_connection.hpp"
#include "proxy/http2/http2_rules.hpp"
#include "proxy/http2/http2_stream.hpp"
#include "proxy/http2/reset_budget.hpp"
#include "proxy/net/network.hpp"
#include "proxy/pool/connection_pool.hpp"
#include "proxy/providers/provider.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace photofinish::proxy {

class http2_origin final : public http2_queue {
 public:
  // `balance_soon`: has balance() called in a later turn of the loop.
  http2_origin(network& net, std::function<void()> balance_soon, connection_pool& sockets, const provider& to,
               std::span<char> scratch);

  // Attaches it at once, puts it into the queue, or says that HTTP/1.1 is the better choice.
  void serve(http2_stream& stream, const provider& to, const std::string& model, freshness wanted);
  void withdraw(http2_stream& stream) noexcept override;

  std::shared_ptr<cancel_share> share_of(const std::string& model);
  void must_use_http1();  // the provider said so

  void sweep(instant now);    // retires what is old, spent or idle
  void balance(instant now);  // serves who waits, dials what is missing
  void stop() noexcept;

  bool has_children() const { return !children_.empty(); }
  bool is_forgettable(instant now) const;

 private:
  // A dial, then the connection that came of it.
  struct child {
    child(connection_pool& sockets, const provider& to, alpn_offer offer, instant now)
        : request(sockets, to, offer), started_at(now) {}
    connection_request request;
    instant started_at;
    bool is_dialing = true;
    double lifetime_share = 1;
    std::optional<http2_connection> connection;

    connection_birth birth() const { return {connection->opened_at(), lifetime_share}; }
  };

  // A connection, and until when it is not to be asked for headroom: of hundreds, most rest at any time, and what
  // asking one looks at is in no cache.
  struct candidate {
    http2_connection* connection;
    double lifetime_share = 1;
    instant rests_until{};

    std::size_t headroom(instant now);
    connection_birth birth() const { return {connection->opened_at(), lifetime_share}; }
  };

  void start_dial();
  void remove(child& ended);
  void child_broke(const child& each, const std::exception_ptr& bug) noexcept;
  boost::asio::awaitable<void> run(child& each);
  void dial_missing(instant now);
  void use(child& each, lease taken);
  void fall_back(lease taken);
  void dial_failed(const child& each, const failure& why);
  http2_connection* choose(const http2_stream& stream, instant now);
  bool attach(http2_stream& stream);
  void serve_waiting();
  http2_counts counts();
  bool is_choice() const { return to_.http2 == http2_use::automatic; }

  network& net_;
  std::function<void()> balance_soon_;
  connection_pool& sockets_;
  provider to_;  // where it is and its limits; nothing else is filled in
  std::span<char> scratch_;
  http2_rules rules_;
  std::map<std::string, std::shared_ptr<cancel_share>> shares_;  // by model
  std::list<child> children_;                   // each one a coroutine
  std::vector<candidate> candidates_;           // their connections, the oldest first
  std::deque<http2_stream*> waiting_;
  std::uint64_t dialed_ = 0;  // connections so far
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy
