#include "gateway/ingress/client_tls.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace photofinish::gateway {
namespace {

using proxy::io_outcome;
using proxy::io_progress;

constexpr std::size_t record_bytes = 16384;  // the maximum size of a TLS record

// The maximum number of TLS records that are read in one turn of the event loop. Decrypting a record takes a few
// microseconds, even if it is short.
constexpr int records_in_turn = 64;

// The maximum number of alternative names that are read from a certificate. A certificate from a trusted authority may
// contain a name for each host of a company.
constexpr int most_alternative_names = 32;

int as_length(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

// Joins small pieces, so that they are sent in one TLS record and one packet. The function never suspends between
// joining and writing.
std::string_view next_record(const proxy::write_position& at) {
  if (at.front().size() >= record_bytes) return at.front().substr(0, record_bytes);
  if (at.pieces.size() == 1) return at.front();
  static thread_local std::array<char, record_bytes> joined;
  std::size_t filled = 0;
  for (std::size_t each = 0; each < at.pieces.size() && filled < record_bytes; ++each) {
    const std::string_view bytes = each == 0 ? at.front() : at.pieces[each];
    filled += bytes.copy(joined.data() + filled, record_bytes - filled);
  }
  return {joined.data(), filled};
}

std::string subject_of(const X509* certificate) {
  BIO* text = BIO_new(BIO_s_mem());
  if (text == nullptr) return {};
  X509_NAME_print_ex(text, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text, &bytes);
  std::string subject(bytes, static_cast<std::size_t>(std::max(size, 0L)));
  BIO_free(text);
  return subject;
}

// Returns a name in a certificate as text, such as "DNS:…". Returns an empty text for names that are not text, and for
// names that contain a zero byte.
std::string text_of(const GENERAL_NAME* name) {
  int kind = 0;
  const void* value = GENERAL_NAME_get0_value(name, &kind);
  const char* word = kind == GEN_DNS ? "DNS:" : kind == GEN_URI ? "URI:" : kind == GEN_EMAIL ? "email:" : nullptr;
  if (word == nullptr) return {};
  const auto* text = static_cast<const ASN1_STRING*>(value);
  const std::string_view bytes(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                               static_cast<std::size_t>(ASN1_STRING_length(text)));
  return bytes.find('\0') == std::string_view::npos ? word + std::string(bytes) : std::string();
}

}  // namespace

std::unique_ptr<client_tls> client_tls::begin(SSL_CTX* context, int fd) {
  ERR_clear_error();
  ssl_pointer made(SSL_new(context));
  if (!made || SSL_set_fd(made.get(), fd) != 1) {
    ERR_clear_error();
    return nullptr;
  }
  SSL_set_accept_state(made.get());
  SSL_set_msg_callback(made.get(), &client_tls::note_message);
  std::unique_ptr<client_tls> begun(new client_tls(std::move(made)));
  SSL_set_app_data(begun->ssl_.get(), begun.get());
  return begun;
}

io_outcome client_tls::shake_hands() {
  if (!ssl_ || is_broken_) return {io_progress::broken, 0, "the connection is closed"};
  errno = 0;
  const int done = SSL_accept(ssl_.get());
  if (done == 1) {
    read_ahead();
    read_names();
    return {io_progress::done, 0, {}};
  }
  const unsigned long error = ERR_peek_last_error();
  is_met_by_plain_http_ = ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST;
  bool is_goodbye_missing = false;
  io_outcome stop = proxy::tls_outcome(ssl_.get(), done, is_goodbye_missing);
  if (stop.what == io_progress::wants_read || stop.what == io_progress::wants_write) return stop;
  is_broken_ = true;
  if (stop.what == io_progress::ended) stop.detail = "the client closed the connection";
  return {io_progress::broken, 0, std::move(stop.detail)};
}

void client_tls::read_ahead() { SSL_set_read_ahead(ssl_.get(), 1); }

void client_tls::read_names() {
  const X509* certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr) return;
  names_.push_back(subject_of(certificate));
  auto* others = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int at = 0; at < std::min(sk_GENERAL_NAME_num(others), most_alternative_names); ++at)
    if (std::string name = text_of(sk_GENERAL_NAME_value(others, at)); !name.empty()) names_.push_back(std::move(name));
  GENERAL_NAMES_free(others);
  ERR_clear_error();
}

// Counts TLS messages without data. After the handshake these are key updates. A client may flood the gateway with
// them. One call of OpenSSL would process all messages that have arrived, so the first such message ends the reading
// ahead.
void client_tls::note_message(int is_sent, int, int content_type, const void*, std::size_t, SSL* connection, void*) {
  if (is_sent != 0 || content_type != SSL3_RT_HANDSHAKE) return;
  SSL_set_read_ahead(connection, 0);
  if (auto* const its = static_cast<client_tls*>(SSL_get_app_data(connection))) ++its->messages_met_;
}

io_outcome client_tls::read(std::span<char> into) {
  has_more_ = false;
  if (afterwards_) return std::move(*std::exchange(afterwards_, nullptr));
  if (!ssl_ || is_broken_) return {io_progress::broken, 0, {}};
  const std::size_t met_before = messages_met_;
  std::size_t filled = 0;
  std::optional<io_outcome> stop;
  for (int record = 0; record < records_in_turn && filled < into.size() && !stop; ++record) {
    errno = 0;
    const int got = SSL_read(ssl_.get(), into.data() + filled, as_length(into.size() - filled));
    bool is_goodbye_missing = false;
    if (got <= 0) stop = proxy::tls_outcome(ssl_.get(), got, is_goodbye_missing);
    else filled += static_cast<std::size_t>(got);
    const bool has_brought_all = got > 0 && filled < record_bytes && SSL_has_pending(ssl_.get()) == 0;
    if (has_brought_all || messages_met_ != met_before) break;
  }
  const bool has_message = messages_met_ != met_before;
  if (has_message) SSL_free_buffers(ssl_.get()), read_ahead();
  const bool is_over = stop && (stop->what == io_progress::ended || stop->what == io_progress::broken);
  if (is_over) is_broken_ = stop->what == io_progress::broken;
  has_more_ = is_over || ((!stop || has_message) && SSL_has_pending(ssl_.get()) == 1);
  if (filled > 0 && is_over) afterwards_ = std::make_unique<io_outcome>(*std::move(stop));
  if (filled > 0) return {io_progress::done, filled, {}};
  return stop ? *std::move(stop) : io_outcome{io_progress::wants_read, 0, {}};
}

std::optional<std::size_t> client_tls::write(std::span<const std::string_view> pieces, std::size_t most) {
  if (!ssl_ || is_broken_) return std::nullopt;
  proxy::write_position at{pieces};
  at.advance(0);  // skips empty pieces
  std::size_t written = 0;
  while (!at.pieces.empty() && written < most) {
    const std::string_view record = next_record(at);
    errno = 0;
    const int sent = SSL_write(ssl_.get(), record.data(), as_length(record.size()));
    if (sent <= 0) {
      bool is_goodbye_missing = false;
      const io_outcome stop = proxy::tls_outcome(ssl_.get(), sent, is_goodbye_missing);
      if (stop.what == io_progress::wants_write) break;
      // The connection is broken if a write must wait for data from the client, because only a renegotiation would need
      // this.
      is_broken_ = true;
      return std::nullopt;
    }
    written += static_cast<std::size_t>(sent);
    at.advance(static_cast<std::size_t>(sent));
  }
  return written;
}

void client_tls::say_goodbye() noexcept {
  if (!ssl_ || is_broken_ || SSL_is_init_finished(ssl_.get()) == 0) return;
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

}  // namespace photofinish::gateway
