// Reads finish reasons of servers with OpenAI's chat API, whichever API they translate from. [pure]
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

// True if the provider gave up, so that the text so far is not an answer.
bool is_failed_finish(std::string_view word);

// Returns a failure that names the word, unless the word is `error`, which explains nothing.
failure failed_finish(std::string_view word);

// Returns the meaning of a foreign word. An unknown word never means that the answer is complete.
finish_reason foreign_finish(std::string_view word);

}  // namespace photofinish::proxy
