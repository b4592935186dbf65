// How a worker lets clients in where addresses, a PROXY header or TLS are asked for: a worker, continued.
#include "gateway/front/socket_address.hpp"
#include "gateway/server/worker.hpp"
#include "proxy/loop/spawn.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using asio::ip::tcp;
using metrics::refused_connection;

namespace {

// At least so many may shake hands with a worker, however few connections there may be.
constexpr std::size_t least_entrances = 16;

}  // namespace

// The admin address is for those who watch over us: probes and scrapers come directly, from wherever they are.
std::optional<turned_back> worker::problem_of(const tcp::socket& socket, listener_role role) const {
  const front_settings& front = settings_->front;
  if (role == listener_role::admin || (!front.proxy_protocol && front.allow_from.empty())) return std::nullopt;
  boost::system::error_code gone;
  const asio::ip::address from = socket.remote_endpoint(gone).address();
  if (front.proxy_protocol) {  // the address that counts is in the header
    if (holds(front.trusted_proxies, bytes_of(from))) return std::nullopt;
    return turned_back{refused_connection::proxy_header, "trusted_proxies does not have " + from.to_string()};
  }
  if (holds(front.allow_from, bytes_of(from))) return std::nullopt;
  return turned_back{refused_connection::address, "allow_from does not have " + from.to_string()};
}

entrance_rules worker::rules_for(listener_role role) const {
  const bool is_admin = role == listener_role::admin;
  const bool has_tls = tls_ && (!is_admin || settings_->front.tls->covers_admin);
  return {settings_, has_tls ? tls_ : nullptr, settings_->front.proxy_protocol && !is_admin};
}

// A quarter of all connections may be shaking hands. Where more come, the oldest goes: one who is in earnest is done
// within a round trip or two, and who only holds a place is the first to lose it.
std::size_t worker::room_for_entrances() const {
  const std::size_t all = std::min(settings_->limits.max_connections, room_);
  return std::max(least_entrances, all / 4 / load_.workers);
}

// It leaves the list before it is cut: it ends in a later turn, and until then others would take it for the oldest.
void worker::push_out_oldest() {
  const auto oldest = entrances_.begin();
  pushed_out_.splice(pushed_out_.end(), entrances_, oldest);
  oldest->note_pushed_out();
  oldest->cut(refused_connection::crowded, "newer connections take its place");
}

void worker::begin_entrance(tcp::socket socket, const listener_traits& listener, load_place place,
                            entrance_rules rules) {
  if (entrances_.size() >= room_for_entrances()) push_out_oldest();
  const auto at = entrances_.emplace(entrances_.end(), std::move(socket), listener, std::move(place), std::move(rules),
                                     outbound_.alarms(), handshakes_);
  const auto ended = [this, at](const std::exception_ptr& bug, std::optional<turned_back> end) {
    if (bug) proxy::report_bug("a handshake", bug);
    if (bug) end.emplace(refused_connection::tls).detail = "internal error";  // short: it allocates nothing
    entrance_ended(at, std::move(end));
  };
  try {
    proxy::spawn(loop_, "a handshake", at->run(), ended);
  } catch (...) {  // it never began
    entrances_.erase(at);
    throw;
  }
}

// It counts among the connections until it is turned back, or its session ends.
void worker::entrance_ended(std::list<entrance>::iterator which, std::optional<turned_back> end) {
  std::list<entrance> ended;
  ended.splice(ended.end(), which->is_pushed_out() ? pushed_out_ : entrances_, which);
  try {
    if (end || is_cut_) leave_entrance(*which, end);
    else let_in(which->take_socket(), which->listener(), which->take_place(), which->take_tls(), which->peer());
  } catch (...) {
    proxy::report_bug("a connection", std::current_exception());
  }
  idle_.wake();
}

void worker::leave_entrance(entrance& which, const std::optional<turned_back>& end) {
  which.take_place();  // it is free before the answer leaves
  if (end) note_refused(which.peer(), *end);
  const bool is_answered = end && !end->answer.empty() && !is_cut_ && overload_responses_.size() < least_entrances;
  if (is_answered) answer_briefly(which.take_socket(), end->answer);
}

void worker::note_refused(const tcp::endpoint& peer, const turned_back& why) {
  load_.refused_connections[why.why].fetch_add(1, std::memory_order_relaxed);
  if (!lines_.take()) return;
  const std::string from = peer.address().to_string();
  spdlog::info("a connection from {} is refused: {}", from, why.detail);
}

}  // namespace photofinish::gateway
