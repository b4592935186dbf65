// The status and message of a request that is refused before any attempt starts. [pure] They are the same for all APIs.
// api_error.hpp converts them to the error format of the API that the client uses.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace photofinish::gateway {

struct refusal {
  int status = 400;
  std::string message;    // human-readable; it contains no key, and no value of the request except a provider's name
  std::string code = {};  // the `code` member of the error; empty if there is none
  // Set if the gateway itself has reached a limit. The client may retry after the given time.
  std::optional<std::chrono::milliseconds> retry_after = {};
};

}  // namespace photofinish::gateway
