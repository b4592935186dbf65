// When a provider ends its models, as its own list of models (GET /v1/models) reports it. OpenAI's has `shutdown_date`.
#pragma once

#include "gateway/attempts/setup/race_candidate.hpp"
#include "proxy/outbound.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace photofinish::gateway {

using model_ends = std::map<std::string, std::string, std::less<>>;  // model -> "2026-12-11"

// Models without a date are left out. Empty if the text is not a list of models.
model_ends read_model_ends(std::string_view json);

// Whether the provider's list may have dates.
bool may_list_ends(const race_candidate& tried);

// Empty if the provider does not answer in time, or refuses.
boost::asio::awaitable<model_ends> ask_model_ends(proxy::outbound& over, race_candidate tried,
                                                  std::chrono::milliseconds patience);

}  // namespace photofinish::gateway
