// Which of a client's headers a provider gets: those that its dialect passes, that its `forward_headers` names, and a
// trace where it takes part in one. [pure]
#pragma once

#include "gateway/http/client_request.hpp"
#include "proxy/providers/provider.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

std::vector<std::pair<std::string, std::string>> forwarded_headers(const client_request& request,
                                                                   const proxy::provider& to,
                                                                   std::span<const std::string_view> passed = {});

}  // namespace photofinish::gateway
