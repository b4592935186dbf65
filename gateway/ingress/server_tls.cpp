#include "gateway/ingress/server_tls.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace photofinish::gateway {
namespace {

using ticket_key = std::array<unsigned char, 80>;  // the key name, the HMAC key and the AES key, in OpenSSL's order

template <auto release>
struct released_by {
  template <class T>
  void operator()(T* held) const noexcept { release(held); }
};
using text_ptr = std::unique_ptr<BIO, released_by<BIO_free>>;
using certificate_ptr = std::unique_ptr<X509, released_by<X509_free>>;
using private_key_ptr = std::unique_ptr<EVP_PKEY, released_by<EVP_PKEY_free>>;

void demand(bool is_fine, std::string_view what) {
  if (is_fine) return;
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  throw std::runtime_error("TLS cannot be set up: OpenSSL does not accept " + std::string(what) + ": " +
                           (reason != nullptr ? reason : "unknown reason"));
}

text_ptr reader_of(const std::string& text) {
  return text_ptr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

int refuse_passphrase(char*, int, int, void*) { return 0; }

template <class Take>
void each_certificate(const std::string& pem, Take take) {
  const text_ptr source = reader_of(pem);
  while (X509* next = PEM_read_bio_X509(source.get(), nullptr, refuse_passphrase, nullptr)) {
    const certificate_ptr held(next);
    take(held.get());
  }
  ERR_clear_error();
}

void use_pair(SSL_CTX* context, const tls_settings& settings) {
  bool is_first = true;
  each_certificate(settings.certificates, [&](X509* each) {
    if (is_first) demand(SSL_CTX_use_certificate(context, each) == 1, "cert_file");
    else demand(SSL_CTX_add1_chain_cert(context, each) == 1,
                "the certificates after the first certificate in cert_file");
    is_first = false;
  });
  const text_ptr source = reader_of(settings.key.reveal());
  const private_key_ptr key(PEM_read_bio_PrivateKey(source.get(), nullptr, refuse_passphrase, nullptr));
  demand(key && SSL_CTX_use_PrivateKey(context, key.get()) == 1, "key_file");
  demand(SSL_CTX_check_private_key(context) == 1, "key_file for that certificate");
}

void use_authorities(SSL_CTX* context, const tls_settings& settings) {
  if (settings.clients == client_auth::none) return;
  each_certificate(settings.client_authorities, [&](X509* each) {
    demand(X509_STORE_add_cert(SSL_CTX_get_cert_store(context), each) == 1, "client_ca_file");
    demand(SSL_CTX_add_client_CA(context, each) == 1, "client_ca_file");
  });
  const int must = settings.clients == client_auth::require ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | must, nullptr);
}

// Selects HTTP/1.1. Rejects a client that offers only other protocols. If a client offers no protocols, HTTP/1.1 is
// used.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  static constexpr std::string_view ours = "\x08http/1.1";
  unsigned char* found = nullptr;
  const int how = SSL_select_next_proto(&found, chosen_size, reinterpret_cast<const unsigned char*>(ours.data()),
                                        static_cast<unsigned>(ours.size()), offered, offered_size);
  if (how != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

// Sets how many session tickets a client gets. It gets none if client certificates are used. A ticket would still admit
// a client after its certificate was revoked, or after its authority was removed. Otherwise it gets one, which is
// enough for its next connection.
void set_tickets(SSL_CTX* context, const tls_settings& settings, ticket_key& key) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  const bool has_tickets = settings.clients == client_auth::none;
  SSL_CTX_set_num_tickets(context, has_tickets ? 1 : 0);
  if (!has_tickets) SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  static constexpr unsigned char id[] = "photofinish";
  SSL_CTX_set_session_id_context(context, id, sizeof id - 1);
  demand(SSL_CTX_set_tlsext_ticket_keys(context, key.data(), key.size()) == 1, "a ticket's key");
}

std::shared_ptr<SSL_CTX> make_context(const tls_settings& settings, ticket_key& key) {
  const std::shared_ptr<SSL_CTX> made(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  demand(made != nullptr, "a new context");
  SSL_CTX* context = made.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // SSL_MODE_AUTO_RETRY is turned off. Otherwise a client could keep the thread in SSL_read by sending many key
  // updates.
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  use_pair(context, settings);
  use_authorities(context, settings);
  set_tickets(context, settings, key);
  return made;
}

}  // namespace

std::vector<std::shared_ptr<SSL_CTX>> make_server_contexts(const tls_settings& settings, std::size_t count) {
  ERR_clear_error();
  ticket_key key{};
  demand(RAND_bytes(key.data(), key.size()) == 1, "random bytes");
  std::vector<std::shared_ptr<SSL_CTX>> made;
  for (std::size_t at = 0; at < count; ++at) made.push_back(make_context(settings, key));
  return made;
}

}  // namespace photofinish::gateway
