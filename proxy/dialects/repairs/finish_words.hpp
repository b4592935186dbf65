// Reads finish reasons of servers that speak OpenAI's chat, whichever API they translate from. [pure]
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

// Returns the finish for `word`. `own` lists the words of the API, and any other word is foreign.
delta finish_delta(std::span<const finish_word> own, std::string_view word);

// True if the provider gave up: the text so far is not an answer.
bool is_failed_finish(std::string_view word);

// The failure names the word, except `error`, which adds nothing.
failure failed_finish(std::string_view word);

// An unknown word never means that the answer is complete.
finish_reason foreign_finish(std::string_view word);

}  // namespace photofinish::proxy
