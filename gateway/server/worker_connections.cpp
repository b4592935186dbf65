#include "gateway/server/worker_connections.hpp"

#include "gateway/ingress/socket_address.hpp"
#include "gateway/records/request_log.hpp"
#include "proxy/loop/spawn.hpp"

#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using metrics::refused_connection;

namespace {

// The maximum number of rejected clients whose connections stay open until they have read the response. Beyond this
// number, a connection is closed immediately after the response is sent.
constexpr std::size_t most_overload_responses = 64;

// Returns a third of the process's descriptor limit. Each client needs one descriptor for itself and at least one for
// its provider, and a race needs several.
std::size_t room_for_clients() {
  rlimit descriptors{};
  const bool is_known = ::getrlimit(RLIMIT_NOFILE, &descriptors) == 0 && descriptors.rlim_cur != RLIM_INFINITY;
  return is_known ? static_cast<std::size_t>(descriptors.rlim_cur) / 3 : SIZE_MAX;
}

constexpr std::string_view too_many_connections =
    "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close\r\n"
    "content-length: 120\r\n\r\n"
    R"({"error":{"message":"the gateway is at max_connections","type":"server_error","param":null,)"
    R"("code":"gateway_overloaded"}})";
static_assert(too_many_connections.size() - too_many_connections.find('{') == 120,
              "the body is as long as its content-length says");

// The minimum number of clients that may be in a handshake on one worker, even if the limit of connections is low.
constexpr std::size_t least_admissions = 16;

}  // namespace

worker_connections::worker_connections(asio::io_context& loop)
    : loop_(loop), room_(room_for_clients()), handshakes_(loop.get_executor()) {}

void worker_connections::listen(listening_socket socket, const listener_traits& listener, proxy::alarms& alarms) {
  const tcp protocol = listener.address.host.find(':') != std::string::npos ? tcp::v6() : tcp::v4();
  acceptors_.emplace_back(loop_, alarms, std::move(socket), protocol,
                          [this, listener](tcp::socket client) { take(std::move(client), listener); });
}

void worker_connections::open(worker_context& lent) {
  context_ = &lent;
  for (acceptor& each : acceptors_) {
    proxy::spawn_vital(loop_, "a listener", each.run(), [this] {
      --accepting_;
      idle_.wake();
    });
    ++accepting_;
  }
}

void worker_connections::drain() {
  if (std::exchange(is_draining_, true)) return;
  for (acceptor& each : acceptors_) each.stop();
  // The iterator is advanced first, because drain() may end the session and remove it from the list.
  for (auto at = sessions_.begin(); at != sessions_.end();) (at++)->its.drain();
  idle_.wake();
}

void worker_connections::cut() {
  is_cut_ = true;  // connections that are still accepted from the backlog are also cut
  for (auto at = admissions_.begin(); at != admissions_.end();)
    (at++)->cut(metrics::refused_connection::late, "the gateway is stopping");
  // The iterator is advanced first, because cut() may end the session and remove it from the list.
  for (auto at = sessions_.begin(); at != sessions_.end();) (at++)->its.cut();
  for (auto at = overload_responses_.begin(); at != overload_responses_.end();) (at++)->cut();
}

asio::awaitable<void> worker_connections::drained() {
  while (!is_draining_ || accepting_ > 0 || !admissions_.empty() || !pushed_out_.empty() || !sessions_.empty() ||
         !overload_responses_.empty())
    co_await idle_.wait();
}

void worker_connections::take(tcp::socket socket, const listener_traits& listener) {
  if (is_cut_) return;
  error_code ignored;
  // Closes the connection without a response, and without reading from it.
  if (const auto problem = problem_of(socket, listener.role))
    return note_refused(socket.remote_endpoint(ignored), *problem);
  admission_rules rules = rules_for(listener.role);
  const std::size_t most = std::min(context_->snapshots.settings->limits.max_connections, room_);
  load_place place(context_->load.connections);
  // Connections to the admin listener are always admitted, so that health probes and scrapers work.
  if (place.number() > most && listener.role != listener_role::admin) {
    place = {};
    note_turned_away(socket);
    // No response is sent to clients that use TLS or a PROXY header, because they expect a handshake first.
    if (rules.are_none()) turn_away(std::move(socket));
    return;
  }
  if (rules.are_none()) return let_in(std::move(socket), listener, std::move(place));
  begin_admission(std::move(socket), listener, std::move(place), std::move(rules));
}

void worker_connections::let_in(tcp::socket socket, const listener_traits& listener, load_place place,
                    std::unique_ptr<client_tls> tls, std::optional<tcp::endpoint> from) {
  const auto at = sessions_.emplace(sessions_.end(), std::move(place), std::move(socket), *context_, listener,
                                    std::move(tls), from);
  try {
    proxy::spawn(loop_, "a session", at->its.run(), [this, at] { session_ended(at); });
  } catch (...) {  // spawn() threw, so the session did not start
    session_ended(at);
    throw;
  }
  if (is_draining_) at->its.drain();  // the connection was accepted from the backlog while the worker drains
}

void worker_connections::turn_away(tcp::socket socket) {
  if (overload_responses_.size() < std::min(most_overload_responses, room_ / 8))
    return answer_briefly(std::move(socket), too_many_connections);
  ::send(socket.native_handle(), too_many_connections.data(), too_many_connections.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void worker_connections::answer_briefly(tcp::socket socket, std::string_view answer) {
  const auto at = overload_responses_.emplace(overload_responses_.end(), std::move(socket), context_->alarms,
                                              context_->outbound.scratch());
  const auto ended = [this, at] {
    overload_responses_.erase(at);
    if (overload_responses_.empty()) idle_.wake();
  };
  try {
    proxy::spawn(loop_, "the response to a rejected client", at->run(answer), ended);
  } catch (...) {  // spawn() threw, so the coroutine did not start
    ended();
    throw;
  }
}

void worker_connections::note_turned_away(const tcp::socket& socket) {
  metrics::shard& shard = context_->shard;
  metrics::request_observation seen{.route = shard.route("_none"), .client = shard.client("_none")};
  seen.endpoint = metrics::endpoint::other;
  seen.outcome = metrics::request_outcome::gateway_error;
  shard.observe(seen);
  shard.cell<metrics::names::overload_refusals_total>(metrics::overload_reason::max_connections).add(1);
  error_code ignored;
  log_request(context_->records.lines,
              plain_request{.id = {}, .peer = socket.remote_endpoint(ignored), .outcome = seen.outcome, .status = 503,
                            .code = "gateway_overloaded", .overload = metrics::overload_reason::max_connections});
}

void worker_connections::session_ended(std::list<seated_session>::iterator which) {
  sessions_.erase(which);
  if (sessions_.empty()) idle_.wake();
}

// The functions below admit clients. They are used if addresses are checked, a PROXY header is read, or TLS is enabled.

// Returns the reason for a rejection if the peer's address is not allowed. The admin listener accepts all addresses,
// because probes and scrapers connect to it directly.
std::optional<turned_back> worker_connections::problem_of(const tcp::socket& socket, listener_role role) const {
  const ingress_settings& ingress = context_->snapshots.settings->server.ingress;
  if (role == listener_role::admin || (!ingress.proxy_protocol && ingress.allow_from.empty())) return std::nullopt;
  boost::system::error_code gone;
  const asio::ip::address from = socket.remote_endpoint(gone).address();
  // with a PROXY header, the address can be checked only after the header was read, because the header contains it
  if (ingress.proxy_protocol) {
    if (holds(ingress.trusted_proxies, bytes_of(from))) return std::nullopt;
    return turned_back{refused_connection::proxy_header, "trusted_proxies does not contain " + from.to_string()};
  }
  if (holds(ingress.allow_from, bytes_of(from))) return std::nullopt;
  return turned_back{refused_connection::address, "allow_from does not contain " + from.to_string()};
}

admission_rules worker_connections::rules_for(listener_role role) const {
  const bool is_admin = role == listener_role::admin;
  const std::shared_ptr<const config>& settings = context_->snapshots.settings;
  const bool has_tls = tls_ && (!is_admin || settings->server.ingress.tls->covers_admin);
  return {settings, has_tls ? tls_ : nullptr, settings->server.ingress.proxy_protocol && !is_admin};
}

// Returns how many connections may be in a handshake: a quarter of all connections. If there are more, the oldest of
// them is cut. A real client finishes its handshake within one or two round trips, so the oldest connection probably
// belongs to a client that only wants to occupy connections.
std::size_t worker_connections::room_for_admissions() const {
  const std::size_t all = std::min(context_->snapshots.settings->limits.max_connections, room_);
  return std::max(least_admissions, all / 4 / context_->load.workers);
}

// Cuts the oldest connection that is not admitted yet. The connection ends only in a later turn of the event loop. It
// is removed from the list now, because otherwise it could be cut twice.
void worker_connections::push_out_oldest() {
  const auto oldest = admissions_.begin();
  pushed_out_.splice(pushed_out_.end(), admissions_, oldest);
  oldest->note_pushed_out();
  oldest->cut(refused_connection::crowded, "newer connections replace this connection");
}

void worker_connections::begin_admission(tcp::socket socket, const listener_traits& listener, load_place place,
                            admission_rules rules) {
  if (admissions_.size() >= room_for_admissions()) push_out_oldest();
  const auto at =
      admissions_.emplace(admissions_.end(), std::move(socket), listener, std::move(place), std::move(rules),
                          context_->alarms, handshakes_);
  const auto ended = [this, at](const std::exception_ptr& bug, std::optional<turned_back> end) {
    if (bug) proxy::report_bug("a handshake", bug);
    // The text "internal error" is so short that storing it allocates no memory.
    if (bug) end.emplace(refused_connection::tls).detail = "internal error";
    admission_ended(at, std::move(end));
  };
  try {
    proxy::spawn(loop_, "a handshake", at->run(), ended);
  } catch (...) {  // spawn() threw, so the coroutine did not start
    admissions_.erase(at);
    throw;
  }
}

// Handles the end of an admission. A rejected connection no longer counts as open. An admitted connection counts until
// its session ends.
void worker_connections::admission_ended(std::list<connection_admission>::iterator which,
                                         std::optional<turned_back> end) {
  std::list<connection_admission> ended;
  ended.splice(ended.end(), which->is_pushed_out() ? pushed_out_ : admissions_, which);
  try {
    if (end || is_cut_) leave_admission(*which, end);
    else let_in(which->take_socket(), which->listener(), which->take_place(), which->take_tls(), which->peer());
  } catch (...) {
    proxy::report_bug("a connection", std::current_exception());
  }
  idle_.wake();
}

void worker_connections::leave_admission(connection_admission& which, const std::optional<turned_back>& end) {
  which.take_place();  // the rejected connection no longer counts as open while the response is sent
  if (end) note_refused(which.peer(), *end);
  const bool is_answered = end && !end->answer.empty() && !is_cut_ && overload_responses_.size() < least_admissions;
  if (is_answered) answer_briefly(which.take_socket(), end->answer);
}

void worker_connections::note_refused(const tcp::endpoint& peer, const turned_back& why) {
  context_->load.refused_connections[why.why].fetch_add(1, std::memory_order_relaxed);
  if (!context_->records.lines.take()) return;
  const std::string from = peer.address().to_string();
  spdlog::info("a connection from {} is refused: {}", from, why.detail);
}

}  // namespace photofinish::gateway
