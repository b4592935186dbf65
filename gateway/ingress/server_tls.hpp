// The server side of TLS. Each worker has its own context, because OpenSSL's locks are slow if threads share a context.
// The contexts are made from certificates that were already checked. All contexts use the same random key for session
// tickets, which is replaced together with the certificate.
#pragma once

#include "gateway/ingress/ingress_settings.hpp"

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace photofinish::gateway {

// Makes a context for each worker. Throws std::runtime_error if OpenSSL rejects a certificate or key that
// examine_pair() has accepted.
std::vector<std::shared_ptr<SSL_CTX>> make_server_contexts(const tls_settings& settings, std::size_t count);

}  // namespace photofinish::gateway
