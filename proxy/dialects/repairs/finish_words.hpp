// Reads the finish reasons of servers with OpenAI's chat API. [pure] The servers may have translated the finish reasons
// from any other API.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/failure.hpp"

#include <span>
#include <string_view>

namespace photofinish::proxy {

struct finish_word {
  std::string_view word;
  finish_reason means;
};

// Returns the delta that ends a choice with the finish reason `word`. `own` lists the finish reasons that the
// provider's API defines. Any other finish reason is marked as not defined by the API (`is_foreign`).
delta finish_delta(std::span<const finish_word> own, std::string_view word);

// True if the finish reason `word` means that the provider has failed. The text so far is then not a valid answer.
bool is_failed_finish(std::string_view word);

// Returns the failure for the finish reason `word`. The failure contains the word unless it is `error`, which explains
// nothing.
failure failed_finish(std::string_view word);

// Returns the meaning of a finish reason that the provider's API does not define. An unknown finish reason never means
// that the answer is complete.
finish_reason foreign_finish(std::string_view word);

}  // namespace photofinish::proxy
