// One thread, one io_context, one listening socket for each address, one pool: a request lives and dies here.
#pragma once

#include "gateway/credentials/credential_board.hpp"
#include "gateway/log/line_budget.hpp"
#include "gateway/log/log.hpp"
#include "gateway/records/price_book.hpp"
#include "gateway/requests/late_accounts.hpp"
#include "gateway/requests/services.hpp"
#include "gateway/requests/session.hpp"
#include "gateway/server/acceptor.hpp"
#include "gateway/server/entrance.hpp"
#include "gateway/server/handshake_turns.hpp"
#include "gateway/server/listener.hpp"
#include "gateway/server/overload_response.hpp"
#include "proxy/outbound.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace photofinish::gateway {

class worker {
 public:
  // `fingerprint_salt` is the server's: a caller's key cools down on every worker, not on the one that met it.
  worker(std::size_t index, std::shared_ptr<const config> settings, metrics::series_budget& series, server_load& load,
         std::uint64_t fingerprint_salt);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker();  // drained before

  // Before start().
  metrics::shard& shard() { return shard_; }
  void listen(listening_socket socket, const listener_traits& listener);
  void use(std::shared_ptr<SSL_CTX> tls) { tls_ = std::move(tls); }  // of the configuration it began with

  // Starts the thread. `on_drained` is called on it when everything has ended.
  void start(housekeeper& keeper, const protocols& speaks, std::shared_ptr<const limit_table> limits,
             std::function<void()> on_drained);
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  // Any thread: each is carried out on the worker's own, in order.
  void adopt(std::shared_ptr<const config> settings, std::shared_ptr<const limit_table> limits,
             std::shared_ptr<SSL_CTX> tls);
  void adopt(std::shared_ptr<const racing::scoreboard> board);
  void adopt(std::shared_ptr<const racing::speed_board> board);
  void adopt(std::shared_ptr<const credential_board> board);
  void adopt(std::shared_ptr<const jwks_board> board);
  void show_races(double per_second);  // to the live page; 0: none is open
  void leave();  // not ready, still serving
  void drain();  // takes what is in the listen backlog, then serves what it has to its end
  void cut();    // ends everything at once

 private:
  void run(std::function<void()> on_drained);
  void take(boost::asio::ip::tcp::socket socket, const listener_traits& listener);
  std::optional<turned_back> problem_of(const boost::asio::ip::tcp::socket& socket, listener_role role) const;
  entrance_rules rules_for(listener_role role) const;
  void let_in(boost::asio::ip::tcp::socket socket, const listener_traits& listener, load_place place,
              std::unique_ptr<client_tls> tls = {}, std::optional<boost::asio::ip::tcp::endpoint> from = {});
  void begin_entrance(boost::asio::ip::tcp::socket socket, const listener_traits& listener, load_place place,
                      entrance_rules rules);
  void entrance_ended(std::list<entrance>::iterator which, std::optional<turned_back> end);
  void leave_entrance(entrance& which, const std::optional<turned_back>& end);
  void note_refused(const boost::asio::ip::tcp::endpoint& peer, const turned_back& why);
  std::size_t room_for_entrances() const;
  void push_out_oldest();
  void answer_briefly(boost::asio::ip::tcp::socket socket, std::string_view answer);
  void turn_away(boost::asio::ip::tcp::socket socket);
  void note_turned_away(const boost::asio::ip::tcp::socket& socket);
  struct seated_session {
    template <class... Arguments>
    explicit seated_session(load_place among_connections, Arguments&&... arguments)
        : place(std::move(among_connections)), its(std::forward<Arguments>(arguments)...) {}
    load_place place;  // among all connections
    session its;
  };
  void session_ended(std::list<seated_session>::iterator which);
  boost::asio::awaitable<void> drained();
  void declare(const config& settings);

  const std::size_t index_;
  const std::uint64_t fingerprint_salt_;
  const std::size_t room_;  // client connections that the process has descriptors for
  // Others only post: its sockets and timers, which the worker's own thread alone touches, need no locks.
  boost::asio::io_context loop_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  std::shared_ptr<const config> settings_;
  metrics::shard shard_;
  server_load& load_;
  proxy::outbound outbound_{loop_};
  price_book prices_;
  std::unique_ptr<late_accounts> late_;  // from start() on
  redactor_book redactors_;
  credential_view credentials_;
  jwt_callers tokens_;
  std::unique_ptr<line_budget> audited_;  // from start() on
  line_budget lines_{outbound_.alarms(), log_left_out};
  std::string batch_;
  std::mt19937_64 random_;
  std::unique_ptr<services> services_;
  std::list<acceptor> acceptors_;
  std::size_t accepting_ = 0;
  std::shared_ptr<SSL_CTX> tls_;  // of settings_; null: none
  handshake_turns handshakes_{loop_.get_executor()};
  std::list<entrance> entrances_;   // the oldest first
  std::list<entrance> pushed_out_;  // cut to make room; they end in this turn or the next
  std::list<seated_session> sessions_;
  std::list<overload_response> overload_responses_;
  bool is_draining_ = false;
  bool is_cut_ = false;
  proxy::signal idle_;  // no acceptor, entrance, session or overload response is left
  std::thread thread_;
};

}  // namespace photofinish::gateway
