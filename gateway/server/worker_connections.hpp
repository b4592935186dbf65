// The client connections of one worker. The class accepts, admits, serves and rejects connections. Everything runs on
// the worker's thread, except for the calls before open().
#pragma once

#include "gateway/requests/session.hpp"
#include "gateway/requests/worker/worker_context.hpp"
#include "gateway/server/acceptor.hpp"
#include "gateway/server/connection_admission.hpp"
#include "gateway/server/handshake_turns.hpp"
#include "gateway/server/listener.hpp"
#include "gateway/server/overload_response.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

class worker_connections {
 public:
  explicit worker_connections(boost::asio::io_context& loop);
  worker_connections(const worker_connections&) = delete;
  worker_connections& operator=(const worker_connections&) = delete;

  // Adds a listening socket. May be called only before open().
  void listen(listening_socket socket, const listener_traits& listener, proxy::alarms& alarms);
  // Starts to accept connections. `lent` must outlive all connections.
  void open(worker_context& lent);

  void use(std::shared_ptr<SSL_CTX> tls) { tls_ = std::move(tls); }  // the TLS context must match the settings
  void drain();  // accepts the connections that are in the backlog, and ends after all requests are completed
  void cut();    // closes all connections immediately
  boost::asio::awaitable<void> drained();  // returns when no connections are left

 private:
  void take(boost::asio::ip::tcp::socket socket, const listener_traits& listener);
  std::optional<turned_back> problem_of(const boost::asio::ip::tcp::socket& socket, listener_role role) const;
  admission_rules rules_for(listener_role role) const;
  void let_in(boost::asio::ip::tcp::socket socket, const listener_traits& listener, load_place place,
              std::unique_ptr<client_tls> tls = {}, std::optional<boost::asio::ip::tcp::endpoint> from = {});
  void begin_admission(boost::asio::ip::tcp::socket socket, const listener_traits& listener, load_place place,
                       admission_rules rules);
  void admission_ended(std::list<connection_admission>::iterator which, std::optional<turned_back> end);
  void leave_admission(connection_admission& which, const std::optional<turned_back>& end);
  void note_refused(const boost::asio::ip::tcp::endpoint& peer, const turned_back& why);
  std::size_t room_for_admissions() const;
  void push_out_oldest();
  void answer_briefly(boost::asio::ip::tcp::socket socket, std::string_view answer);
  void turn_away(boost::asio::ip::tcp::socket socket);
  void note_turned_away(const boost::asio::ip::tcp::socket& socket);
  struct seated_session {
    template <class... Arguments>
    explicit seated_session(load_place among_connections, Arguments&&... arguments)
        : place(std::move(among_connections)), its(std::forward<Arguments>(arguments)...) {}
    load_place place;  // counts the connection towards max_connections
    session its;
  };
  void session_ended(std::list<seated_session>::iterator which);

  boost::asio::io_context& loop_;
  const std::size_t room_;             // the maximum number of clients, derived from the process's descriptor limit
  worker_context* context_ = nullptr;  // the objects that the worker shares with its connections; not null after open()
  std::list<acceptor> acceptors_;
  std::size_t accepting_ = 0;
  std::shared_ptr<SSL_CTX> tls_;  // the TLS context, made from the settings; null without TLS
  handshake_turns handshakes_;
  std::list<connection_admission> admissions_;  // unadmitted connections, the oldest first
  // Connections that were cut before they were admitted, to make room for newer connections. These connections end in
  // this turn of the event loop or in the next one.
  std::list<connection_admission> pushed_out_;
  std::list<seated_session> sessions_;
  std::list<overload_response> overload_responses_;
  bool is_draining_ = false;
  bool is_cut_ = false;
  proxy::signal idle_;  // wakes when all acceptors, admissions, sessions and responses have ended
};

}  // namespace photofinish::gateway
