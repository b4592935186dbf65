// A client's request that is turned away before any attempt starts: which status, and what to say. [pure]
// client_api.hpp makes the answer's body of it.
#pragma once

#include <string>

namespace photofinish::gateway {

struct refusal {
  int status = 400;
  std::string message;  // for people; holds no key and none of the request's values, except a provider's name
  std::string code;     // of the error object; empty: none
};

}  // namespace photofinish::gateway
