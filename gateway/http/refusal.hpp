// A request that is refused before any attempt starts: its status and message. [pure]
// It is independent of the API: api_error.hpp turns it into the words of the called API.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace photofinish::gateway {

struct refusal {
  int status = 400;
  std::string message;  // text for people; it contains no key and no value of the request, except a provider's name
  std::string code = {};  // the error object's code; empty: none
  // Set if the gateway has reached its own limit: the client may retry after this time.
  std::optional<std::chrono::milliseconds> retry_after = {};
};

}  // namespace photofinish::gateway
