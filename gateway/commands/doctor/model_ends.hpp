// Finds the dates on which models will be retired. The source is the provider's list of models (GET /v1/models);
// OpenAI's list has these dates in `shutdown_date`.
#pragma once

#include "gateway/attempts/setup/race_candidate.hpp"
#include "proxy/outbound.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The retirement dates, for example "2026-12-11", keyed by model.
using model_ends = std::map<std::string, std::string, std::less<>>;

// Returns the retirement dates of models. Returns an empty map if the text is not a list of models.
model_ends read_model_ends(std::string_view json);

// True if the provider's list of models may contain retirement dates.
bool may_list_ends(const race_candidate& tried);

// Requests a provider's list of models. Returns an empty map if the provider refuses or does not answer in time.
boost::asio::awaitable<model_ends> ask_model_ends(proxy::outbound& over, race_candidate tried,
                                                  std::chrono::milliseconds patience);

}  // namespace photofinish::gateway
