// The status and message of a request that is refused before any attempt starts. [pure] They are independent of the
// API. api_error.hpp converts them to the form of the called API.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace photofinish::gateway {

struct refusal {
  int status = 400;
  std::string message;    // text for people; it contains no key and no value of the request, except a provider's name
  std::string code = {};  // the code of the error object; empty if there is none
  // Set if the gateway has reached a limit of its own. The client may retry after this time.
  std::optional<std::chrono::milliseconds> retry_after = {};
};

}  // namespace photofinish::gateway
