// A worker: one thread with one event loop (io_context), one listening socket for each address, and one connection
// pool. Each request is handled by a single worker.
#pragma once

#include "gateway/credentials/credential_board.hpp"
#include "gateway/log/line_budget.hpp"
#include "gateway/log/log.hpp"
#include "gateway/records/price_book.hpp"
#include "gateway/requests/worker/settlement_queue.hpp"
#include "gateway/requests/worker/worker_context.hpp"
#include "gateway/server/worker_connections.hpp"
#include "proxy/outbound.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>

namespace photofinish::gateway {

class worker {
 public:
  // All workers get the same `fingerprint_salt`. Therefore a cooldown of a caller's key applies on every worker.
  worker(std::size_t index, std::shared_ptr<const config> settings, metrics::series_budget& series, server_load& load,
         std::uint64_t fingerprint_salt);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker();  // the worker must have drained before its destruction

  // Returns the metrics that this worker counts. Call this before start().
  metrics::shard& shard() { return shard_; }
  void listen(listening_socket socket, const listener_traits& listener);
  // Sets the TLS context. It must be made from the same configuration with which the worker starts.
  void use(std::shared_ptr<SSL_CTX> tls) { connections_.use(std::move(tls)); }

  // Starts the thread. The worker calls `on_drained` on this thread after all work has ended.
  void start(housekeeper& keeper, const protocols& speaks, std::shared_ptr<const limit_table> limits,
             std::function<void()> on_drained);
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  // Any thread may call this function and the functions below. The actual work runs later on the worker's own thread,
  // in the order of the calls.
  void adopt(std::shared_ptr<const config> settings, std::shared_ptr<const limit_table> limits,
             std::shared_ptr<SSL_CTX> tls);
  void adopt(std::shared_ptr<const racing::scoreboard> board);
  void adopt(std::shared_ptr<const racing::forecast_board> board);
  void adopt(std::shared_ptr<const credential_board> board);
  void adopt(std::shared_ptr<const jwks_board> board);
  void show_races(double per_second);  // sets how many races per second are sent to the live page; 0 if no page is open
  void leave();                        // makes the readiness check fail, but still serves requests
  void drain();                        // accepts the connections that are in the backlog, and ends after all requests
                                       // are completed
  void cut();                          // closes all connections immediately

 private:
  void run(std::function<void()> on_drained);
  boost::asio::awaitable<void> drained();
  void declare(const config& settings);

  const std::size_t index_;
  const std::uint64_t fingerprint_salt_;
  // The event loop. Other threads only post work to it. Its sockets and timers need no locks, because they are used
  // only on the worker's own thread.
  boost::asio::io_context loop_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  std::shared_ptr<const config> settings_;
  metrics::shard shard_;
  server_load& load_;
  proxy::outbound outbound_{loop_};
  price_book prices_;
  std::unique_ptr<settlement_queue> settlements_;  // requests whose tokens are still being counted; set by start()
  redactor_book redactors_;
  credential_view credentials_;
  jwt_callers tokens_;
  std::unique_ptr<line_budget> audited_;  // limits how many lines this worker writes to the audit log; set by start()
  line_budget lines_{outbound_.alarms(), log_left_out};
  std::string batch_;
  std::mt19937_64 random_;
  std::unique_ptr<worker_context> context_;
  worker_connections connections_{loop_};
  std::thread thread_;
};

}  // namespace photofinish::gateway
