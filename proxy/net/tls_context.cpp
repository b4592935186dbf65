#include "proxy/net/tls_context.hpp"

#include "proxy/failures/network_failures.hpp"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <string_view>
#include <system_error>

namespace photofinish::proxy {
namespace {

constexpr std::size_t max_tickets = 16;  // maximum number of tickets per origin; each ticket takes about 1 kB

using store_ptr = std::unique_ptr<X509_STORE, releaser<X509_STORE_free>>;

failure gateway_failure(std::string detail) {
  return network_failure(failure_kind::tls, std::move(detail), failure_origin::gateway);
}

store_ptr new_system_store() {
  store_ptr store(X509_STORE_new());
  if (store) X509_STORE_set_default_paths(store.get());  // uses the environment variables SSL_CERT_FILE and
                                                         // SSL_CERT_DIR
  return store;
}

// Returns the system's certificates. They are parsed once per process, because parsing takes 15 ms and 0.8 MB each
// time. OpenSSL counts the references to this store, and locks the store.
X509_STORE* system_store() {
  static const store_ptr store = new_system_store();
  return store.get();
}

bool trust_file(SSL_CTX* context, const std::string& ca_file) {
  std::error_code ec;
  // A file that is a pipe is rejected, because opening it would block this worker.
  if (!std::filesystem::is_regular_file(ca_file, ec)) return false;
  const store_ptr store = new_system_store();
  if (!store || X509_STORE_load_file(store.get(), ca_file.c_str()) != 1) return false;
  // Allows a CA file that contains only a server's own certificate, or only an intermediate certificate.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set1_cert_store(context, store.get());
  return true;
}

void set_rules(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // In the mode SSL_MODE_AUTO_RETRY, a peer that sends many tickets would keep SSL_read busy.
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  // This class stores tickets itself, because OpenSSL's cache has one list per context and does not distinguish
  // origins.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}

// Sets the protocols that ALPN offers. Each name is preceded by its length (RFC 7301, section 3.1).
void set_offer(SSL* connection, alpn_offer offer) {
  static constexpr std::string_view both = "\x02h2\x08http/1.1";
  std::string_view names = both;
  if (offer == alpn_offer::http1) names.remove_prefix(3);
  if (offer == alpn_offer::http2) names = names.substr(0, 3);
  SSL_set_alpn_protos(connection, reinterpret_cast<const unsigned char*>(names.data()),
                      static_cast<unsigned>(names.size()));
}

bool set_peer(SSL* connection, const std::string& host) {
  X509_VERIFY_PARAM* verify = SSL_get0_param(connection);
  // X509_VERIFY_PARAM_set1_ip_asc() succeeds only if the host is an IP address. SNI is not sent for addresses (RFC
  // 6066).
  if (X509_VERIFY_PARAM_set1_ip_asc(verify, host.c_str()) == 1) return true;
  ERR_clear_error();
  const std::string name = host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
  X509_VERIFY_PARAM_set_hostflags(verify, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(verify, name.c_str(), 0) == 1 &&
         SSL_set_tlsext_host_name(connection, name.c_str()) == 1;
}

std::string certificate_problem(long verdict) {
  switch (verdict) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return "the certificate is for another host";
    case X509_V_ERR_CERT_HAS_EXPIRED: return "the certificate has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID: return "the certificate is not valid yet";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: return "the certificate is self-signed";
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: return "the certificate's issuer is not trusted";
    default: return std::string("the certificate is not accepted: ") + X509_verify_cert_error_string(verdict);
  }
}

std::string handshake_problem(unsigned long error) {
  if (error == 0) return "the connection was closed during the handshake";
  switch (ERR_GET_REASON(error)) {
    case SSL_R_UNEXPECTED_EOF_WHILE_READING: return "the connection was closed during the handshake";
    case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: return "the server supports none of the offered HTTP versions";
    case SSL_R_WRONG_VERSION_NUMBER: return "the server does not speak TLS on this port";
    default: break;
  }
  const char* reason = ERR_reason_error_string(error);
  return std::string("the handshake failed: ") + (reason != nullptr ? reason : "unknown reason");
}

}  // namespace

result<std::unique_ptr<tls_context>> tls_context::make(const std::string& ca_file) {
  ssl_ctx_ptr context(SSL_CTX_new(TLS_client_method()));
  if (!context) return gateway_failure("OpenSSL cannot create a context");
  set_rules(context.get());
  SSL_CTX_sess_set_new_cb(context.get(), &tls_context::keep_ticket);
  SSL_CTX_set_msg_callback(context.get(), &tls_context::note_message);
  if (ca_file.empty()) {
    SSL_CTX_set1_cert_store(context.get(), system_store());
  } else if (!trust_file(context.get(), ca_file)) {
    ERR_clear_error();
    return gateway_failure("ca_file " + ca_file + " cannot be read as PEM certificates");
  }
  return std::unique_ptr<tls_context>(new tls_context(std::move(context)));
}

result<ssl_ptr> tls_context::start(const std::string& host, std::uint16_t port, int fd,
                                   alpn_offer offer) {
  ERR_clear_error();
  ssl_ptr connection(SSL_new(context_.get()));
  if (!connection || SSL_set_fd(connection.get(), fd) != 1 || !set_peer(connection.get(), host)) {
    ERR_clear_error();
    return gateway_failure("OpenSSL cannot create a connection to " + host);
  }
  set_offer(connection.get(), offer);
  SSL_set_connect_state(connection.get());
  ticket_list& tickets = tickets_[{host, port}];
  SSL_set_app_data(connection.get(), &tickets);
  use_ticket(connection.get(), tickets);
  return connection;
}

// Uses a ticket for this connection. A TLS 1.3 ticket is used only once, so that no observer can link two connections
// (RFC 8446, C.4). A TLS 1.2 session may be used again.
void tls_context::use_ticket(SSL* connection, ticket_list& tickets) {
  auto& kept = tickets.kept;
  if (kept.empty()) return;
  SSL_set_session(connection, kept.back().get());
  if (SSL_SESSION_get_protocol_version(kept.back().get()) >= TLS1_3_VERSION) kept.pop_back();
}

int tls_context::keep_ticket(SSL* connection, SSL_SESSION* ticket) {
  auto& tickets = *static_cast<ticket_list*>(SSL_get_app_data(connection));
  // Stores a copy of the session, because OpenSSL marks the connection's own session as not resumable if the connection
  // fails.
  ssl_session_ptr kept(SSL_SESSION_dup(ticket));
  if (!kept) return 0;
  const bool serves_on = SSL_SESSION_get_protocol_version(ticket) < TLS1_3_VERSION;
  if (serves_on) tickets.kept.clear();
  if (tickets.kept.size() >= max_tickets) tickets.kept.erase(tickets.kept.begin());
  tickets.kept.push_back(std::move(kept));
  return 0;  // 0 means that this callback keeps no reference to the session
}

void tls_context::note_message(int is_sent, int, int content_type, const void*, std::size_t, SSL* connection, void*) {
  if (is_sent != 0 || content_type != SSL3_RT_HANDSHAKE) return;
  SSL_set_read_ahead(connection, 0);
  if (auto* const tickets = static_cast<ticket_list*>(SSL_get_app_data(connection))) ++tickets->messages_met;
}

std::size_t tls_context::messages_met(const SSL* connection) {
  return static_cast<const ticket_list*>(SSL_get_app_data(connection))->messages_met;
}

std::size_t tls_context::ticket_count(const std::string& host, std::uint16_t port) const {
  const auto found = tickets_.find({host, port});
  return found == tickets_.end() ? 0 : found->second.kept.size();
}

result<tls_context*> tls_contexts::for_ca_file(const std::string& ca_file) {
  auto found = contexts_.find(ca_file);
  if (found == contexts_.end()) {
    auto made = tls_context::make(ca_file);
    if (!made) return std::move(made).error();
    found = contexts_.emplace(ca_file, std::move(*made)).first;
  }
  return found->second.get();
}

failure tls_failure(SSL* connection) {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  const long verdict = SSL_get_verify_result(connection);
  return network_failure(failure_kind::tls,
                         verdict != X509_V_OK ? certificate_problem(verdict) : handshake_problem(error));
}

}  // namespace photofinish::proxy
