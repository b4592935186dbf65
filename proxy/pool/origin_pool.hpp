// The connections to one origin: idle connections, connection attempts, and waiting requests. This class is part of
// connection_pool. A connection attempt belongs to no particular request: the request that has waited longest gets the
// next connection. If a request is cancelled, the connection that was opened for it becomes a spare.
#pragma once

#include "proxy/net/dial.hpp"
#include "proxy/net/network.hpp"
#include "proxy/pool/connection_wait.hpp"
#include "proxy/pool/lease.hpp"
#include "proxy/pool/pool_rules.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <utility>
#include <vector>

namespace photofinish::proxy {

class origin_pool final : public lease_home {
 public:
  // `balance_soon` schedules a call of balance() in a later turn of the event loop.
  origin_pool(network& net, std::function<void()> balance_soon) : net_(net), balance_soon_(std::move(balance_soon)) {}

  void set_target(dial_target target, pool_limits limits);

  // Delivers a connection to the request immediately, or queues the request.
  void serve(connection_wait& request);
  void withdraw(connection_wait& request) noexcept;

  // The leases call the following functions.
  void came_back(pooled_connection connection) override;
  void was_lost(const pooled_connection& connection) noexcept override;
  void request_left(pooled_connection& connection) override { connection.asked_at = net_.clock.now(); }
  void answer_began(pooled_connection& connection) override;
  void left() noexcept override { --busy_; }
  void joined() noexcept override { ++busy_; }

  void sweep(instant now);    // closes dead and old connections; takes a system call for each idle connection
  void balance(instant now);  // ends unneeded connection attempts and opens spare connections
  void stop() noexcept;

  pool_counts counts() const;
  bool has_children() const { return !dials_.empty(); }
  bool is_forgettable(instant now) const;

 private:
  struct running_dial {
    running_dial(network& net, const dial_target& target, instant now)
        : dialer(net, target), started_at(now) {}
    dial dialer;
    instant started_at;
    bool is_cancelled = false;
  };

  void drop_dead_newest(instant now);
  void start_dial();
  void remove(const running_dial& child);
  void dial_broke(running_dial& child, const std::exception_ptr& bug) noexcept;
  boost::asio::awaitable<void> run(running_dial& child);
  void dial_ended(const running_dial& child, result<byte_stream> connected);
  void dial_failed(const running_dial& child, const failure& why);
  bool hand_over(pooled_connection& connection, bool is_fresh);
  std::size_t live_dials() const;
  pool_counts lasting_counts(instant now) const;

  network& net_;
  std::function<void()> balance_soon_;
  dial_target target_;
  pool_rules rules_;
  // The idle connections. The connection that became idle last is at the end and is used first. Connections that are
  // not needed therefore stay idle until they are closed.
  std::vector<pooled_connection> idle_;
  std::list<running_dial> dials_;  // each connection attempt is run by a coroutine
  std::deque<connection_wait*> waiting_;
  std::size_t busy_ = 0;
  std::uint64_t dialed_ = 0;  // number of connections opened so far
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy
