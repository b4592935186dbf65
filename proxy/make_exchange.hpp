// Creates the exchange for one attempt. The provider's configuration, and the known facts about the provider, decide
// between HTTP/1.1 and HTTP/2.
#pragma once

#include "proxy/http/exchange.hpp"
#include "proxy/outbound.hpp"
#include "proxy/providers/provider.hpp"

#include <memory>
#include <string>

namespace photofinish::proxy {

// Makes an exchange. `over` and `to` must outlive it. The cancelled attempts of one `model` are counted together
// (http2_use::automatic).
std::unique_ptr<exchange> make_exchange(outbound& over, const provider& to, const std::string& model);

}  // namespace photofinish::proxy
