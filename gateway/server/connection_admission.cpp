#include "gateway/server/connection_admission.hpp"

#include "gateway/ingress/socket_address.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace photofinish::gateway {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using metrics::refused_connection;

namespace {

constexpr std::string_view plain_http_answer =
    "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    "content-length: 61\r\n\r\n"
    "This address speaks TLS: put https:// in front of it, please\n";
static_assert(plain_http_answer.size() - plain_http_answer.find("This") == 61,
              "the body is as long as its content-length says");

}  // namespace

connection_admission::connection_admission(tcp::socket socket, const listener_traits& listener, load_place place,
                                           admission_rules rules, proxy::alarms& alarms, handshake_turns& turns)
    : socket_(std::move(socket)),
      listener_(listener),
      place_(std::move(place)),
      rules_(std::move(rules)),
      alarms_(alarms),
      turns_(turns),
      deadline_(alarms,
                [this] { cut(refused_connection::late, "the connection was not ready within header_timeout"); }) {
  error_code ignored;
  socket_.native_non_blocking(true, ignored);
  peer_ = socket_.remote_endpoint(ignored);
}

asio::awaitable<std::optional<turned_back>> connection_admission::run() {
  deadline_.arm(alarms_.now() + rules_.settings->limits.header_timeout);
  if (rules_.is_proxied) co_await read_header();
  if (rules_.tls && !end_) co_await shake_hands();
  deadline_.disarm();
  if (end_ && tls_) tls_->let_go();
  co_return end_;
}

void connection_admission::cut(refused_connection why, std::string detail) {
  if (end_) return;
  end_ = turned_back{why, std::move(detail)};
  error_code ignored;
  socket_.close(ignored);
  turns_.leave(ticket_);
}

asio::awaitable<void> connection_admission::read_header() {
  error_code ec;
  while (!end_ && header_.at() == proxy_header::progress::more) {
    co_await socket_.async_wait(tcp::socket::wait_read, asio::redirect_error(asio::use_awaitable, ec));
    if (!end_) take_header();
  }
  if (!end_) believe(header_);
}

// Reads the PROXY header's bytes as soon as they arrive. Unread bytes would wake this coroutine again and again if the
// client sends the header byte by byte. Bytes after the header stay in the kernel, for TLS or the session.
void connection_admission::take_header() {
  std::array<char, 512> seen;
  const ssize_t count = ::recv(socket_.native_handle(), seen.data(), seen.size(), MSG_PEEK | MSG_DONTWAIT);
  const bool is_for_nothing = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  if (is_for_nothing) return;
  if (count <= 0)
    return cut(refused_connection::proxy_header, "the connection ended before its PROXY header was complete");
  const std::size_t taken = header_.take({seen.data(), static_cast<std::size_t>(count)});
  if (::recv(socket_.native_handle(), seen.data(), taken, MSG_DONTWAIT) != static_cast<ssize_t>(taken))
    cut(refused_connection::proxy_header, "the connection ended before its PROXY header was complete");
}

void connection_admission::believe(const proxy_header& header) {
  if (header.at() == proxy_header::progress::broken)
    return cut(refused_connection::proxy_header, "the PROXY header " + header.problem());
  if (header.peer()) peer_ = tcp::endpoint(address_of(header.peer()->address), header.peer()->port);
  const auto& allowed = rules_.settings->server.ingress.allow_from;
  if (!allowed.empty() && !holds(allowed, bytes_of(peer_.address())))
    cut(refused_connection::address, "allow_from does not contain " + peer_.address().to_string());
}

// Performs the TLS handshake. The handshake waits for the client's first bytes before it asks for its turn. Therefore a
// silent client does not delay the handshakes of other clients.
asio::awaitable<void> connection_admission::shake_hands() {
  tls_ = client_tls::begin(rules_.tls.get(), socket_.native_handle());
  if (!tls_) co_return cut(refused_connection::tls, "OpenSSL has no memory for the connection");
  proxy::io_outcome at{proxy::io_progress::wants_read, 0, {}};
  error_code ec;
  while (!end_ && at.what != proxy::io_progress::done) {
    const bool is_writing = at.what == proxy::io_progress::wants_write;
    const auto direction = is_writing ? tcp::socket::wait_write : tcp::socket::wait_read;
    co_await socket_.async_wait(direction, asio::redirect_error(asio::use_awaitable, ec));
    if (end_) break;
    co_await turns_.wait(ticket_);
    if (end_) break;
    at = tls_->shake_hands();
    if (at.what == proxy::io_progress::broken) handshake_failed(at.detail);
  }
}

void connection_admission::handshake_failed(const std::string& detail) {
  if (!tls_->is_met_by_plain_http()) return cut(refused_connection::tls, detail);
  end_ = turned_back{refused_connection::tls, "the client speaks HTTP without TLS", plain_http_answer};
}

}  // namespace photofinish::gateway
