// A client's request that is refused before any attempt starts: which status, and what to say. [pure]
// It knows no API: api_error.hpp words it as the API that was called does.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace photofinish::gateway {

struct refusal {
  int status = 400;
  std::string message;  // for people; holds no key and none of the request's values, except a provider's name
  std::string code = {};  // of the error object; empty: none
  // The gateway is at a limit of its own: the request may be repeated so soon.
  std::optional<std::chrono::milliseconds> retry_after = {};
};

}  // namespace photofinish::gateway
