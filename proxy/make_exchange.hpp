// Creates the exchange for one attempt. It uses HTTP/1.1 or HTTP/2, depending on the provider's configuration and on
// the known facts about the provider.
#pragma once

#include "proxy/http/exchange.hpp"
#include "proxy/outbound.hpp"
#include "proxy/providers/provider.hpp"

#include <memory>
#include <string>

namespace photofinish::proxy {

// `over` and `to` must outlive the exchange. `model` is the key under which cancelled attempts are counted
// (http2_use::automatic).
std::unique_ptr<exchange> make_exchange(outbound& over, const provider& to, const std::string& model);

}  // namespace photofinish::proxy
