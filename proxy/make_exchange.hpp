// The exchange for one attempt: over which HTTP is the provider's configuration, and what is known of it.
#pragma once

#include "proxy/http/exchange.hpp"
#include "proxy/outbound.hpp"
#include "proxy/providers/provider.hpp"

#include <memory>
#include <string>

namespace photofinish::proxy {

// `over` and `to` outlive it. `model`: whose cancelled attempts count together (http2_use::automatic).
std::unique_ptr<exchange> make_exchange(outbound& over, const provider& to, const std::string& model);

}  // namespace photofinish::proxy
