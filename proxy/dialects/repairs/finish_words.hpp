// Why an answer ended, in the words of servers that speak OpenAI's chat, whichever API they translate from. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/failure.hpp"

#include <string_view>

namespace photofinish::proxy {

// The provider gave up: the text so far is not an answer.
bool is_failed_finish(std::string_view word);

// Names the word. `error` says so of itself and needs none.
failure failed_finish(std::string_view word);

// A word that is not known never means that the answer is complete.
finish_reason foreign_finish(std::string_view word);

}  // namespace photofinish::proxy
