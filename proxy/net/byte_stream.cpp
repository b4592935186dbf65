#include "proxy/net/byte_stream.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/loop/large_reads.hpp"
#include "proxy/loop/next_turn.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/net/socket_io.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <openssl/err.h>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace photofinish::proxy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t record_bytes = 16384;  // maximum size of one TLS record

// The maximum number of TLS records that are read in one turn of the event loop. Decrypting a record takes a few
// microseconds even if the record is short. If each record fits into one packet, 64 records fill a buffer of 64 kB.
// Encrypting 256 kB takes about as long as reading 64 records.
constexpr int records_in_turn = 64;
// The maximum number of SSL_peek calls that check whether an idle connection has received data. Servers send two
// session tickets. One or two calls read the tickets, and one more call finds nothing.
constexpr int calls_to_be_quiet = 4;
constexpr std::size_t bytes_written_in_turn = 256u << 10;

std::string_view next_record(const write_position& at, std::string& joined) {
  if (at.front().size() >= record_bytes || at.pieces.size() == 1) return at.front();
  joined.clear();
  for (std::size_t each = 0; each < at.pieces.size() && joined.size() < record_bytes; ++each) {
    const std::string_view bytes = each == 0 ? at.front() : at.pieces[each];
    joined += bytes.substr(0, record_bytes - joined.size());
  }
  return joined;
}

tcp::socket::wait_type direction(io_progress wanted) {
  return wanted == io_progress::wants_write ? tcp::socket::wait_write : tcp::socket::wait_read;
}

int as_int(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

}  // namespace

struct byte_stream::state {
  explicit state(tcp::socket connected) : socket(std::move(connected)) {}
  ~state() { abort(); }

  void abort() noexcept;
  asio::awaitable<void> wait(io_progress wanted);
  asio::awaitable<void> readable();
  asio::awaitable<void> wait_to_read();
  asio::awaitable<void> readable_in_turn();
  bool is_quiet();
  std::optional<result<std::size_t>> try_read(std::span<char> into);
  asio::awaitable<result<std::size_t>> read_some(std::span<char> into);
  io_outcome read_once(std::span<char> into);
  io_outcome tls_read(std::span<char> into);
  bool has_brought_all(std::size_t filled) const;
  // True if the last read stopped because it reached the limit of TLS records per turn. More records may then be ready.
  // Records are limited, not bytes, because a record of one byte costs as much time as a long record.
  bool has_filled_its_turn() const { return ssl && !reading_waits_for && SSL_has_pending(ssl.get()) == 1; }
  void forget_message();
  io_outcome tls_write(std::string_view bytes);
  asio::awaitable<result<void>> handshake(tls_context& context, std::string host, std::uint16_t port,
                                          alpn_offer offer);
  asio::awaitable<result<void>> write(std::span<const std::string_view> pieces, listening how);
  asio::awaitable<result<void>> write_on(listening how);
  asio::awaitable<result<void>> write_plain();
  asio::awaitable<result<void>> write_tls();
  asio::awaitable<void> wait_to_write(io_progress wanted);
  asio::awaitable<void> wait_for_either();
  bool has_heard();
  bool has_written_enough() const { return written_in_turn >= bytes_written_in_turn; }
  asio::awaitable<void> next_turn_of_writing();

  tcp::socket socket;
  ssl_ptr ssl;
  bool is_closed = false;
  bool is_large = false;  // the last read was large, and the answer or request continues
  bool may_read = false;  // true if readable() was called after the last attempt to read
  // Set if the last attempt to read found no more bytes. The value is the event to wait for, because TLS may have to
  // write before it can read more.
  std::optional<io_progress> reading_waits_for;
  std::size_t written_in_turn = 0;
  boost::system::error_code ignored;  // this error is ignored, because the next operation reports the reason more
                                      // clearly
  bool is_goodbye_missing = false;
  std::unique_ptr<io_outcome> afterwards;  // end or error of the connection, reported after all bytes are returned
  write_position unwritten;
  std::string joined;  // a buffer that joins small parts into one record; kept, because OpenSSL may require the same
                       // bytes again

  // These members are used by a write that also waits for bytes to read.
  bool is_listening = false;
  bool is_heard = false;  // the socket has become readable
  int waits = 0;          // number of pending waits for reading or writing
  signal waits_ended;
};

void byte_stream::state::abort() noexcept {
  if (is_closed) return;
  is_closed = true;
  // Without close_notify, OpenSSL does not allow the session to be resumed. Therefore the gateway pretends that both
  // sides have sent it.
  if (ssl) SSL_set_shutdown(ssl.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  ssl.reset();  // OpenSSL is not used after this line, because each coroutine checks is_closed when it resumes
  boost::system::error_code ec;
  // Makes close() send a reset, so that the port is free immediately.
  socket.set_option(tcp::socket::linger(true, 0), ec);
  socket.close(ec);
}

asio::awaitable<void> byte_stream::state::wait(io_progress wanted) {
  return socket.async_wait(direction(wanted), asio::redirect_error(asio::use_awaitable, ignored));
}

io_outcome byte_stream::state::read_once(std::span<char> into) {
  if (afterwards) return std::move(*std::exchange(afterwards, nullptr));
  return ssl ? tls_read(into) : plain_read(socket.native_handle(), into);
}

// Reads all records that have arrived, up to a limit. Servers often send several events, each in its own record, and
// reading them together saves wake-ups. The function stops after a session ticket or another message of TLS itself,
// because such a message costs far more time than a record.
io_outcome byte_stream::state::tls_read(std::span<char> into) {
  const std::size_t met_before = tls_context::messages_met(ssl.get());
  bool has_met_one = false;
  std::size_t filled = 0;
  std::optional<io_outcome> stop;
  for (int record = 0; record < records_in_turn && filled < into.size() && !stop && !has_met_one; ++record) {
    errno = 0;
    const int got = SSL_read(ssl.get(), into.data() + filled, as_int(into.size() - filled));
    has_met_one = tls_context::messages_met(ssl.get()) != met_before;
    if (got <= 0) stop = tls_outcome(ssl.get(), got, is_goodbye_missing);
    else filled += static_cast<std::size_t>(got);
    if (got > 0 && has_brought_all(filled)) break;
  }
  if (has_met_one) forget_message();
  if (filled == 0 && stop) return *std::move(stop);
  if (stop && (stop->what == io_progress::ended || stop->what == io_progress::broken))
    afterwards = std::make_unique<io_outcome>(*std::move(stop));
  else if (stop)
    reading_waits_for = stop->what;
  return {filled > 0 ? io_progress::done : io_progress::wants_read, filled, {}};
}

// True if the last read left the socket empty. OpenSSL reads at most one full TLS record ahead. If it returned fewer
// bytes than a record and has none left, the socket contained nothing else.
bool byte_stream::state::has_brought_all(std::size_t filled) const {
  return filled < record_bytes && SSL_has_pending(ssl.get()) == 0;
}

// Frees OpenSSL's write buffer of 16 kB, unless it contains data. When a session ticket arrives, OpenSSL 3.0 allocates
// this buffer to restart its handshake state machine, and frees it only after the next write. A connection that is only
// read would keep the buffer.
void byte_stream::state::forget_message() {
  SSL_free_buffers(ssl.get());
  tls_context::read_ahead(ssl.get());
}

io_outcome byte_stream::state::tls_write(std::string_view bytes) {
  errno = 0;
  const int sent = SSL_write(ssl.get(), bytes.data(), as_int(bytes.size()));
  if (sent > 0) return {io_progress::done, static_cast<std::size_t>(sent), {}};
  bool is_ended = false;
  io_outcome stop = tls_outcome(ssl.get(), sent, is_ended);
  return stop.what == io_progress::ended ? broken_by(EPIPE) : stop;
}

asio::awaitable<result<void>> byte_stream::state::handshake(tls_context& context, std::string host,
                                                            std::uint16_t port, alpn_offer offer) {
  if (is_closed) co_return cancelled_failure();
  auto started = context.start(host, port, socket.native_handle(), offer);
  if (!started) {
    abort();
    co_return std::move(started).error();
  }
  ssl = std::move(*started);
  while (true) {
    const int done = SSL_connect(ssl.get());
    if (done == 1) {
      tls_context::read_ahead(ssl.get());
      co_return result<void>();
    }
    const int error = SSL_get_error(ssl.get(), done);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) break;
    const auto wanted = error == SSL_ERROR_WANT_READ ? io_progress::wants_read : io_progress::wants_write;
    co_await wait(wanted);
    if (is_closed) co_return cancelled_failure();
    ERR_clear_error();
  }
  failure why = tls_failure(ssl.get());
  abort();
  co_return why;
}

// Waits until bytes are readable. The caller never resumes in the same turn of the event loop, even if bytes have
// already arrived. Otherwise a peer that sends faster than the gateway reads would occupy the thread. The loop checks
// all other sockets first.
asio::awaitable<void> byte_stream::state::readable() {
  may_read = true;
  if (is_large && !is_closed) return readable_in_turn();
  return wait_to_read();
}

asio::awaitable<void> byte_stream::state::wait_to_read() {
  if (reading_waits_for && !is_closed) return wait(*reading_waits_for);  // OpenSSL has only a part of a record
  const bool is_here = is_closed || afterwards || (ssl && SSL_has_pending(ssl.get()) == 1);
  return is_here ? next_turn(socket.get_executor()) : wait(io_progress::wants_read);
}

asio::awaitable<void> byte_stream::state::readable_in_turn() {
  co_await wait_to_read();
  if (!is_closed) co_await large_reads::wait(socket.get_executor(), large_reads::peer::provider);
}

std::optional<result<std::size_t>> byte_stream::state::try_read(std::span<char> into) {
  if (is_closed) return cancelled_failure();
  if (!std::exchange(may_read, false)) return std::nullopt;
  reading_waits_for.reset();
  io_outcome tried = read_once(into);
  if (tried.what == io_progress::done) is_large = tried.bytes >= large_reads::large || has_filled_its_turn();
  switch (tried.what) {
    case io_progress::done: return tried.bytes;
    case io_progress::ended:
      afterwards = std::make_unique<io_outcome>(tried);
      return std::size_t{0};
    case io_progress::broken:
      afterwards = std::make_unique<io_outcome>(tried);
      return network_failure(failure_kind::connect, std::move(tried.detail));
    default:
      reading_waits_for = tried.what;
      return std::nullopt;
  }
}

asio::awaitable<result<std::size_t>> byte_stream::state::read_some(std::span<char> into) {
  while (true) {
    co_await readable();
    if (auto count = try_read(into)) co_return std::move(*count);
  }
}

asio::awaitable<void> byte_stream::state::next_turn_of_writing() {
  written_in_turn = 0;
  return next_turn(socket.get_executor());
}

asio::awaitable<result<void>> byte_stream::state::write(std::span<const std::string_view> pieces, listening how) {
  unwritten = {pieces};
  unwritten.advance(0);  // skips empty parts at the beginning
  return write_on(how);
}

asio::awaitable<result<void>> byte_stream::state::write_on(listening how) {
  is_listening = how == listening::yes;
  return ssl ? write_tls() : write_plain();
}

asio::awaitable<void> byte_stream::state::wait_to_write(io_progress wanted) {
  if (!is_listening || wanted != io_progress::wants_write) return wait(wanted);
  is_heard = afterwards || (!reading_waits_for && ssl && SSL_has_pending(ssl.get()) == 1);
  return is_heard ? next_turn(socket.get_executor()) : wait_for_either();
}

// Waits until the socket is readable or writable. When one of the two waits ends, the other is cancelled.
asio::awaitable<void> byte_stream::state::wait_for_either() {
  for (const auto direction : {tcp::socket::wait_write, tcp::socket::wait_read}) {
    ++waits;
    socket.async_wait(direction, [this, direction](const boost::system::error_code& ec) {
      if (direction == tcp::socket::wait_read && !ec) is_heard = true;
      if (--waits > 0) socket.cancel(ignored);
      else waits_ended.wake();
    });
  }
  while (waits > 0) co_await waits_ended.wait();
}

bool byte_stream::state::has_heard() {
  if (!std::exchange(is_heard, false)) return false;
  may_read = true;
  return true;
}

asio::awaitable<result<void>> byte_stream::state::write_plain() {
  while (!is_closed && !unwritten.pieces.empty()) {
    if (has_written_enough()) {
      co_await next_turn_of_writing();
      continue;
    }
    const io_outcome tried = plain_write(socket.native_handle(), unwritten);
    if (tried.what == io_progress::broken) co_return network_failure(failure_kind::connect, tried.detail);
    unwritten.advance(tried.bytes);
    written_in_turn += tried.bytes;
    if (tried.what == io_progress::done) continue;
    co_await wait_to_write(tried.what);
    written_in_turn = 0;
    if (has_heard()) break;
  }
  if (is_closed) co_return cancelled_failure();
  co_return result<void>();
}

asio::awaitable<result<void>> byte_stream::state::write_tls() {
  while (!is_closed && !unwritten.pieces.empty()) {
    if (has_written_enough()) {
      co_await next_turn_of_writing();
      continue;
    }
    const std::string_view record = next_record(unwritten, joined);
    io_outcome tried = tls_write(record);
    while (tried.what == io_progress::wants_read || tried.what == io_progress::wants_write) {
      co_await wait_to_write(tried.what);
      if (is_closed) co_return cancelled_failure();
      if (has_heard()) co_return result<void>();
      tried = tls_write(record);  // after an incomplete write, OpenSSL requires the same bytes again
    }
    if (tried.what == io_progress::broken) co_return network_failure(failure_kind::connect, tried.detail);
    unwritten.advance(tried.bytes);
    written_in_turn += tried.bytes;
  }
  std::string().swap(joined);
  if (is_closed) co_return cancelled_failure();
  co_return result<void>();
}

bool byte_stream::state::is_quiet() {
  if (is_closed || afterwards) return false;
  is_large = false;  // the connection is idle, so its next bytes belong to a new answer
  if (!ssl) return plain_peek(socket.native_handle()).what == io_progress::wants_read;
  const std::size_t met_before = tls_context::messages_met(ssl.get());
  for (int call = 0; call < calls_to_be_quiet; ++call) {
    char peeked;
    errno = 0;
    const int got = SSL_peek(ssl.get(), &peeked, 1);  // SSL_peek also reads session tickets
    const bool is_socket_empty = errno == EAGAIN;
    if (got > 0 || tls_outcome(ssl.get(), got, is_goodbye_missing).what != io_progress::wants_read) return false;
    if (!is_socket_empty) continue;
    if (tls_context::messages_met(ssl.get()) != met_before) forget_message();
    return true;
  }
  return false;
}

byte_stream::byte_stream(tcp::socket connected) : state_(std::make_unique<state>(std::move(connected))) {
  boost::system::error_code ec;
  state_->socket.native_non_blocking(true, ec);  // OpenSSL calls read() and write() on this socket, which must not
                                                 // block
}

byte_stream::byte_stream(byte_stream&& other) noexcept = default;
byte_stream& byte_stream::operator=(byte_stream&& other) noexcept = default;
byte_stream::~byte_stream() = default;

asio::awaitable<result<void>> byte_stream::handshake(tls_context& context, std::string host,
                                                     std::uint16_t port, alpn_offer offer) {
  return state_->handshake(context, std::move(host), port, offer);
}

asio::awaitable<void> byte_stream::readable() { return state_->readable(); }

std::optional<result<std::size_t>> byte_stream::try_read(std::span<char> into) { return state_->try_read(into); }

asio::awaitable<result<std::size_t>> byte_stream::read_some(std::span<char> into) { return state_->read_some(into); }

asio::awaitable<result<void>> byte_stream::write(std::span<const std::string_view> pieces) {
  return state_->write(pieces, listening::no);
}

asio::awaitable<result<void>> byte_stream::write_listening(std::span<const std::string_view> pieces) {
  return state_->write(pieces, listening::yes);
}

asio::awaitable<result<void>> byte_stream::write_on(listening how) { return state_->write_on(how); }

bool byte_stream::has_unwritten() const { return !state_->unwritten.pieces.empty(); }

bool byte_stream::is_quiet() { return state_ && state_->is_quiet(); }

bool byte_stream::ended_abruptly() const { return state_ && state_->is_goodbye_missing; }

void byte_stream::abort() noexcept {
  if (state_) state_->abort();
}

bool byte_stream::is_open() const { return state_ && !state_->is_closed; }
bool byte_stream::is_tls() const { return is_open() && state_->ssl; }
bool byte_stream::is_resumed() const { return is_tls() && SSL_session_reused(state_->ssl.get()) == 1; }
bool byte_stream::speaks_http2() const {
  if (!is_tls()) return false;
  const unsigned char* name = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(state_->ssl.get(), &name, &length);
  return std::string_view(reinterpret_cast<const char*>(name), length) == "h2";
}

int byte_stream::native_handle() const {
  return is_open() ? state_->socket.native_handle() : -1;
}

}  // namespace photofinish::proxy
