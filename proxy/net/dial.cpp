#include "proxy/net/dial.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/net/tunnel.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <netinet/tcp.h>

#include <exception>
#include <utility>

namespace photofinish::proxy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::chrono::milliseconds stagger{250};  // RFC 8305, section 8

template <int name>
using tcp_option = asio::detail::socket_option::integer<IPPROTO_TCP, name>;

// Disables Nagle's algorithm, which delays small requests. Sets the same keepalive options as the official SDKs,
// because a stream may pause for minutes.
void set_options(tcp::socket& socket) {
  boost::system::error_code ec;  // errors are ignored, because the connection also works without the option
  socket.set_option(tcp::no_delay(true), ec);
  socket.set_option(tcp::socket::keep_alive(true), ec);
  socket.set_option(tcp_option<TCP_KEEPIDLE>(60), ec);
  socket.set_option(tcp_option<TCP_KEEPINTVL>(60), ec);
  socket.set_option(tcp_option<TCP_KEEPCNT>(5), ec);
}

std::string in_words(std::chrono::milliseconds limit) {
  const auto count = limit.count();
  return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
}

// Closes a socket without TIME_WAIT, as byte_stream::abort() does. The connection may already exist, because the kernel
// may have opened it a moment ago.
void drop(tcp::socket& socket) {
  boost::system::error_code ec;
  socket.set_option(tcp::socket::linger(true, 0), ec);
  socket.close(ec);
}

}  // namespace

struct dial::attempt {
  asio::ip::address address;
  tcp::socket socket;
};

dial::dial(network& net, dial_target target)
    : net_(net),
      target_(std::move(target)),
      limit_(net.clock, [this] { limit_passed(); }),
      stagger_(net.clock, [this] { is_next_due_ = true, wakeup_.wake(); }),
      wakeup_(net.loop),
      look_up_(net.loop) {}

dial::~dial() = default;

asio::awaitable<result<byte_stream>> dial::run() {
  const instant start = net_.clock.now();
  result<void> done = co_await reach();
  if (done && target_.via) done = co_await tunnel();
  if (done && target_.tls != nullptr) done = co_await secure();
  limit_.disarm();
  timings_.total = net_.clock.now() - start;
  if (!done) {
    stream_.reset();
    co_return std::move(done).error();
  }
  byte_stream ready = std::move(*stream_);
  stream_.reset();  // the caller owns the stream now, so cancel() must no longer affect it
  co_return std::move(ready);
}

asio::awaitable<result<void>> dial::reach() {
  const instant start = net_.clock.now();
  limit_.arm(start + target_.connect_timeout);
  const auto found = co_await net_.names.resolve(peer_host(), look_up_);
  timings_.dns = net_.clock.now() - start;
  if (is_late_ && !is_cancelled_) co_return time_is_over();
  if (!found) co_return found.error();

  step_ = step::connect;
  co_await race(*found);
  timings_.connect = net_.clock.now() - start - timings_.dns;
  auto done = verdict();
  if (done) {
    net_.names.prefer(peer_host(), winner_->address);
    set_options(winner_->socket);
    stream_.emplace(std::move(winner_->socket));
  } else if (winner_ != nullptr) {
    drop(winner_->socket);
  }
  attempts_.clear();
  co_return done;
}

// Returns only after all attempts have ended, even if an exception was thrown, because their handlers refer to this
// object.
asio::awaitable<void> dial::race(const address_list& addresses) {
  std::exception_ptr bug;
  try {
    co_await start_attempts(addresses);
  } catch (...) {
    bug = std::current_exception();
    winner_ = nullptr;
  }
  stagger_.disarm();
  for (auto& each : attempts_)
    if (each.get() != winner_) drop(each->socket);
  while (running_ > 0) {
    const bool is_awake = wakeup_.take();
    if (!is_awake) co_await wakeup_.next();
  }
  if (bug) std::rethrow_exception(bug);
}

// Starts one attempt after another until one of them connects. Each attempt starts after a delay, or earlier if all
// running attempts have failed.
asio::awaitable<void> dial::start_attempts(const address_list& addresses) {
  std::size_t next = 0;
  const auto is_over = [&] { return winner_ != nullptr || is_cancelled_ || is_late_; };
  while (!is_over()) {
    if (next < addresses.size() && (running_ == 0 || is_next_due_)) start_attempt(addresses[next++]);
    else if (running_ == 0) break;
    else co_await wakeup_.wait();
  }
}

void dial::start_attempt(const asio::ip::address& address) {
  std::unique_ptr<attempt> made(new attempt{address, tcp::socket(net_.loop)});
  auto& started = *attempts_.emplace_back(std::move(made));
  const tcp::endpoint peer(address, peer_port());
  is_next_due_ = false;
  boost::system::error_code ec;
  started.socket.open(peer.protocol(), ec);
  if (ec) {
    last_error_ = ec;
    is_next_due_ = true;
    return;
  }
  stagger_.arm(net_.clock.now() + stagger);
  started.socket.async_connect(
      peer, [this, &started](const boost::system::error_code& result) { attempt_ended(started, result); });
  ++running_;  // the attempt is counted after async_connect(), which may throw; the handler runs in a later turn
}

void dial::attempt_ended(attempt& ended, const boost::system::error_code& ec) {
  --running_;
  if (!ec && winner_ == nullptr && ended.socket.is_open()) winner_ = &ended;
  if (ec) {
    last_error_ = ec;
    is_next_due_ = true;  // the next attempt may start immediately
  }
  wakeup_.wake();
}

asio::awaitable<result<void>> dial::tunnel() {
  step_ = step::tunnel;
  is_late_ = false;
  const instant start = net_.clock.now();
  limit_.arm(start + target_.connect_timeout);
  auto done = co_await open_tunnel(*stream_, *target_.via, target_.host, target_.port);
  timings_.connect += net_.clock.now() - start;
  if (!done && is_cancelled_) co_return cancelled_failure();
  if (!done && is_late_) co_return time_is_over();
  co_return done;
}

asio::awaitable<result<void>> dial::secure() {
  step_ = step::tls;
  is_late_ = false;
  const instant start = net_.clock.now();
  limit_.arm(start + target_.tls_timeout);
  auto done = co_await stream_->handshake(*target_.tls, target_.host, target_.port, target_.offer);
  timings_.tls = net_.clock.now() - start;
  if (!done && is_late_ && !is_cancelled_) co_return time_is_over();
  co_return done;
}

void dial::cancel() noexcept {
  is_cancelled_ = true;
  stop_waiting();
}

void dial::limit_passed() {
  is_late_ = true;
  stop_waiting();
}

void dial::stop_waiting() noexcept {
  look_up_.cancel();
  if (stream_) stream_->abort();
  wakeup_.wake();
}

result<void> dial::verdict() const {
  if (is_cancelled_) return cancelled_failure();
  if (winner_ != nullptr) return {};
  if (is_late_) return time_is_over();
  const std::string text = "cannot connect to " + std::string(target_.via ? "the proxy " : "") + peer_host() + ": " +
                           last_error_.message();
  const bool is_ours = last_error_ == asio::error::no_descriptors;
  return is_ours ? busy_failure(text) : network_failure(failure_kind::connect, text);
}

failure dial::time_is_over() const {
  const auto limit = in_words(step_ == step::tls ? target_.tls_timeout : target_.connect_timeout);
  switch (step_) {
    case step::dns:
      return network_failure(failure_kind::dns, "no address for " + peer_host() + " within " + limit);
    case step::connect:
      return network_failure(failure_kind::connect, "no connection within " + limit);
    case step::tunnel:
      return network_failure(failure_kind::connect, "no answer from the proxy " + peer_host() + " within " + limit);
    case step::tls:
      break;
  }
  return network_failure(failure_kind::tls, "no TLS handshake within " + limit);
}

}  // namespace photofinish::proxy
