// Why an answer ended, in the words of servers that speak OpenAI's chat, whichever API they translate from. [pure]
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

// The finish that `word` is in its API, of which `own` are the words; a word that is not among them is foreign.
delta finish_delta(std::span<const finish_word> own, std::string_view word);

// The provider gave up: the text so far is not an answer.
bool is_failed_finish(std::string_view word);

// Names the word. `error` says so of itself and needs none.
failure failed_finish(std::string_view word);

// A word that is not known never means that the answer is complete.
finish_reason foreign_finish(std::string_view word);

}  // namespace photofinish::proxy
