// Our side of TLS towards clients: one context for each worker (OpenSSL's locks scale badly), made of what was examined
// before. Tickets are sealed by one random key for all of them, which goes with the certificate.
#pragma once

#include "gateway/ingress/ingress_settings.hpp"

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace photofinish::gateway {

// Throws std::runtime_error where OpenSSL refuses what examine_pair() found right.
std::vector<std::shared_ptr<SSL_CTX>> make_server_contexts(const tls_settings& settings, std::size_t count);

}  // namespace photofinish::gateway
