// What a provider says where a model, or an account, may not stream: the same request may work without. [pure]
// OpenAI: 400 `unsupported_value` of `stream`, "Your organization must be verified to stream this model".
#pragma once

#include "proxy/failures/failure.hpp"

namespace photofinish::gateway {

inline bool refuses_stream(const proxy::failure& why) {
  return why.origin == proxy::failure_origin::provider && why.status == 400 && why.param == "stream" &&
         why.code == "unsupported_value";
}

}  // namespace photofinish::gateway
