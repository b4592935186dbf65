// The HTTP/2 connections to one origin (host and port of a provider), the connections that are being opened, and the
// requests that wait for a connection. This class is part of http2_pool. http2_rules decides how many connections there
// should be. A request uses the first connection that accepts a few more streams. If there is none, the request uses
// the connection that accepts the most streams.
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
  // `balance_soon` schedules a call of balance() in a later turn of the event loop.
  http2_origin(network& net, std::function<void()> balance_soon, connection_pool& sockets, const provider& to,
               std::span<char> scratch);

  // Assigns the stream to a connection, or adds it to the queue, or decides that HTTP/1.1 is better for the request.
  void serve(http2_stream& stream, const provider& to, const std::string& model, freshness wanted);
  void withdraw(http2_stream& stream) noexcept override;

  std::shared_ptr<cancel_share> share_of(const std::string& model);
  void must_use_http1();  // call this if the provider sent HTTP_1_1_REQUIRED

  void sweep(instant now);    // retires connections that are old or idle, or that may not send any more resets
  void balance(instant now);  // gives connections to waiting requests and opens missing connections
  void stop() noexcept;

  bool has_children() const { return !children_.empty(); }
  bool is_forgettable(instant now) const;

 private:
  // A connection attempt, and later the connection that it opened.
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

  // A connection, and the time before which it accepts no new stream. The time is stored here because reading each
  // connection causes a cache miss. If there are hundreds of connections, most of them accept no new stream at any
  // given moment, and the search skips them.
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
  provider to_;  // only the provider's address and limits are set
  std::span<char> scratch_;
  http2_rules rules_;
  std::map<std::string, std::shared_ptr<cancel_share>> shares_;  // the share of attempts that were cancelled, for each
                                                                 // model
  std::list<child> children_;                                    // connections, each of which is run by a coroutine
  std::vector<candidate> candidates_;                            // the connections in children_, oldest first
  std::deque<http2_stream*> waiting_;
  std::uint64_t dialed_ = 0;  // number of connections opened so far
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy
