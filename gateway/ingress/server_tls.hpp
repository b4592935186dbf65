// The server side of TLS: one context for each worker, because OpenSSL's locks scale badly. The contexts are made from
// certificates that were already checked. One random key encrypts the session tickets of all contexts, and is replaced
// together with the certificate.
#pragma once

#include "gateway/ingress/ingress_settings.hpp"

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace photofinish::gateway {

// Makes a context for each worker. Throws std::runtime_error if OpenSSL rejects a certificate and key that
// examine_pair() accepted.
std::vector<std::shared_ptr<SSL_CTX>> make_server_contexts(const tls_settings& settings, std::size_t count);

}  // namespace photofinish::gateway
